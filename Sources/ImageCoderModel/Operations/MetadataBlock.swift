// SPDX-License-Identifier: Apache-2.0

/// A kind of block in a container that can be taken out without a change of the main picture's pixels.
///
/// A part of a draft: see `imgcoder/draft/metadata_blocks.h`.
public enum MetadataBlock: UInt32, Sendable, CaseIterable {
  /// An ICC profile.
  case icc = 1
  /// Exif, starting at its TIFF header.
  case exif = 2
  /// An XMP packet.
  case xmp = 3
  /// IPTC-IIM data sets.
  case iptc = 4
  /// Comments, texts and times of the container itself. They cannot be put in.
  case text = 5
  /// Whatever else does not change how the main picture looks: data of applications, thumbnails, previews, bytes after
  /// the end. It cannot be put in.
  case other = 6
}

/// What happens to the metadata blocks of a file.
///
/// A part of a draft: see `imgcoder/draft/metadata_blocks.h`.
public struct MetadataBlockEdits: Sendable, Equatable {
  /// All blocks of these kinds are taken out.
  public var removed: Set<MetadataBlock>
  /// What is put in instead, by kind; only of kinds that are ``removed``.
  public var payloads: [MetadataBlock: [UInt8]]

  /// Edits that change nothing, unless arguments say so.
  public init(removed: Set<MetadataBlock> = [], payloads: [MetadataBlock: [UInt8]] = [:]) {
    self.removed = removed
    self.payloads = payloads
  }

  /// Takes out all blocks of a kind.
  ///
  /// - Parameter payload: What is put in instead, or nil for nothing.
  public mutating func replace(_ kind: MetadataBlock, with payload: [UInt8]?) {
    removed.insert(kind)
    payloads[kind] = payload
  }
}

/// Edits the metadata of files without decoding their pixels, in a plugin through `PluginExport`.
///
/// A part of a draft: see `imgcoder/draft/metadata_blocks.h`.
public protocol ContainerMetadataEditor {
  /// The payload of a block, for kinds of which the reader's `metadata` does not say all: nil if the file has none.
  ///
  /// - Parameter kind: ICC, Exif, XMP or IPTC.
  /// - Throws: ``CoderError/Code/unsupported`` for kinds that the reader is to be asked for.
  static func block(
    _ kind: MetadataBlock, of source: SourceView, format: ImageFormat, host: CoderHost
  ) throws(CoderError) -> [UInt8]?

  /// Writes the whole file with other metadata, and all else byte for byte.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if a block cannot be taken out of this file or put into it; nothing may
  ///   have been written then. ``CoderError/Code/invalidArgument`` for a payload that is too large for the container.
  static func edit(
    _ source: SourceView, format: ImageFormat, edits: MetadataBlockEdits, output: ByteOutput, host: CoderHost
  ) throws(CoderError)
}

extension ContainerMetadataEditor {
  /// The reader says all there is.
  public static func block(
    _ kind: MetadataBlock, of source: SourceView, format: ImageFormat, host: CoderHost
  ) throws(CoderError) -> [UInt8]? {
    throw .unsupported("the reader says what there is of kind \(kind.rawValue)")
  }
}
