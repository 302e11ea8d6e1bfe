// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The tags of the camera, of Exif and of places in a file that is a kind of TIFF.
///
/// The maker's notes are left out: they point at places of the file. A tag whose value is outside the file is left out, too.
///
/// - Format: TIFF 6.0 §2, Exif 2.32 §4.6.
struct CameraTags {
  /// What the first directory says of the picture's camera and author, in its own words.
  private(set) var main = ExifFields()
  /// Exif's own directory; empty if the file has none.
  private(set) var exif = ExifFields()
  /// The directory of places; empty if the file has none.
  private(set) var place = ExifFields()

  /// ImageDescription, Make, Model, Software, Artist, and Copyright.
  private static let words: Set<UInt16> = [0x010E, 0x010F, 0x0110, 0x0131, 0x013B, 0x8298]
  /// Entries of a directory that are looked at.
  private static let mostEntries = 512
  /// Bytes of a value.
  private static let mostBytes = 4096
  /// MakerNote, the pointer to the directory of interoperability, and what is of the camera's own JPEG file: its colors and
  /// size.
  private static let others: Set<UInt16> = [0x927C, 0xA005, 0xA001, 0xA002, 0xA003]

  init(in contents: UnsafeRawBufferPointer) {
    let bytes = RawSpan(_unsafeBytes: contents)
    guard let order = ExifPayload.byteOrder(of: bytes) else { return }
    let reader = ByteReader(bytes, order: order, of: "the file")
    guard let first = try? Int(reader.uint32(at: 4)) else { return }
    var places: [UInt16: Int] = [:]
    Self.entries(at: first, reader) { tag, entry, reader throws(CoderError) in
      if Self.words.contains(tag) { main.add(text: try Self.field(Int(tag), at: entry, reader)) }
      guard tag == 0x8769 || tag == 0x8825 else { return }
      places[tag] = Int(try reader.uint32(at: entry + 8))
    }
    for (pointer, directory) in [(0x8769, \CameraTags.exif), (0x8825, \.place)]
      as [(UInt16, WritableKeyPath<CameraTags, ExifFields>)]
    {
      guard let start = places[pointer] else { continue }
      Self.entries(at: start, reader) { tag, entry, reader throws(CoderError) in
        guard pointer != 0x8769 || !Self.others.contains(tag),
          let field = try Self.field(Int(tag), at: entry, reader)
        else { return }
        self[keyPath: directory].add(field)
      }
    }
  }

  /// Calls a function with each entry of a directory. One that cannot be read is passed over.
  private static func entries(
    at place: Int, _ reader: borrowing ByteReader,
    _ body: (_ tag: UInt16, _ entry: Int, _ reader: borrowing ByteReader) throws(CoderError) -> Void
  ) {
    guard let count = try? reader.uint16(at: place) else { return }
    for index in 0..<min(Int(count), mostEntries) {
      let entry = place + 2 + 12 * index
      guard let tag = try? reader.uint16(at: entry) else { return }
      do throws(CoderError) { try body(tag, entry, reader) } catch { continue }
    }
  }

  /// An entry with its low bytes first, or nil for one that is too large or of an unknown type.
  private static func field(
    _ tag: Int, at entry: Int, _ reader: borrowing ByteReader
  ) throws(CoderError) -> TIFFField? {
    let type = TIFFField.ValueType(rawValue: Int(try reader.uint16(at: entry + 2)))
    let count = Int(try reader.uint32(at: entry + 4))
    guard (1...12).contains(type.rawValue), count > 0, count <= mostBytes / type.size else { return nil }
    let size = count * type.size
    let place = size <= 4 ? entry + 8 : Int(try reader.uint32(at: entry + 8))
    let field = TIFFField(
      tag: tag, type: type, count: count, value: [UInt8](copying: try reader.bytes(at: place, count: size)))
    return reader.order == ExifFields.writer.order ? field : field.swapped
  }
}
