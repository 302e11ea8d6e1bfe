// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.raw", version: "1.0.0", library: LibRaw.libraryName, reader: RAWReader.self,
  readOptions: RAWOption.table)
