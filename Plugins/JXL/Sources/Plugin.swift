// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import CJXL
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.jxl", version: "1.0.0", library: LibJXL.name,
  names: ContainerNames(dictionary: "{JPEGXL}", defaultLoopCount: .infinite), reader: JXLReader.self,
  readsArriving: true,
  writer: JXLWriter.self,
  writerFeatures: [.quality, .progressive, .orientation, .parts, .replaces],
  transcoder: JXLTranscoder.self,
  options: EncodingSettings.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
