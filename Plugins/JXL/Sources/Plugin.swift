// SPDX-License-Identifier: Apache-2.0

import CJXL
public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.jxl", version: "1.0.0", library: LibJXL.name,
  names: ContainerPropertyNames(dictionary: "{JPEGXL}", defaultLoopCount: .infinite), reader: JXLReader.self,
  readsIncrementally: true, writer: JXLWriter.self, writerFormats: [.jpegXL],
  writerFeatures: [.frames, .orientation, .parts, .replaces],
  operations: [
    .transcode(
      [.init(from: .jpeg, to: .jpegXL), .init(from: .jpegXL, to: .jpeg)], run: JXLTranscoder.transcode),
    .editMetadata(of: [.jpegXL], run: JXLMetadata.edit),
    .attachGainMap(to: [.jpegXL], takesColors: true, run: JXLGainMap.attach),
    DepthWriting.operation,
  ],
  options: JXLOption.table)
