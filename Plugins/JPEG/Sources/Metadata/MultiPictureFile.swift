// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A JPEG file as it is written with pictures after the first one, and the index that says where they are.
///
/// - Format: CIPA DC-007-2021 §5.2.3.
struct MultiPictureFile {
  /// A picture after the first one.
  struct Picture {
    let content: FilePieces.Piece
    /// What the index says of it, table 4; 0 for what has no type there.
    let type: UInt32

    init(_ content: FilePieces.Piece, type: UInt32) { (self.content, self.type) = (content, type) }

    var count: Int {
      switch content {
      case .kept(let range): range.count
      case .new(let bytes): bytes.count
      }
    }
  }

  let source: SourceView
  let header: HeaderSegments
  /// Where the first picture ends.
  let end: Int
  /// New segments of the first picture, which follow JFIF's own and Exif.
  let added: [UInt8]
  let pictures: [Picture]
  /// What follows the pictures in the source.
  let trailer: Range<Int>

  /// The new file.
  ///
  /// - Parameter replaced: Kinds of segments that go; of XMP, the first packet that is no extension.
  func pieces(replacing replaced: [HeaderSegments.Kind]) throws(CoderError) -> FilePieces {
    // The size of the first picture, and where the others begin, seen from the index, are known in the second round.
    let draft = try pieces(replacing: replaced, first: 0, base: 0)
    return try pieces(replacing: replaced, first: draft.first, base: draft.base).file
  }

  private func pieces(
    replacing replaced: [HeaderSegments.Kind], first: Int, base: Int
  ) throws(CoderError) -> (file: FilePieces, first: Int, base: Int) {
    var file = FilePieces()
    file.keep(0..<header.start)
    var place: Int?
    var hasPacket = !replaced.contains(.xmp)
    func add() {
      guard place == nil else { return }
      file.put(added)
      // Marker, length, "MPF" and a zero stand before the header that places are counted from.
      place = file.count + 8
      file.put(index(first: first, base: base))
    }
    for part in header.segments {
      if part.kind != .jfif, part.kind != .exif { add() }
      if part.kind == .multiPicture { continue }
      if part.kind == .xmp, !hasPacket {
        hasPacket = true
        let reader = try source.reader(at: part.payload.lowerBound, count: 64, of: "a segment")
        if reader.has(FileHeader.Prefix.xmp, at: 0) { continue }
      } else if part.kind != .xmp, replaced.contains(part.kind) {
        continue
      }
      file.keep(part.bytes)
    }
    add()
    file.keep(header.scan..<end)
    let size = file.count
    for picture in pictures {
      switch picture.content {
      case .kept(let range): file.keep(range)
      case .new(let bytes): file.put(bytes)
      }
    }
    file.keep(trailer)
    return (file, size, place ?? 0)
  }

  /// - Parameters:
  ///   - first: Bytes of the first picture.
  ///   - base: Where the header of the index is in the file.
  private func index(first: Int, base: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.segment(0xE2) {
      $0.put("MPF\0")
      $0.put("MM\0*")
      $0.put(UInt32(8))
      $0.put(UInt16(3))
      // Version, number of pictures, and entries, §5.2.3.
      let entries = UInt32(clamping: 16 * (pictures.count + 1))
      for (tag, type, count) in [(0xB000, 7, 4), (0xB001, 4, 1), (0xB002, 7, entries)] as [(UInt16, UInt16, UInt32)] {
        $0.put(tag)
        $0.put(type)
        $0.put(count)
        switch tag {
        case 0xB000: $0.put("0100")
        case 0xB001: $0.put(UInt32(clamping: pictures.count + 1))
        default: $0.put(UInt32(50))
        }
      }
      $0.put(UInt32(0))
      // A primary picture of the baseline.
      var entry = (attribute: UInt32(0x03_0000), size: first, place: 0)
      var start = max(first - base, 0)
      for index in 0...pictures.count {
        if index > 0 {
          let picture = pictures[index - 1]
          entry = (picture.type, picture.count, start)
          start += picture.count
        }
        $0.put(entry.attribute)
        $0.put(UInt32(clamping: entry.size))
        $0.put(UInt32(clamping: entry.place))
        $0.put(UInt32(0))
      }
    }
    return writer.bytes
  }

  /// A segment with a payload that begins with the name of its kind.
  static func segment(_ marker: UInt8, _ prefix: [UInt8], _ payload: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.segment(marker) {
      $0.put(prefix)
      $0.put(payload)
    }
    return writer.bytes
  }
}
