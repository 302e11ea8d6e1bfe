// SPDX-License-Identifier: Apache-2.0

import CDeflate
import ISOBaseMediaFile
import ImageCoderPlugin

/// How the bytes of an uncompressed item are compressed: the boxes `cmpC` and `icef` of ISO/IEC 23001-17.
///
/// What the units hold, one after the other, are the bytes that the item would have without compression.
struct CompressedUnits {
  private enum Method { case zlib, deflate }

  private let method: Method
  /// Where the units are, from the beginning of the item; nil for one unit, which is all of it.
  private let places: [(start: UInt64, count: UInt64)]?

  /// - Parameters:
  ///   - compression: The box `cmpC`.
  ///   - units: The box `icef`; without it, the item is one unit.
  /// - Throws: ``CoderError/Code/unsupported`` for a method that is not read, which the message names;
  ///   ``CoderError/Code/malformed``.
  init(_ compression: Box, units: Box?, in file: FileBytes) throws(CoderError) {
    method = try file.read(compression, as: "cmpC") { reader throws(CoderError) in
      let (version, _) = try reader.fullBox()
      guard version == 0 else { throw .unsupported("cmpC of version \(version)") }
      let name = try reader.fourCC("the method of compression")
      let unit = try reader.uint8("the kind of units")
      guard unit <= 4 else { throw .unsupported("compressed units of kind \(unit), 0 to 4 are read") }
      switch "\(name)" {
      case "zlib": return .zlib
      case "defl": return .deflate
      case "brot": throw .unsupported("samples that are compressed with Brotli")
      default: throw .unsupported("samples that are compressed with \(name)")
      }
    }
    places = try units.map { box throws(CoderError) in
      try file.read(box, as: "icef") { reader throws(CoderError) in try Self.places(&reader) }
    }
  }

  private static func places(_ reader: inout ByteReader) throws(CoderError) -> [(start: UInt64, count: UInt64)] {
    let (version, _) = try reader.fullBox()
    guard version == 0 else { throw .unsupported("icef of version \(version)") }
    let codes = Int(try reader.uint8("the sizes of fields"))
    let (startCode, countCode) = (codes >> 5, codes >> 2 & 7)
    guard startCode <= 4, countCode <= 4 else {
      throw .unsupported("icef with fields of codes \(startCode) and \(countCode), 0 to 4 are read")
    }
    let (startBytes, countBytes) = ([0, 2, 3, 4, 8][startCode], [1, 2, 3, 4, 8][countCode])
    let number = Int(try reader.uint32("the number of units"))
    // Memory is taken for as many units as the box has room for.
    guard number <= reader.remaining / (startBytes + countBytes) else {
      throw .malformed("icef has \(reader.remaining) bytes for \(number) units", at: reader.offset)
    }
    var places: [(start: UInt64, count: UInt64)] = []
    places.reserveCapacity(number)
    var next: UInt64 = 0
    for _ in 0..<number {
      let start = startBytes == 0 ? next : try unsigned(&reader, startBytes)
      let count = try unsigned(&reader, countBytes)
      let (end, overflow) = start.addingReportingOverflow(count)
      guard !overflow else { throw .malformed("a unit of \(count) bytes at \(start)", at: reader.offset) }
      places.append((start, count))
      next = end
    }
    return places
  }

  private static func unsigned(_ reader: inout ByteReader, _ bytes: Int) throws(CoderError) -> UInt64 {
    var value: UInt64 = 0
    for _ in 0..<bytes { value = value << 8 | UInt64(try reader.uint8("the place of a unit")) }
    return value
  }

  /// The most that the item's bytes can become: a byte of Deflate gives at most 1032.
  static func most(from count: Int) -> Int {
    let (product, overflow) = count.multipliedReportingOverflow(by: 1032)
    return overflow ? .max : product
  }

  /// Bytes of memory that ``inflate(_:to:count:host:)`` needs for so many bytes.
  static func memory(for count: Int) -> Int { count + 1 + Int(INFLATE_SLACK) + MemoryLayout<inflater>.size }

  /// Inflates the units of an item.
  ///
  /// - Parameters:
  ///   - memory: ``memory(for:)`` bytes.
  ///   - wanted: Bytes that the samples have; what comes after them is left out.
  /// - Returns: How many bytes came out, and why there are no more, or what is wrong with them.
  /// - Throws: ``CoderError/Code/cancelled``, ``CoderError/Code/outOfMemory``.
  func inflate(
    _ bytes: ItemBytes, to memory: UnsafeMutableRawPointer, count wanted: Int, host: CoderHost
  ) throws(CoderError) -> ReadBytes {
    try host.countInflated(wanted)
    let state = try host.allocate(bytes: MemoryLayout<inflater>.size, for: "the state of inflating")
    defer { host.free(state) }
    let stream = UnitStream(
      state: state.bindMemory(to: inflater.self, capacity: 1), isBare: method == .deflate,
      memory: memory.assumingMemoryBound(to: UInt8.self), wanted: wanted)
    return try bytes.withBytes { raw throws(CoderError) in
      var done = 0
      var taken = 0
      for (index, place) in (places ?? [(0, UInt64(raw.count))]).enumerated() where done < wanted {
        guard place.start + place.count <= raw.count else {
          let end = "unit \(index) ends at \(place.start + place.count) of \(raw.count) bytes"
          return ReadBytes(
            count: done, problem: bytes.isCut ? .truncated(end, at: bytes.offset) : .malformed(end, at: bytes.offset))
        }
        // Units that overlap would let a small file ask for much work.
        taken += Int(place.count)
        guard taken <= raw.count else {
          return ReadBytes(count: done, problem: .malformed("units of more than \(raw.count) bytes", at: bytes.offset))
        }
        let unit = UnsafeRawBufferPointer(rebasing: raw[Int(place.start)..<Int(place.start + place.count)])
        let (count, damage) = try stream.inflate(unit, after: done, host: host)
        done = count
        if let damage {
          let at = bytes.offset + Int(place.start)
          return ReadBytes(count: done, problem: damage.error("unit \(index)", at: at, isCut: bytes.isCut))
        }
      }
      guard done < wanted else { return ReadBytes(count: done, problem: nil) }
      let short = "the units hold \(done) of \(wanted) bytes"
      return ReadBytes(
        count: done,
        problem: bytes.isCut ? .truncated(short, at: bytes.offset) : .malformed(short, at: bytes.offset))
    }
  }
}

/// Bytes of an item that could be read.
struct ReadBytes {
  let count: Int
  /// Why there are no more, or what is wrong with those that are there.
  let problem: CoderError?
}

/// Rows that could be read.
struct ReadRows {
  let count: Int
  /// Why there are no more, or what is wrong with those that are there.
  let problem: CoderError?
}

/// Inflates units one after the other into the same memory.
private struct UnitStream {
  let state: UnsafeMutablePointer<inflater>
  /// Whether units have neither the header of zlib nor its checksum.
  let isBare: Bool
  let memory: UnsafeMutablePointer<UInt8>
  let wanted: Int

  enum Damage {
    case checksum, cut
    case stream(String)

    /// - Parameter isCut: Whether the file ends before the item does.
    func error(_ unit: String, at offset: Int, isCut: Bool) -> CoderError {
      switch self {
      case .cut where isCut: .truncated("\(unit) ends inside its stream", at: offset)
      case .checksum: .checksumMismatch("\(unit) has another Adler-32 than is stored", at: offset)
      case .cut: .malformed("\(unit) ends inside its stream", at: offset)
      case .stream(let what): .malformed("\(unit) is no Deflate stream: \(what)", at: offset)
      }
    }
  }

  private static let windowBytes = 256 << 10

  /// - Parameter start: Bytes that earlier units gave, at most `wanted`.
  func inflate(
    _ unit: UnsafeRawBufferPointer, after start: Int, host: CoderHost
  ) throws(CoderError) -> (count: Int, damage: Damage?) {
    inflate_begin(state)
    let history = memory + start
    var out: UnsafeMutablePointer<UInt8>? = history
    // Room for one byte more: only so does the end of the stream come, and its checksum.
    let end = memory + wanted + 1
    func piece(_ bytes: UnsafeRawBufferPointer) -> inflated {
      var next = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
      let last = next.map { $0 + bytes.count }
      return inflate_piece(state, &next, last, history, &out, end)
    }
    func count() -> Int { min(wanted, out.map { $0 - memory } ?? start) }
    if isBare { _ = withUnsafeBytes(of: UInt16(bigEndian: 0x789C)) { piece($0) } }
    var status = INFLATED_INPUT
    var left = unit[...]
    while status == INFLATED_INPUT, !left.isEmpty {
      if host.isCancelled { throw .cancelled }
      let window = left.prefix(Self.windowBytes)
      left = left.dropFirst(window.count)
      status = piece(UnsafeRawBufferPointer(rebasing: window))
    }
    let done = count()
    if isBare, status == INFLATED_INPUT {
      // What the end of a zlib stream would have: a stream that is over takes it for its checksum.
      status = withUnsafeBytes(of: UInt32(0)) { piece($0) }
      if status == INFLATED_UNEQUAL || status == INFLATED_END, count() == done { return (done, nil) }
      return (done, status == INFLATED_OUTPUT && done == wanted ? nil : .cut)
    }
    switch status {
    case INFLATED_INPUT: return (done, .cut)
    case INFLATED_UNEQUAL where !isBare: return (done, .checksum)
    case INFLATED_DAMAGED:
      return (done, .stream(state.pointee.damage.map { String(cString: $0) } ?? "damaged"))
    default: return (done, nil)
    }
  }
}
