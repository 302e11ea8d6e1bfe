// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = {
  LibRSVG.loadIfAsked()
  return PluginExport(
    id: "org.imagecoders.svg", version: "1.0.0", library: LibRSVG.name, reader: SVGReader.self,
    recognizer: SVGRecognizer.self, readOptions: SVGOption.table)
}()
