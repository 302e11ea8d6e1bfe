// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.ico", version: "1.0.0", reader: ICOReader.self, readsArriving: true,
  writer: ICOWriter.self, writesPages: true, options: ICOWriterOptions.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
