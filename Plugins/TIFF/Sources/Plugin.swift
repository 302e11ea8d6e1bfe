// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.tiff", version: "1.0.0", library: "libtiff \(LibTIFF.version)", reader: TIFFReader.self,
  readsIncrementally: true,
  writer: TIFFWriter.self, writerFormats: [.tiff], writesPages: true,
  writerFeatures: [.orientation, .thumbnail, .resolution, .iptc, .geoTIFF, .text],
  operations: [
    .readMetadata([.exif], of: [.tiff], run: TIFFMetadata.block),
    .editMetadata(of: [.tiff], run: TIFFMetadata.edit),
  ],
  options: TIFFOption.table)
