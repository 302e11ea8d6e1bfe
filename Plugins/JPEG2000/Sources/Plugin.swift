// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.jpeg2000", version: "1.0.0", library: LibOpenJPEG.name, reader: JPEG2000Reader.self,
  readsArriving: true,
  writer: JPEG2000Writer.self, writerFeatures: [.quality, .progressive, .orientation],
  options: EncodingSettings.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
