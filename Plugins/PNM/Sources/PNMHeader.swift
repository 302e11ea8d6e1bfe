// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The header of one picture.
///
/// - Format: pbm(5), pgm(5), ppm(5) and pam(5) of Netpbm; PFM, the portable float map.
struct PNMHeader {
  /// How samples are stored.
  enum Storage: Equatable {
    /// Digits with white space between them.
    case plain
    /// Digits 0 and 1; 1 is black.
    case plainBits
    /// Bits, each row filled up to a byte; 1 is black.
    case bits
    /// Bytes, or two of them with the upper one first.
    case raw(bytes: Int)
    /// Numbers of 32 bits.
    case float(isLittleEndian: Bool)
  }

  /// `P6`.
  let kind: String
  let canvas: Size
  let storage: Storage
  /// Samples of a pixel as stored, and those that are color and alpha.
  let depth: Int
  let colors: Int
  let hasAlpha: Bool
  /// Whether the first four samples are inks, of which three colors are made.
  private(set) var hasInks = false
  let maximum: Int
  let tupleType: String?
  /// PFM's, without its sign.
  let scale: Double?
  /// Whether the first stored row is the lowest.
  private(set) var rowsGoUp = false
  /// Where the samples begin.
  let raster: Int
  /// Where the header begins.
  private(set) var start = 0

  /// Bytes of a header, so that it costs no more time than a picture.
  private static let longest = 256 << 10

  /// Reads a header, and waits for no byte after it.
  ///
  /// - Parameter start: Where it begins in the source.
  /// - Throws: ``CoderError/Code/wrongFormat`` when no picture begins here.
  init(reading source: SourceView, at start: Int) throws(CoderError) {
    // A header has no length. What is not enough of it is read again with more: with each byte, and after the first
    // 4 KiB so that all tries together cost a constant times the header.
    var least = 8
    while true {
      var reader = ByteReader(
        try source.bytes(at: start, least: least, most: max(least, 4 << 10)), at: start, of: "the header")
      do throws(CoderError) {
        self = try PNMHeader(parsing: &reader)
        self.start = start
        return
      } catch {
        guard error.code == .truncated, reader.count >= least else { throw error }
      }
      guard least <= Self.longest else {
        throw .malformed("a header of more than \(Self.longest) bytes, comments among them", at: start)
      }
      least = reader.count + max(1, (reader.count - 4_096) / 8)
    }
  }

  /// The texts of comments in the header: of PAM and PFM, whose headers consist of lines, a comment is a line.
  func comments(in source: SourceView) throws(CoderError) -> [ContainerText] {
    let bytes = try source.bytes(at: start, count: raster - start, of: "the header")
    let hasLines = ["P7", "PF", "Pf"].contains(kind)
    return bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }).compactMap { line in
      guard let mark = line.firstIndex(of: UInt8(ascii: "#")), !hasLines || mark == line.startIndex else { return nil }
      return ContainerText(comment: Array(line[(mark + 1)...]))
    }
  }

  /// - Parameter text: At the first byte of the header, with what is known of the file from there on.
  /// - Throws: ``CoderError/Code/truncated`` when that is not all of the header.
  init(parsing text: inout ByteReader) throws(CoderError) {
    let start = text.offset
    let lead = try text.array(min(3, text.remaining))
    guard lead.first == UInt8(ascii: "P"), lead.count < 2 || Array("1234567Ff".utf8).contains(lead[1]),
      lead.count < 3 || lead[2].isPNMSpace || lead[2] == UInt8(ascii: "#")
    else { throw .wrongFormat("no \"P\" with 1 to 7, F or f and white space", at: start) }
    guard lead.count == 3 else { throw .truncated("\(lead.count) bytes of a header", at: start + lead.count) }
    // What follows the name may begin a comment.
    try text.seek(to: text.position - 1)
    let name = "P\(Character(Unicode.Scalar(lead[1])))"
    switch name {
    case "P7":
      self = try PNMHeader(arbitraryMap: &text)
    case "PF", "Pf":
      self = try PNMHeader(floatMap: &text, kind: name)
    default:
      kind = name
      canvas = Size(width: try text.headerNumber("the width"), height: try text.headerNumber("the height"))
      let isBitmap = kind == "P1" || kind == "P4"
      maximum = isBitmap ? 1 : try text.headerNumber("the maxval")
      try Self.check(maximum: maximum, at: text.offset)
      storage =
        switch kind {
        case "P1": .plainBits
        case "P4": .bits
        case "P2", "P3": .plain
        default: .raw(bytes: maximum > 255 ? 2 : 1)
        }
      colors = kind == "P3" || kind == "P6" ? 3 : 1
      depth = colors
      (hasAlpha, tupleType, scale, raster) = (false, nil, nil, text.offset)
    }
    guard !canvas.isEmpty else { throw .malformed("a canvas of \(canvas), at least 1×1 is needed", at: start) }
  }

  /// A PAM header: lines of a name and a value, until `ENDHDR`.
  private init(arbitraryMap text: inout ByteReader) throws(CoderError) {
    var numbers: [String: Int] = [:]
    var tuple: [String] = []
    _ = try text.headerLine("the signature's line")
    while true {
      let words = try text.headerLine("the header")
      guard let name = words.first else { continue }
      if name == "ENDHDR" { break }
      switch name {
      case "WIDTH", "HEIGHT", "DEPTH", "MAXVAL":
        guard words.count == 2, let value = UInt32(words[1]) else {
          throw .malformed("\(name) is not one number", at: text.offset)
        }
        numbers[name] = Int(value)
      // Several lines are one type, with a space between them.
      case "TUPLTYPE": if tuple.count < 16 { tuple += words.dropFirst() }
      default: throw .malformed("a line that begins with neither a known name nor #", at: text.offset)
      }
    }
    let end = text.offset
    func number(_ name: String) throws(CoderError) -> Int {
      guard let value = numbers[name] else { throw .malformed("a header without \(name)", at: end) }
      return value
    }
    kind = "P7"
    canvas = Size(width: try number("WIDTH"), height: try number("HEIGHT"))
    maximum = try number("MAXVAL")
    depth = try number("DEPTH")
    try Self.check(maximum: maximum, at: text.offset)
    guard (1...65_535).contains(depth) else {
      throw .malformed("a depth of \(depth), 1 to 65535 is allowed", at: text.offset)
    }
    let type = tuple.joined(separator: " ")
    switch (type, depth) {
    case ("BLACKANDWHITE", 1...), ("GRAYSCALE", 1...): (colors, hasAlpha) = (1, false)
    case ("BLACKANDWHITE_ALPHA", 2...), ("GRAYSCALE_ALPHA", 2...): (colors, hasAlpha) = (1, true)
    case ("RGB", 3...): (colors, hasAlpha) = (3, false)
    case ("RGB_ALPHA", 4...): (colors, hasAlpha) = (3, true)
    case ("CMYK", 4...): (colors, hasAlpha, hasInks) = (3, false, true)
    case ("CMYK_ALPHA", 5...): (colors, hasAlpha, hasInks) = (3, true, true)
    case ("BLACKANDWHITE_ALPHA", _), ("GRAYSCALE_ALPHA", _), ("RGB", _), ("RGB_ALPHA", _), ("CMYK", _),
      ("CMYK_ALPHA", _):
      throw .malformed("a depth of \(depth) is too little for \(type)", at: text.offset)
    case (_, 5...):
      throw .unsupported("tuples of \(depth) samples of type \"\(type)\"", at: text.offset)
    default: (colors, hasAlpha) = (depth < 3 ? 1 : 3, depth == 2 || depth == 4)
    }
    storage = .raw(bytes: maximum > 255 ? 2 : 1)
    (tupleType, scale, raster) = (type.isEmpty ? nil : type, nil, text.offset)
  }

  /// A PFM header: width, height, and a scale, the sign of which is the byte order.
  private init(floatMap text: inout ByteReader, kind: String) throws(CoderError) {
    self.kind = kind
    let width = try text.headerNumber("the width")
    // Photoshop writes each side on a line of its own, and rows from the top, against PFM's rule.
    let isPhotoshop = try text.uint8(at: text.position - 1) != 0x20
    canvas = Size(width: width, height: try text.headerNumber("the height"))
    var words: [String] = []
    while words.isEmpty { words = try text.headerLine("the scale") }
    guard words.count == 1, let value = Double(words[0]), value.isFinite, value != 0 else {
      throw .malformed("a scale that is not a number other than 0", at: text.offset)
    }
    storage = .float(isLittleEndian: value < 0)
    rowsGoUp = !isPhotoshop
    colors = kind == "PF" ? 3 : 1
    (depth, hasAlpha, maximum, tupleType) = (colors, false, 1, nil)
    (scale, raster) = (value.magnitude, text.offset)
  }

  private static func check(maximum: Int, at offset: Int) throws(CoderError) {
    guard (1...65_535).contains(maximum) else {
      throw .malformed("a maxval of \(maximum), 1 to 65535 is allowed", at: offset)
    }
  }

  /// Whether numbers are digits.
  var isPlain: Bool { storage == .plain || storage == .plainBits }

  /// Whether no other picture follows: digits cannot be told from what follows them.
  var standsAlone: Bool { isPlain || isFloat }

  var isFloat: Bool {
    if case .float = storage { return true }
    return false
  }

  /// Bytes of a row as stored, saturated; 0 for digits.
  var rowBytes: Int {
    let samples = canvas.width.multipliedReportingOverflow(by: depth)
    let bytes =
      switch storage {
      case .plain, .plainBits: (partialValue: 0, overflow: false)
      case .bits: (partialValue: (canvas.width - 1) / 8 + 1, overflow: false)
      case .raw(let size): samples.partialValue.multipliedReportingOverflow(by: size)
      case .float: samples.partialValue.multipliedReportingOverflow(by: 4)
      }
    return samples.overflow || bytes.overflow ? .max : bytes.partialValue
  }

  /// Bytes of all rows, saturated.
  var rasterBytes: Int {
    let (bytes, overflow) = rowBytes.multipliedReportingOverflow(by: canvas.height)
    return overflow ? .max : bytes
  }

  var bitsPerChannel: Int { isFloat ? 32 : Int.bitWidth - maximum.leadingZeroBitCount }

  /// The layout of four inks.
  var inkFormat: RowFormat { maximum > 255 ? .cmyk16 : .cmyk8 }

  /// What rows of a float map are delivered in.
  var floatFormat: RowFormat? { isFloat ? (colors == 1 ? .grayFloat32 : .rgbFloat32) : nil }

  /// The narrowest layout that holds all samples.
  var pixelFormat: PixelFormat {
    if isFloat { return .rgbaFloat32 }
    return switch (colors, hasAlpha, maximum > 255) {
    case (1, false, false): .gray8
    case (1, true, false): .grayAlpha8
    case (1, false, true): .gray16
    case (1, true, true): .grayAlpha16
    case (_, false, false): .rgb8
    case (_, true, false): .rgba8
    case (_, false, true): .rgb16
    case (_, true, true): .rgba16
    }
  }
}

extension ContainerText {
  /// A comment, without the space that it begins with; nil for one that says nothing.
  init?(comment: [UInt8]) {
    self.init(decoding: Array(comment.drop(while: \.isPNMSpace)))
    if text.isEmpty { return nil }
  }
}
