// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.png", version: "1.0.0", library: "libpng \(LibPNG.version)",
  names: ContainerPropertyNames(dictionary: "{PNG}"), reader: PNGReader.self, readsIncrementally: true,
  writer: PNGWriter.self, writerFormats: [.png],
  writerFeatures: [.frames, .parts, .replaces, .blends, .clears, .restores, .resolution, .text],
  operations: [
    .editMetadata(of: [.png], run: PNGMetadata.edit)
  ],
  options: PNGOption.table)
