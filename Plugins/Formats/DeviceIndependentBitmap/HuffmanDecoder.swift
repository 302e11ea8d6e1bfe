// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Decodes bitmaps of one bit per pixel whose rows are runs of T.4's one-dimensional code.
///
/// The first bit is the highest of a byte. Marks of a row's end are taken where they are and not missed where they are
/// not. White is index 0.
///
/// - Format: OS/2 Presentation Manager, BCA_HUFFMAN1D; ITU-T T.4 §4.1, one-dimensional coding.
struct HuffmanDecoder {
  private let bitmap: Bitmap
  private let white: UInt32
  private let black: UInt32

  struct Outcome {
    /// Rows from the first stored one that are complete.
    var rows = 0
    /// Where the source ended too early, or nil.
    var end: Int?
    var error: CoderError?
  }

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
    let colors = bitmap.colors(2)
    (white, black) = (colors[0], colors[1])
  }

  /// Decodes the rows.
  ///
  /// - Parameter body: Gets each row, in the order in which rows are stored.
  func rows(
    from source: SourceView, into line: PixelLine, _ body: (_ row: Int, _ line: PixelLine) throws(CoderError) -> Void
  ) throws(CoderError) -> Outcome {
    var outcome = Outcome()
    var bits = BitWindow(try ByteWindow(source, at: bitmap.pixelOffset, count: bitmap.header.imageByteCount))
    let height = bitmap.size.height
    while outcome.rows < height {
      // T.4 §4.1.4: six marks in a row end the page.
      if try bits.skipMarks() >= 6 { break }
      var isWhite = true
      while line.x < line.width {
        let length = try run(&bits, isWhite ? Self.whiteCodes : Self.blackCodes)
        guard length >= 0 else { break }
        let color = isWhite ? white : black
        line.run(length, color, color)
        isWhite.toggle()
      }
      if line.x < line.width {
        // A mark inside a row ends it, and the rest is white.
        guard line.x > 0, try bits.skipMarks() > 0 else {
          if !bits.isAtEnd {
            outcome.error = .malformed("a code that T.4 does not have, in row \(outcome.rows)", at: bits.place)
            return outcome
          }
          break
        }
        line.run(line.width, white, white)
      }
      try body(outcome.rows, line)
      outcome.rows &+= 1
      line.clear()
    }
    if outcome.rows < height { outcome.end = bits.place }
    return outcome
  }

  /// The length of a run: any number of make-up codes and a terminating code. -1 when there is no such code.
  private func run(_ bits: inout BitWindow, _ codes: [UInt16]) throws(CoderError) -> Int {
    var length = 0
    while true {
      let entry = Int(codes[try bits.peek()])
      guard entry > 0, bits.take(entry & 15) else { return -1 }
      let part = (entry >> 4) &- 1
      length = min(length &+ part, bitmap.size.width)
      if part < 64 { return length }
    }
  }
}

/// Bits of a stream, the highest of each byte first, up to 13 at a time.
private struct BitWindow {
  private var stream: ByteWindow
  private var bits: UInt32 = 0
  private var count = 0
  private var hasEnded = false

  init(_ stream: ByteWindow) { self.stream = stream }

  var place: Int { stream.place }
  var isAtEnd: Bool { hasEnded }

  /// The next 13 bits; after the end they are 0.
  mutating func peek() throws(CoderError) -> Int {
    while count < 13, !hasEnded {
      let byte = try stream.next()
      if byte < 0 {
        hasEnded = true
      } else {
        bits = bits << 8 | UInt32(truncatingIfNeeded: byte)
        count &+= 8
      }
    }
    let shown = count >= 13 ? bits >> UInt32(count &- 13) : bits << UInt32(13 &- count)
    return Int(shown & 0x1FFF)
  }

  /// Takes bits that have been seen; false when the source has fewer.
  mutating func take(_ length: Int) -> Bool {
    guard length <= count else { return false }
    count &-= length
    bits &= (1 << UInt32(count)) &- 1
    return true
  }

  /// Takes marks of a row's end, eleven zeros or more and a one, and counts them.
  mutating func skipMarks() throws(CoderError) -> Int {
    var marks = 0
    while try peek() >> 2 == 0 {
      // Zeros fill up before a mark.
      while try peek() >> 12 == 0 {
        guard take(1) else { return marks }
      }
      guard take(1) else { return marks }
      marks &+= 1
    }
    return marks
  }
}

extension HuffmanDecoder {
  fileprivate static let whiteCodes = table(terminating: whiteTerminating, makeUp: whiteMakeUp)
  fileprivate static let blackCodes = table(terminating: blackTerminating, makeUp: blackMakeUp)

  /// For each 13 bits, the code that they begin with: its run and 1 more, times 16, and its length. 0 for none.
  private static func table(terminating: String, makeUp: String) -> [UInt16] {
    var table = [UInt16](repeating: 0, count: 1 << 13)
    func add(_ codes: String, _ run: (Int) -> Int) {
      for (index, code) in codes.split(separator: " ").enumerated() {
        guard let value = Int(code, radix: 2) else { continue }
        let free = 13 - code.count
        let entry = UInt16(truncatingIfNeeded: (run(index) + 1) << 4 | code.count)
        for rest in 0..<(1 << free) { table[value << free | rest] = entry }
      }
    }
    add(terminating) { $0 }
    add(makeUp + " " + longMakeUp) { ($0 + 1) * 64 }
    return table
  }

  // T.4, tables 2, 3a and 3b: codes of runs of 0 to 63, of 64 to 1,728 in steps of 64, and of 1,792 to 2,560.
  private static let whiteTerminating = """
    00110101 000111 0111 1000 1011 1100 1110 1111 10011 10100 00111 01000 001000 000011 110100 110101 \
    101010 101011 0100111 0001100 0001000 0010111 0000011 0000100 0101000 0101011 0010011 0100100 0011000 00000010 \
    00000011 00011010 00011011 00010010 00010011 00010100 00010101 00010110 00010111 00101000 00101001 00101010 \
    00101011 00101100 00101101 00000100 00000101 00001010 00001011 01010010 01010011 01010100 01010101 00100100 \
    00100101 01011000 01011001 01011010 01011011 01001010 01001011 00110010 00110011 00110100
    """
  private static let whiteMakeUp = """
    11011 10010 010111 0110111 00110110 00110111 01100100 01100101 01101000 01100111 011001100 011001101 011010010 \
    011010011 011010100 011010101 011010110 011010111 011011000 011011001 011011010 011011011 010011000 010011001 \
    010011010 011000 010011011
    """
  private static let blackTerminating = """
    0000110111 010 11 10 011 0011 0010 00011 000101 000100 0000100 0000101 0000111 00000100 00000111 000011000 \
    0000010111 0000011000 0000001000 00001100111 00001101000 00001101100 00000110111 00000101000 00000010111 \
    00000011000 000011001010 000011001011 000011001100 000011001101 000001101000 000001101001 000001101010 \
    000001101011 000011010010 000011010011 000011010100 000011010101 000011010110 000011010111 000001101100 \
    000001101101 000011011010 000011011011 000001010100 000001010101 000001010110 000001010111 000001100100 \
    000001100101 000001010010 000001010011 000000100100 000000110111 000000111000 000000100111 000000101000 \
    000001011000 000001011001 000000101011 000000101100 000001011010 000001100110 000001100111
    """
  private static let blackMakeUp = """
    0000001111 000011001000 000011001001 000001011011 000000110011 000000110100 000000110101 0000001101100 \
    0000001101101 0000001001010 0000001001011 0000001001100 0000001001101 0000001110010 0000001110011 0000001110100 \
    0000001110101 0000001110110 0000001110111 0000001010010 0000001010011 0000001010100 0000001010101 0000001011010 \
    0000001011011 0000001100100 0000001100101
    """
  private static let longMakeUp = """
    00000001000 00000001100 00000001101 000000010010 000000010011 000000010100 000000010101 000000010110 \
    000000010111 000000011100 000000011101 000000011110 000000011111
    """
}
