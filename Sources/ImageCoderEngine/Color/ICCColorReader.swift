// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Reads what an ICC profile says of samples, and refuses one that cannot be right or would take a library too long.
///
/// - Format: ICC.1:2022; versions 2 and 4.
package struct ICCColorReader: ~Copyable, ~Escapable {
  /// Bytes of a profile, at most. CMYK profiles of printers have a few million.
  static let maxBytes = 16 << 20
  private static let maxTags = 100
  /// Elements of a chain of calculations, at most. A library runs each of them for every pixel.
  private static let maxElements: UInt32 = 64
  /// Entries of a curve, at most (§10.6: the count has 32 bits).
  private static let maxEntries = 65_535
  private static let exponents = 0.1...10.0

  private let reader: ByteReader
  private let tags: [FourCC: Range<Int>]

  /// Reads a profile.
  ///
  /// - Parameters:
  ///   - bytes: The profile.
  ///   - isGray: Whether the samples that it is for are gray.
  ///   - isInks: Whether they are cyan, magenta, yellow and black.
  ///   - readsTables: Whether there is a library for tables. Without it, a profile that has a matrix, too, is read by that.
  /// - Throws: ``CoderError/Code/malformed`` or ``CoderError/Code/unsupported`` with what is wrong with it.
  package static func space(
    _ bytes: [UInt8], isGray: Bool, isInks: Bool = false, readsTables: Bool = TableConverter.isAvailable
  ) throws(CoderError) -> ColorSpace {
    guard bytes.count <= maxBytes else {
      throw .unsupported("\(bytes.count) bytes, \(maxBytes) are allowed")
    }
    let reader = ByteReader(bytes.span.bytes, of: "the ICC profile")
    let tags = try tags(reader)
    for (name, place) in tags { try checkTables(reader, name, place) }
    let profile = ICCColorReader(reader: reader, tags: tags)
    var space = try isInks ? profile.inks() : profile.space(isGray: isGray, readsTables: readsTables)
    // Pixels of colors that are all gray may have a profile of gray, which no other program takes for them.
    space.profile = !isGray && !isInks && profile.reader.has("GRAY", at: 16) ? nil : bytes
    space.mediaWhite = try profile.mediaWhite()
    return space
  }

  @_lifetime(copy reader)
  private init(reader: consuming ByteReader, tags: [FourCC: Range<Int>]) {
    self.reader = reader
    self.tags = tags
  }

  /// §7.3: the tags by their signatures, with their places, all of them inside the profile.
  private static func tags(_ reader: borrowing ByteReader) throws(CoderError) -> [FourCC: Range<Int>] {
    guard reader.count >= 132 else { throw .malformed("\(reader.count) bytes, a profile has at least 132") }
    guard reader.has("acsp", at: 36) else { throw .malformed("no signature acsp", at: 36) }
    // §7.2.2. A number that is too large hurts nobody.
    let size = min(Int(try reader.uint32(at: 0)), reader.count)
    let count = Int(try reader.uint32(at: 128))
    guard count <= maxTags else { throw .malformed("\(count) tags, \(maxTags) are allowed", at: 128) }
    var tags: [FourCC: Range<Int>] = [:]
    for index in 0..<count {
      let entry = 132 + index * 12
      let name = FourCC(rawValue: try reader.uint32(at: entry))
      let place = Int(try reader.uint32(at: entry + 4))
      let length = Int(try reader.uint32(at: entry + 8))
      guard place >= 128, length <= size - min(place, size), length >= 8 else {
        throw .malformed("tag \(name) has \(length) bytes at \(place) of \(size)", at: entry)
      }
      if tags[name] == nil { tags[name] = place..<(place + length) }
    }
    return tags
  }

  private func space(isGray: Bool, readsTables: Bool) throws(CoderError) -> ColorSpace {
    for kind in ["link", "abst", "nmcl"] as [StaticString] where reader.has(kind, at: 12) {
      throw .unsupported("a profile of class \(kind), which describes no picture")
    }
    let ofGray = reader.has("GRAY", at: 16)
    guard ofGray || !isGray && reader.has("RGB ", at: 16) else {
      let found = FourCC(rawValue: try reader.uint32(at: 16))
      throw .unsupported("a profile of \(found), the pixels are \(isGray ? "gray" : "RGB")")
    }
    let name = ICCProfile.text(tags[FourCC("desc")], reader) ?? "unnamed"
    if let points = try points(), let space = ColorSpace(points), space.isHDR { return space }
    // §8.10: tables come before matrix and curves.
    let hasTables = tags[FourCC("A2B0")] != nil || tags[FourCC("A2B1")] != nil
    let hasMatrix = tags[FourCC("rXYZ")] != nil && reader.has("XYZ ", at: 20)
    if hasTables, !ofGray, readsTables || !hasMatrix { return ColorSpace(name, .tables) }
    guard reader.has("XYZ ", at: 20) || ofGray else { throw .malformed("neither matrix nor tables", at: 20) }
    if ofGray {
      let curve = try curve("kTRC")
      guard !isGray, let matrix = Chromaticities.sRGB.toXYZ else { return ColorSpace(name, .gray(curve)) }
      return ColorSpace(name, .rgb(toXYZ: matrix, curves: [curve, curve, curve]))
    }
    let matrix = Matrix3(columns: try xyz("rXYZ"), try xyz("gXYZ"), try xyz("bXYZ"))
    guard matrix.determinant.magnitude >= 1e-4 else {
      throw .malformed("colorants with the determinant \(matrix.determinant), at least 0.0001 is allowed")
    }
    return ColorSpace(name, .rgb(toXYZ: matrix, curves: [try curve("rTRC"), try curve("gTRC"), try curve("bTRC")]))
  }

  /// A profile of four inks, which has tables alone.
  private func inks() throws(CoderError) -> ColorSpace {
    guard reader.has("CMYK", at: 16) else {
      throw .unsupported("a profile of \(FourCC(rawValue: try reader.uint32(at: 16))), the pixels are CMYK")
    }
    guard !reader.has("link", at: 12) else { throw .unsupported("a profile of class link, which describes no picture") }
    guard tags[FourCC("A2B0")] != nil || tags[FourCC("A2B1")] != nil else { throw .malformed("no tables", at: 20) }
    return ColorSpace(ICCProfile.text(tags[FourCC("desc")], reader) ?? "unnamed", .inks)
  }

  /// §9.2.36: of displays, version 2 has the white before it was adapted, which is none of paper.
  private func mediaWhite() throws(CoderError) -> SIMD3<Double> {
    guard tags[FourCC("wtpt")] != nil, try reader.uint8(at: 8) >= 4 || !reader.has("mntr", at: 12),
      let white = try? xyz("wtpt"), white.min() > 0.01
    else { return Chromaticities.d50 }
    return white
  }

  /// §9.2.17: code points.
  private func points() throws(CoderError) -> CodingIndependentCodePoints? {
    guard let place = tags[FourCC("cicp")], place.count >= 12 else { return nil }
    return CodingIndependentCodePoints(
      primaries: try reader.uint8(at: place.lowerBound + 8), transfer: try reader.uint8(at: place.lowerBound + 9),
      matrix: try reader.uint8(at: place.lowerBound + 10),
      isFullRange: try reader.uint8(at: place.lowerBound + 11) != 0)
  }

  /// §4.6: an s15Fixed16Number.
  private func fixed(at place: Int) throws(CoderError) -> Double {
    Double(Int32(bitPattern: try reader.uint32(at: place))) / 65_536
  }

  private func tag(_ name: StaticString, atLeast count: Int) throws(CoderError) -> Range<Int> {
    guard let place = tags[FourCC(name)] else { throw .malformed("no tag \(name)") }
    guard place.count >= count else {
      throw .malformed("tag \(name) has \(place.count) bytes, at least \(count) are needed", at: place.lowerBound)
    }
    return place
  }

  private func xyz(_ name: StaticString) throws(CoderError) -> SIMD3<Double> {
    let place = try tag(name, atLeast: 20).lowerBound
    guard reader.has("XYZ ", at: place) else { throw .malformed("tag \(name) is no XYZ", at: place) }
    let value = SIMD3(try fixed(at: place + 8), try fixed(at: place + 12), try fixed(at: place + 16))
    guard value.x.magnitude <= 2, value.y.magnitude <= 2, value.z.magnitude <= 2 else {
      throw .malformed("tag \(name) is \(value.x) \(value.y) \(value.z), 2 is allowed", at: place)
    }
    return value
  }

  // MARK: Curves

  private func curve(_ name: StaticString) throws(CoderError) -> ToneCurve {
    let place = try tag(name, atLeast: 12)
    let start = place.lowerBound
    let curve: ToneCurve
    if reader.has("curv", at: start) {
      curve = try sampled(name, place)
    } else if reader.has("para", at: start) {
      curve = try parametric(name, place)
    } else {
      throw .malformed("tag \(name) is no curve", at: start)
    }
    let (dark, bright) = (curve.light(0), curve.light(1))
    guard dark.isFinite, bright.isFinite, dark < bright, bright <= 4 else {
      throw .malformed("the curve of tag \(name) goes from \(dark) to \(bright)", at: start)
    }
    return curve
  }

  /// §10.6
  private func sampled(_ name: StaticString, _ place: Range<Int>) throws(CoderError) -> ToneCurve {
    let start = place.lowerBound
    let count = Int(try reader.uint32(at: start + 8))
    guard count <= Self.maxEntries, place.count >= 12 + count * 2 else {
      throw .malformed("tag \(name) has \(count) entries in \(place.count) bytes", at: start + 8)
    }
    if count == 0 { return .linear }
    if count == 1 { return .gamma(try exponent(Double(try reader.uint16(at: start + 12)) / 256, name, start)) }
    var entries: [UInt16] = []
    entries.reserveCapacity(count)
    for index in 0..<count { entries.append(try reader.uint16(at: start + 12 + index * 2)) }
    return .table(entries)
  }

  /// §10.18
  private func parametric(_ name: StaticString, _ place: Range<Int>) throws(CoderError) -> ToneCurve {
    let start = place.lowerBound
    let function = try reader.uint16(at: start + 8)
    let counts = [1, 3, 4, 5, 7]
    guard function < counts.count, place.count >= 12 + counts[Int(function)] * 4 else {
      throw .malformed("tag \(name) has function \(function) in \(place.count) bytes", at: start + 8)
    }
    var values: [Double] = []
    for index in 0..<counts[Int(function)] { values.append(try fixed(at: start + 12 + index * 4)) }
    let gamma = try exponent(values[0], name, start)
    if function == 0 { return .gamma(gamma) }
    var power = ToneCurve.PowerCurve(g: gamma, a: values[1], b: values[2])
    guard power.a > 0 else { throw .malformed("tag \(name) multiplies by \(power.a)", at: start) }
    switch function {
    case 1: power.d = -power.b / power.a
    case 2:
      power.d = -power.b / power.a
      (power.e, power.f) = (values[3], values[3])
    default:
      (power.c, power.d) = (values[3], values[4])
      if function == 4 { (power.e, power.f) = (values[5], values[6]) }
    }
    return .parametric(power)
  }

  private func exponent(_ value: Double, _ name: StaticString, _ place: Int) throws(CoderError) -> Double {
    guard Self.exponents.contains(value) else {
      throw .malformed("tag \(name) has the exponent \(value), 0.1 to 10 is allowed", at: place)
    }
    return value
  }

  // MARK: Tables

  /// Checks that tables are as large as they say, and chains are short.
  private static func checkTables(
    _ reader: borrowing ByteReader, _ name: FourCC, _ place: Range<Int>
  ) throws(CoderError) {
    let start = place.lowerBound
    if reader.has("mpet", at: start) {
      let count = place.count >= 16 ? try reader.uint32(at: start + 12) : .max
      guard count <= maxElements else {
        throw .malformed("tag \(name) has \(count) elements, \(maxElements) are allowed", at: start + 12)
      }
    }
    let isByte = reader.has("mft1", at: start)
    if isByte || reader.has("mft2", at: start) {
      // §10.10, §10.11: tables before and after a grid.
      guard place.count >= 52 else { throw .malformed("tag \(name) has \(place.count) bytes", at: start) }
      let (inputs, outputs) = (Int(try reader.uint8(at: start + 8)), Int(try reader.uint8(at: start + 9)))
      let grid = [Int](repeating: Int(try reader.uint8(at: start + 10)), count: max(inputs, 1))
      let before = isByte ? 256 : Int(try reader.uint16(at: start + 48))
      let after = isByte ? 256 : Int(try reader.uint16(at: start + 50))
      guard (2...4096).contains(before), (2...4096).contains(after) else {
        throw .malformed("tag \(name) has curves of \(before) and \(after) entries", at: start + 48)
      }
      let cells = try nodes(grid, name, start) * outputs
      let bytes = (isByte ? 48 : 52) + (before * inputs + after * outputs + cells) * (isByte ? 1 : 2)
      try checkChannels(inputs, outputs, name, start)
      guard bytes <= place.count else {
        throw .malformed("tag \(name) needs \(bytes) bytes and has \(place.count)", at: start)
      }
    }
    guard reader.has("mAB ", at: start) || reader.has("mBA ", at: start) else { return }
    // §10.12, §10.13: offsets of curves, matrix and grid.
    guard place.count >= 32 else { throw .malformed("tag \(name) has \(place.count) bytes", at: start) }
    let (inputs, outputs) = (Int(try reader.uint8(at: start + 8)), Int(try reader.uint8(at: start + 9)))
    try checkChannels(inputs, outputs, name, start)
    let offset = Int(try reader.uint32(at: start + 24))
    guard offset != 0 else { return }
    guard offset <= place.count - 20 else {
      throw .malformed("tag \(name) has its grid at \(offset) of \(place.count) bytes", at: start + 24)
    }
    var grid: [Int] = []
    for index in 0..<inputs { grid.append(Int(try reader.uint8(at: start + offset + index))) }
    let width = Int(try reader.uint8(at: start + offset + 16))
    let bytes = try nodes(grid, name, start) * outputs * width
    guard width == 1 || width == 2, bytes <= place.count - offset - 20 else {
      throw .malformed("tag \(name) needs a grid of \(bytes) bytes and has \(place.count)", at: start + offset)
    }
  }

  private static func checkChannels(
    _ inputs: Int, _ outputs: Int, _ name: FourCC, _ place: Int
  ) throws(CoderError) {
    guard (1...4).contains(inputs), (1...4).contains(outputs) else {
      throw .unsupported("tag \(name) makes \(outputs) channels of \(inputs), 1 to 4 are known", at: place)
    }
  }

  /// Points of a grid.
  private static func nodes(_ grid: [Int], _ name: FourCC, _ place: Int) throws(CoderError) -> Int {
    var nodes = 1
    for side in grid {
      guard side >= 2, nodes <= maxBytes else {
        throw .malformed("tag \(name) has a grid with the sides \(grid)", at: place)
      }
      nodes *= side
    }
    return nodes
  }
}
