// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The text that a picture begins with: a line with the signature, variables, an empty line and the resolution string.
///
/// - Format: Radiance File Formats, "Picture File Format", sections "Information Header" and "Resolution String".
struct HDRHeader {
  /// The signature of any program's files; most have `#?RADIANCE` or `#?RGBE`.
  private static let signature = "#?"

  let variables: HeaderVariables
  let isXYZ: Bool
  /// As stored: pixels of a scanline, and scanlines.
  let canvas: Size
  let orientation: Orientation
  /// Where the scanlines begin.
  let raster: Int

  /// The most bytes of a header, so that it costs no more time than a picture.
  private static let longest = 256 << 10
  /// The most bytes of a program's name in the signature.
  private static let longestName = 64

  /// Reads the header, and waits for no byte after it.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` for a file that is no picture.
  init(reading source: SourceView) throws(CoderError) {
    // A header has no length. Where there is not enough of it, it is read again with more bytes: with each byte, and
    // after the first 4 KiB so that all tries together cost a constant times the header.
    var least = 16
    while true {
      var reader = ByteReader(
        try source.bytes(at: 0, least: least, most: max(least, 4 << 10)), of: "the header")
      do throws(CoderError) {
        self = try HDRHeader(parsing: &reader)
        return
      } catch {
        guard error.code == .truncated, reader.count >= least else { throw error }
      }
      guard least <= Self.longest else { throw .malformed("a header of more than \(Self.longest) bytes", at: 0) }
      least = reader.count + max(1, (reader.count - 4_096) / 8)
    }
  }

  /// - Parameter text: At the first byte of the file, with what is known of it.
  /// - Throws: ``CoderError/Code/truncated`` if that is not all of the header.
  init(parsing text: inout ByteReader) throws(CoderError) {
    let lead = try text.array(min(2, text.remaining))
    guard !lead.isEmpty, lead.elementsEqual(Self.signature.utf8.prefix(lead.count)) else {
      throw .wrongFormat("the file does not begin with \"\(Self.signature)\"", at: 0)
    }
    let program = try Self.program(&text)
    var variables = HeaderVariables()
    while true {
      let line = try text.headerLine("the header")
      if line.isEmpty { break }
      variables.read(line)
    }
    switch variables.format {
    case "32-bit_rle_rgbe": isXYZ = false
    case "32-bit_rle_xyze": isXYZ = true
    // Spectral pictures, and pixels of another size.
    case let format? where format.hasPrefix("32-bit") || format == "Radiance_rle_spectra":
      throw .unsupported("a format of pixels that is neither 32-bit_rle_rgbe nor 32-bit_rle_xyze", at: 0)
    // Radiance's octrees and other files begin as pictures do.
    case _?: throw .wrongFormat("a line FORMAT that is no picture's", at: 0)
    case nil where ["RADIANCE", "RGBE"].contains(program): isXYZ = false
    case nil: throw .wrongFormat("no line FORMAT, and a signature of neither RADIANCE nor RGBE", at: 0)
    }
    self.variables = variables
    let place = text.offset
    let words = try text.headerLine("the resolution string").words
    guard let resolution = Resolution(words) else {
      throw .malformed("a resolution string that is not like \"-Y 480 +X 640\"", at: place)
    }
    canvas = resolution.canvas
    orientation = resolution.orientation
    guard !canvas.isEmpty else { throw .malformed("a canvas of \(canvas), at least 1×1 is needed", at: place) }
    raster = text.offset
  }

  /// The rest of the first line.
  private static func program(_ text: inout ByteReader) throws(CoderError) -> String {
    var name: [UInt8] = []
    while true {
      guard !text.isAtEnd else { throw .truncated("the file ends in the signature", at: text.offset) }
      let byte = try text.uint8()
      if byte == 0x0A { break }
      guard (0x20...0x7E).contains(byte) || byte == 0x0D, name.count < longestName else {
        throw .wrongFormat("a signature that is not a line of text", at: text.offset - 1)
      }
      name.append(byte)
    }
    if name.last == 0x0D { name.removeLast() }
    return String(decoding: name, as: UTF8.self)
  }
}

/// The order of pixels and the size of a picture: `-Y 480 +X 640`.
///
/// - Format: Radiance File Formats, "Resolution String". X grows to the right and Y grows upward. The axis that comes
///   first is that from one scanline to the next; a sign is the direction in the file.
struct Resolution {
  let canvas: Size
  let orientation: Orientation

  init?(_ words: [String]) {
    guard words.count == 4, let scanlines = Self.number(words[1]), let pixels = Self.number(words[3]) else {
      return nil
    }
    canvas = Size(width: pixels, height: scanlines)
    switch (words[0], words[2]) {
    case ("-Y", "+X"): orientation = .up
    case ("-Y", "-X"): orientation = .upMirrored
    case ("+Y", "-X"): orientation = .down
    case ("+Y", "+X"): orientation = .downMirrored
    case ("+X", "-Y"): orientation = .leftMirrored
    case ("-X", "-Y"): orientation = .right
    case ("-X", "+Y"): orientation = .rightMirrored
    case ("+X", "+Y"): orientation = .left
    default: return nil
    }
  }

  /// Digits as a number, the largest one for more digits than it has.
  private static func number(_ word: String) -> Int? {
    guard !word.isEmpty, word.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int(word) ?? .max, Int(Int32.max))
  }
}

extension ByteReader {
  /// The next line without its end, which may be that of Windows.
  fileprivate mutating func headerLine(_ what: String) throws(CoderError) -> [UInt8] {
    let first = position
    var length = 0
    while true {
      guard !isAtEnd else { throw .truncated("the file ends in \(what)", at: offset) }
      if try uint8() == 0x0A { break }
      length += 1
    }
    let line = [UInt8](copying: try bytes(at: first, count: length))
    return line.last == 0x0D ? line.dropLast() : line
  }
}

extension Collection<UInt8> {
  /// Whether a byte is a space or a tab.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// What spaces and tabs separate.
  var words: [String] {
    split(whereSeparator: Self.isBlank).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text without spaces and tabs before and after it.
  var trimmed: String {
    let start = drop(while: Self.isBlank)
    let text = Array(start)
    let end = text.lastIndex { !Self.isBlank($0) }
    return String(decoding: text.prefix(end.map { $0 + 1 } ?? 0), as: UTF8.self)
  }
}
