// SPDX-License-Identifier: Apache-2.0

public import CImageCoder
import CWebP
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.webp", version: "1.0.0", library: LibWebP.name,
  names: ContainerNames(dictionary: "{WebP}", defaultLoopCount: .infinite), reader: WebPReader.self,
  readsArriving: true, writer: WebPWriter.self,
  writerFeatures: [.quality, .orientation, .parts, .evenParts, .replaces, .blends, .clears],
  options: EncodingOption.all.map(\.description))

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
