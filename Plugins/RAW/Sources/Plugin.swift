// SPDX-License-Identifier: Apache-2.0

import CRAWShim
public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin: PluginExport = {
  craw_load_if_asked()
  return PluginExport(
    id: "org.imagecoders.raw", version: "1.0.0", library: LibRaw.libraryName, reader: RAWReader.self,
    readOptions: RAWOption.table)
}()
