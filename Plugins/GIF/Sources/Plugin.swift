// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.gif", version: "1.0.0",
  names: ContainerPropertyNames(dictionary: "{GIF}", defaultLoopCount: .plays(1)), reader: GIFReader.self,
  readsIncrementally: true, writer: GIFWriter.self, writerFormats: [.gif],
  writerFeatures: [.frames, .parts, .blends, .clears, .restores, .binaryAlpha, .text],
  operations: [.editMetadata(of: [.gif], run: GIFMetadata.edit)],
  options: GIFOption.table)
