// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.qoi", version: "1.0.0", reader: QOIReader.self, readsArriving: true,
  writer: QOIWriter.self, options: [ColorSpaceChoice.description])

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
