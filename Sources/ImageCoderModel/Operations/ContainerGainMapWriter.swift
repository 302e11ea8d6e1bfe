// SPDX-License-Identifier: Apache-2.0

/// A gain map as files have it.
public struct GainMapParts: Sendable {
  /// The map as a file of the same format. Its colors are those of the other rendition: samples of the map have none.
  public var file: [UInt8]
  /// Its metadata as ISO 21496-1 has it.
  public var iso: [UInt8]
  /// The same as an XMP packet of `hdrgm`, or nil.
  public var xmp: [UInt8]?

  /// Makes parts of a file and what its samples mean.
  public init(file: [UInt8], iso: [UInt8], xmp: [UInt8]?) {
    self.file = file
    self.iso = iso
    self.xmp = xmp
  }
}

/// Puts gain maps into files, in a plugin through `PluginExport`.
///
/// A part of a draft: see `imgcoder/draft/gain_map_files.h`.
public protocol ContainerGainMapWriter {
  /// Writes the whole file with the map. What follows the picture in the source goes.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the source has no room for it.
  static func attach(
    _ map: GainMapParts, to source: SourceView, format: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError)
}
