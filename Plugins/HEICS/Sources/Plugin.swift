// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.heics", version: "1.0.0", library: LibDe265.name,
  names: ContainerPropertyNames(dictionary: "{HEICS}", defaultLoopCount: .infinite), reader: HEICSReader.self,
  readsIncrementally: true)
