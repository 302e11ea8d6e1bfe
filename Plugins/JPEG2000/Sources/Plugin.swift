// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.jpeg2000", version: "1.0.0", library: LibOpenJPEG.name, reader: JPEG2000Reader.self,
  readsIncrementally: true, writer: JPEG2000Writer.self, writerFormats: [.jpeg2000],
  writerFeatures: [.orientation, .resolution, .iptc, .geoTIFF],
  operations: [.editMetadata(of: [.jpeg2000], run: JP2Metadata.edit)], options: JPEG2000Option.table)
