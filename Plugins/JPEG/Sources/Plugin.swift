// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.jpeg", version: "1.0.0", library: LibJPEG.version, reader: JPEGReader.self,
  readsArriving: true, writer: JPEGWriter.self,
  writerFeatures: [.quality, .progressive, .subsampling, .orientation, .thumbnail],
  options: JPEGWriter.optionDescriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
