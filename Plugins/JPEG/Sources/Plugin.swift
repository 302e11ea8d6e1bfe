// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The coder, as the plugin interface has it.
public let plugin = PluginExport(
  id: "org.imagecoders.jpeg", version: "1.0.0", library: LibJPEG.version, reader: JPEGReader.self,
  readsIncrementally: true, writer: JPEGWriter.self, writerFormats: [.jpeg],
  writerFeatures: [.orientation, .thumbnail, .resolution, .iptc, .text, .trailer],
  operations: [
    .readMetadata([.iptc, .exif, .xmp, .icc], of: [.jpeg], run: JPEGMetadata.block),
    .editMetadata(of: [.jpeg], run: JPEGMetadata.edit), .turn(of: [.jpeg], run: JPEGGeometry.write),
    .attachGainMap(to: [.jpeg], takesColors: true, run: JPEGGainMap.attach),
    .attachVideo(to: [.jpeg], run: JPEGVideo.attach),
    .attachAuxiliary(to: [.jpeg], run: JPEGDepth.attach),
  ],
  options: JPEGOption.table)
