// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.bmp", version: "1.0.0", reader: BMPReader.self, readsIncrementally: true,
  writer: BMPWriter.self, writerFormats: [.bmp], writerFeatures: [.resolution],
  options: BMPOption.table)
