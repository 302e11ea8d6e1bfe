// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.pnm", version: "1.0.0", reader: PNMReader.self, readsIncrementally: true,
  writer: PNMWriter.self, writerFormats: [.pnm], writesPages: true, options: PNMOption.table)
