// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.hdr", version: "1.0.0", reader: HDRReader.self, readsIncrementally: true,
  writer: HDRWriter.self, writerFormats: [.radiance])
