// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.qoi", version: "1.0.0", reader: QOIReader.self, readsIncrementally: true,
  writer: QOIWriter.self, writerFormats: [.qoi], options: QOIOption.table)
