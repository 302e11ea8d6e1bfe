// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.pnm", version: "1.0.0", reader: PNMReader.self, readsArriving: true,
  writer: PNMWriter.self, writesPages: true, options: WrittenKind.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
