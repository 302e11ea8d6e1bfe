// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.icns", version: "1.0.0", library: Deflate.name, reader: ICNSReader.self,
  writer: ICNSWriter.self, writesPages: true, options: [SmallIcons.description])

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
