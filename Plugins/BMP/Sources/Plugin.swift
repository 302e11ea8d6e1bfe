// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.bmp", version: "1.0.0", reader: BMPReader.self, readsArriving: true,
  writer: BMPWriter.self, options: BMPWriterOptions.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
