// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.icns", version: "1.0.0", library: Deflate.name, reader: ICNSReader.self,
  writer: ICNSWriter.self, writerFormats: [.icns], writesPages: true, options: ICNSOption.table)
