// SPDX-License-Identifier: Apache-2.0

/// Reads and writes the Orientation tag of an Exif payload: TIFF 6.0 §2, Exif 2.32 §4.6.4 A.
///
/// A payload begins with its TIFF header. The tag belongs in the first directory; some writers have it in Exif's own, which
/// counts if the first has none. No other pointer is followed. A payload that cannot be read has no orientation.
public enum ExifOrientation {
  /// The orientation that a payload states, ``Orientation/up`` when it states none that is known.
  public static func read(_ payload: RawSpan) -> Orientation {
    Entry.find(in: payload).flatMap { Orientation(rawValue: $0.value) } ?? .up
  }

  /// The orientation that a payload states, ``Orientation/up`` when it states none that is known.
  public static func read(_ payload: UnsafeRawBufferPointer) -> Orientation {
    read(RawSpan(_unsafeBytes: payload))
  }

  /// The orientation that a payload states, ``Orientation/up`` when it states none that is known.
  public static func read(_ payload: [UInt8]) -> Orientation { read(payload.span.bytes) }

  /// Changes the orientation in a payload.
  ///
  /// - Returns: False for a payload without orientation, which is not changed.
  @discardableResult
  public static func set(_ orientation: Orientation, in payload: inout [UInt8]) -> Bool {
    guard let entry = Entry.find(in: payload.span.bytes) else { return false }
    var writer = ByteWriter(order: entry.order)
    writer.put(UInt64(orientation.rawValue), bytes: entry.size)
    payload.replaceSubrange(entry.place..<entry.place + entry.size, with: writer.bytes)
    return true
  }

  private static let tag = 0x0112
  /// The pointer to Exif's own directory, Exif 2.32 §4.6.3.
  private static let exifDirectory = 0x8769

  /// The smallest payload with an orientation.
  public static func payload(_ orientation: Orientation) -> [UInt8] {
    [
      0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // "MM", 42, the directory follows
      0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0,  // one entry: a SHORT
      0, 0, 0, 0,  // no further directory
    ]
  }

  /// Adds an entry for the orientation to a payload's first directory, or returns nil if the payload cannot be read.
  ///
  /// A new directory with this entry is written after the payload; the values that its other entries point at stay
  /// where they are.
  public static func adding(_ orientation: Orientation, to payload: [UInt8]) -> [UInt8]? {
    guard let order = ExifPayload.byteOrder(of: payload.span.bytes) else { return nil }
    do throws(CoderError) {
      let reader = ByteReader(payload.span.bytes, order: order, of: "the payload")
      let directory = Int(try reader.uint32(at: 4))
      let count = Int(try reader.uint16(at: directory))
      guard count < 0xFFFF else { return nil }
      let end = directory + 2 + 12 * count + 4
      _ = try reader.bytes(at: directory, count: end - directory)
      // TIFF 6.0 §2: entries are in the order of their tags.
      var split = directory + 2
      while split < end - 4, try reader.uint16(at: split) < tag { split += 12 }
      // TIFF 6.0 §2: a directory begins on a word boundary.
      let start = payload.count + payload.count % 2
      var writer = ByteWriter(order: order, capacity: start + end - directory + 12)
      writer.put(payload)
      writer.replace(UInt32(clamping: start), at: 4)
      writer.putZeros(start - payload.count)
      writer.put(UInt16(count + 1))
      writer.put(Array(payload[(directory + 2)..<split]))
      writer.put(UInt16(tag))
      writer.put(UInt16(3))  // SHORT
      writer.put(UInt32(1))
      writer.put(UInt16(orientation.rawValue))
      writer.put(UInt16(0))
      writer.put(Array(payload[split..<end]))
      return writer.bytes
    } catch {
      return nil
    }
  }
}

extension ExifOrientation {
  /// Where a payload keeps the tag's value.
  private struct Entry {
    /// As the payload has it; 1 to 8 have a meaning.
    let value: Int
    let order: ByteOrder
    /// The place of the value, all of whose bytes are inside the payload.
    let place: Int
    /// Bytes of the value: 2, or 4.
    let size: Int

    /// Finds the tag, or nil when the payload has none or cannot be read.
    static func find(in payload: RawSpan) -> Entry? {
      guard let order = ExifPayload.byteOrder(of: payload) else { return nil }
      let header = ByteReader(payload, order: order, of: "the payload")
      guard let start = try? Int(header.uint32(at: 4)) else { return nil }
      let first = find(in: payload, at: start, order)
      if let entry = first.entry { return entry }
      return first.inner.flatMap { find(in: payload, at: $0, order).entry }
    }

    /// The tag in one directory, and where that says that Exif's own directory is.
    private static func find(in payload: RawSpan, at start: Int, _ order: ByteOrder) -> (entry: Entry?, inner: Int?) {
      var inner: Int?
      do throws(CoderError) {
        var reader = ByteReader(payload, order: order, of: "the payload")
        try reader.seek(to: start)
        for _ in 0..<(try reader.uint16()) {
          let (found, type, count) = (try reader.uint16(), try reader.uint16(), try reader.uint32())
          let place = reader.position
          let field = try reader.uint32()
          if found == exifDirectory, type == 4, count == 1 { inner = Int(field) }
          guard found == tag else { continue }
          // SHORT by the specification; LONG is written as well. Either takes a field of four bytes.
          guard count == 1, type == 3 || type == 4 else { return (nil, inner) }
          let short = try reader.uint16(at: place)
          let value = type == 3 ? Int(short) : Int(field)
          return (Entry(value: value, order: order, place: place, size: type == 3 ? 2 : 4), inner)
        }
      } catch {
        return (nil, inner)
      }
      return (nil, inner)
    }
  }
}
