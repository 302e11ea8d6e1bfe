// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.heics", version: "1.0.0", library: LibDe265.name,
  names: ContainerNames(dictionary: "{HEICS}", defaultLoopCount: .infinite), reader: HEICSReader.self,
  readsArriving: true)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
