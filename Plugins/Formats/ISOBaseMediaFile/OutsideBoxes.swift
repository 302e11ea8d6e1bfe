// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// What a file has beside its items and tracks: content credentials, and the video of a motion photo.
///
/// - Format: C2PA Technical Specification 2.1, Annex A; Android's "Motion Photo format" 1.0.
public struct OutsideBoxes {
  /// Where the manifest store of C2PA is.
  public private(set) var credentials: Range<Int>?
  /// Where the video is: a file of its own, without the box around it.
  public private(set) var video: Range<Int>?

  /// The extended type of boxes of C2PA.
  static let identifier: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]
  private static let mostBoxes = 1_024

  /// Looks at the headers of the outermost boxes of a file that is complete.
  public init(_ source: SourceView) throws(CoderError) {
    var offset = 0
    for _ in 0..<Self.mostBoxes {
      guard offset < source.size, let box = try? source.box(at: offset, before: source.size), !box.isCut else { return }
      switch box.type {
      case FourCC("uuid") where credentials == nil: credentials = try Self.credentials(box, in: source)
      case .motionVideo where video == nil && !box.payload.isEmpty: video = box.payload
      default: break
      }
      offset = box.end
    }
  }

  /// The store in a box of C2PA, after the version, the purpose, and where another box is; nil for other boxes.
  private static func credentials(_ box: Box, in source: SourceView) throws(CoderError) -> Range<Int>? {
    let reader = ByteReader(try source.bytes(at: box.content, count: min(box.payload.count, 96)), of: "a uuid box")
    let purpose: StaticString = "manifest\0"
    let start = identifier.count + 4 + purpose.utf8CodeUnitCount + 8
    guard start < reader.count, isCredentials(reader), reader.has(purpose, at: identifier.count + 4),
      let head = try? reader.bytes(at: start, count: min(48, reader.count - start)), ContentCredentials.isStore(head)
    else { return nil }
    return (box.content + start)..<box.end
  }

  /// Whether the content of a box of an extended type is one of C2PA, for whatever purpose.
  static func isCredentials(_ reader: borrowing ByteReader) -> Bool {
    guard let name = try? reader.bytes(at: 0, count: identifier.count) else { return false }
    return [UInt8](copying: name) == identifier
  }

  /// A kind of metadata, or nil.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  public func metadata(_ kind: MetadataKind, in source: SourceView, limits: Limits) throws(CoderError) -> [UInt8]? {
    guard let place = kind == .c2pa ? credentials : kind == .trailer ? video : nil else { return nil }
    try limits.check(metadata: place.count)
    return try source.bytes(at: place.lowerBound, count: place.count, of: "\(kind)")
  }
}
