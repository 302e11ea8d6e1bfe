// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What segments between scans say of how the next ones are coded: ITU-T T.81 B.2.4.
struct CodingTables {
  /// MCUs between restart markers, or 0.
  private(set) var restartInterval = 0
  /// By class and number, in the upper and lower four bits.
  private var huffman: [UInt8: HuffmanTable] = [:]
  private var quantizers: [UInt8: [Int]] = [:]

  /// The table of codes for DC coefficients, or for differences of the lossless process.
  func dc(_ number: Int) -> HuffmanTable? { UInt8(exactly: number).flatMap { huffman[$0] } }

  func ac(_ number: Int) -> HuffmanTable? { UInt8(exactly: number).flatMap { huffman[0x10 | $0] } }

  /// 64 steps in the order of rows.
  func quantizer(_ number: Int) -> [Int]? { UInt8(exactly: number).flatMap { quantizers[$0] } }

  /// Takes a segment that has tables; others are passed over.
  ///
  /// - Parameter place: Of the payload in the file.
  /// - Throws: ``CoderError/Code/malformed``.
  mutating func read(_ marker: UInt8, _ payload: UnsafeBufferPointer<UInt8>, at place: Int) throws(CoderError) {
    switch marker {
    case 0xC4: try readHuffmanTables(payload, at: place)
    case 0xDB: try readQuantizers(payload, at: place)
    case 0xDD where payload.count >= 2: restartInterval = Self.number(payload, at: 0)
    default: break
    }
  }

  private static func number(_ payload: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    Int(payload[index]) << 8 | Int(payload[index + 1])
  }

  /// B.2.4.2.
  private mutating func readHuffmanTables(
    _ payload: UnsafeBufferPointer<UInt8>, at place: Int
  ) throws(CoderError) {
    var index = 0
    while index + 17 <= payload.count {
      let kind = payload[index]
      let counts = Array(payload[(index + 1)..<(index + 17)])
      let count = counts.reduce(0) { $0 + Int($1) }
      guard kind & 15 < 4, kind >> 4 < 2, index + 17 + count <= payload.count else {
        throw .malformed(
          "a Huffman table of \(count) codes in a segment of \(payload.count) bytes", at: place + index)
      }
      huffman[kind] = try HuffmanTable(
        counts: counts, values: Array(payload[(index + 17)..<(index + 17 + count)]), at: place + index)
      index += 17 + count
    }
  }

  /// B.2.4.1.
  private mutating func readQuantizers(_ payload: UnsafeBufferPointer<UInt8>, at place: Int) throws(CoderError) {
    var index = 0
    while index < payload.count {
      let kind = payload[index]
      let width = kind >> 4 == 0 ? 1 : 2
      guard kind & 15 < 4, kind >> 4 < 2, index + 1 + 64 * width <= payload.count else {
        throw .malformed("a quantization table that does not fit its segment", at: place + index)
      }
      var table = [Int](repeating: 0, count: 64)
      for step in 0..<64 {
        let at = index + 1 + step * width
        table[TransformScan.order[step]] = width == 1 ? Int(payload[at]) : Self.number(payload, at: at)
      }
      quantizers[kind & 15] = table
      index += 1 + 64 * width
    }
  }
}

/// What application segments say of the colors.
struct ColorSegments {
  /// T.872 §6.5.3.
  private var adobeTransform: UInt8?
  private var hasJFIF = false

  /// Takes a segment that says something of the colors; others are passed over.
  mutating func read(_ marker: UInt8, _ payload: UnsafeBufferPointer<UInt8>) {
    switch marker {
    case 0xE0: hasJFIF = hasJFIF || payload.count >= 5 && payload[0] == UInt8(ascii: "J")
    case 0xEE where payload.count >= 12 && payload[0] == UInt8(ascii: "A"): adobeTransform = payload[11]
    default: break
    }
  }

  /// Whether three channels are luma and chroma, as libjpeg decides it, rather than red, green and blue.
  func isLuma(_ frame: FrameParameters) -> Bool {
    guard frame.channels.count == 3 else { return false }
    // Files of the lossless process say when they have luma.
    if frame.process == .lossless { return hasJFIF || adobeTransform == 1 }
    return hasJFIF || (adobeTransform.map { $0 != 0 } ?? (frame.channels.map(\.identifier) != Array("RGB".utf8)))
  }
}
