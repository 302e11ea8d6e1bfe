// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.gif.giflib", version: "1.0.0", library: LibGIF.version,
  names: ContainerPropertyNames(dictionary: "{GIF}", defaultLoopCount: .plays(1)), reader: GIFLibReader.self)
