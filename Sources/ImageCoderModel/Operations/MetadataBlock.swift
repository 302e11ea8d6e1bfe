// SPDX-License-Identifier: Apache-2.0

/// A kind of block in a container that can be taken out without a change of the main picture's pixels.
public enum MetadataBlock: String, Sendable, CaseIterable {
  /// An ICC profile.
  case icc
  /// Exif, starting at its TIFF header.
  case exif
  /// An XMP packet.
  case xmp
  /// IPTC-IIM data sets.
  case iptc
  /// A manifest store of C2PA. It cannot be put in: it signs the bytes of another file.
  case c2pa
  /// Where the picture lies on the Earth, as the tags of GeoTIFF have it, and what programs for maps add.
  case geoTIFF = "geotiff"
  /// Comments, texts and times of the container itself. They cannot be put in.
  case text
  /// Whatever else does not change how the main picture looks: data of applications, thumbnails, previews, bytes after
  /// the end. It cannot be put in.
  case other

  /// The same as a kind of metadata that readers give, or nil if they give none like it.
  public var kind: MetadataKind? {
    switch self {
    case .icc: .icc
    case .exif: .exif
    case .xmp: .xmp
    case .iptc: .iptc
    case .c2pa: .c2pa
    case .geoTIFF: .geoTIFF
    case .text, .other: nil
    }
  }

  /// Blocks that can be put in.
  static let payloads: [MetadataBlock] = [.icc, .exif, .xmp, .iptc]

  /// The value of ``KnownOperation/readMetadata``.
  static let optionName = "kind"

  /// The same, for a coder that knows some kinds.
  static func option(_ kinds: [MetadataBlock]) -> OptionDescription {
    OptionDescription(
      name: optionName, text: "The kind of block.", kind: .choice(kinds.map(\.rawValue), default: 0))
  }
}

/// What happens to the metadata blocks of a file.
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

  init(_ operation: FileOperation) throws(CoderError) {
    self.init()
    for word in operation[Self.drop].split(separator: " ") {
      guard let kind = MetadataBlock(rawValue: String(word)) else {
        let known = MetadataBlock.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalidArgument("\(Self.drop.name) names \(word); it may name \(known)")
      }
      removed.insert(kind)
    }
    for kind in MetadataBlock.payloads {
      guard let payload = operation.blocks[kind.rawValue] else { continue }
      replace(kind, with: payload.isEmpty ? nil : payload)
    }
  }

  static let drop = CoderOption.text(
    "drop", maximumBytes: 64, default: "",
    "Kinds of blocks to take out, with spaces between them: icc, exif, xmp, iptc, c2pa, geotiff, text, other.")
}
