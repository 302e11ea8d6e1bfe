// SPDX-License-Identifier: Apache-2.0

import CWebP
public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.webp", version: "1.0.0", library: LibWebP.name,
  names: ContainerPropertyNames(dictionary: "{WebP}", defaultLoopCount: .infinite), reader: WebPReader.self,
  readsIncrementally: true, writer: WebPWriter.self, writerFormats: [.webP],
  writerFeatures: [.frames, .orientation, .parts, .evenParts, .replaces, .blends, .clears],
  operations: [.editMetadata(of: [.webP], run: WebPMetadata.edit)], options: WebPOption.table)
