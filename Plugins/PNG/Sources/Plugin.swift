// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.png", version: "1.0.0", library: "libpng \(LibPNG.version)",
  names: ContainerNames(dictionary: "{PNG}"), reader: PNGReader.self, readsArriving: true, writer: PNGWriter.self,
  writerFeatures: [.progressive, .parts, .replaces, .blends, .clears, .restores],
  options: PNGWriter.options)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
