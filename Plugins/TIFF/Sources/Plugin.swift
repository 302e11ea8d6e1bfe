// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.tiff", version: "1.0.0", library: "libtiff \(LibTIFF.version)", reader: TIFFReader.self,
  readsArriving: true,
  writer: TIFFWriter.self, writesPages: true,
  writerFeatures: [.quality, .subsampling, .orientation, .thumbnail], options: TIFFWriter.options)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
