// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.exr", version: "1.0.0", library: ChunkDecompressor.libraryName, reader: EXRReader.self)
