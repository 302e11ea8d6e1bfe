// SPDX-License-Identifier: Apache-2.0

import CAVIF
public import CImageCoder
import ImageCoderPlugin

private let plugin = PluginExport(
  id: "org.imagecoders.avif", version: "1.0.0", library: LibAVIF.name,
  names: ContainerNames(dictionary: "{AVIS}", defaultLoopCount: .infinite), reader: AVIFReader.self,
  readsArriving: true,
  writer: AVIFWriter.self, writerFeatures: [.quality, .subsampling, .orientation],
  options: EncodingSettings.descriptions)

@c(imgcoder_plugin_describe)
public func describe(_ host: UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>? { plugin.table }
