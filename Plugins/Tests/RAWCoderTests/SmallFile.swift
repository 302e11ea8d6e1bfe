// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin

@testable import RAWCoder

/// A DNG file: a mosaic of two by two with green in two corners, in 16 bits.
///
/// - Format: Digital Negative Specification 1.4; TIFF 6.0 §2.
struct SmallFile {
  /// LibRaw reads no picture of fewer than 22 rows.
  var size = Size(width: 40, height: 30)
  var orientation: UInt16 = 1
  /// Whether the file says that it is a DNG, with the color of each pixel.
  var isDNG = true
  /// A JPEG file in a directory of its own, before that of the mosaic.
  var preview: [UInt8]?
  /// Bytes that are cut off at the end.
  var cut = 0
  /// What the camera measured of white, in red, green and blue.
  var neutral: [UInt32] = [1, 1, 1]
  /// How much light red pixels have, of that of the others.
  var redLight = 1.0
  /// Tiles, or strips, in place of the samples as they are, and tags that differ.
  var striles: [[UInt8]]?
  var isTiled = true
  var fields: [UInt16: Field] = [:]

  /// Light of all pixels: white in the right half, so that brightness is not stretched, and a quarter of it elsewhere.
  var numbers: [[UInt16]] {
    (0..<size.height).map { y in
      (0..<size.width).map { x in
        let light = x < size.width / 2 ? 16_384.0 : 65_535
        return UInt16(x % 2 == 0 && y % 2 == 0 ? light * redLight : light)
      }
    }
  }

  private var samples: [UInt8] { striles?.flatMap { $0 } ?? numbers.flatMap { $0.flatMap(Self.bytes) } }

  static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian) { Array($0) }
  }

  struct Field {
    let type: UInt16
    let count: Int
    let value: [UInt8]

    static func short(_ values: UInt16...) -> Field {
      Field(type: 3, count: values.count, value: values.flatMap { bytes($0) })
    }
    static func long(_ values: Int...) -> Field { longs(values) }
    static func longs(_ values: [Int]) -> Field {
      Field(type: 4, count: values.count, value: values.flatMap { bytes(UInt32($0)) })
    }
    static func byte(_ values: [UInt8]) -> Field { Field(type: 1, count: values.count, value: values) }
    static func text(_ text: String) -> Field {
      Field(type: 2, count: text.utf8.count + 1, value: Array(text.utf8) + [0])
    }
    static func signedRationals(_ values: [Int32]) -> Field {
      Field(type: 10, count: values.count, value: values.flatMap { bytes($0) + bytes(Int32(10_000)) })
    }
    static func rationals(_ values: [UInt32]) -> Field {
      Field(type: 5, count: values.count, value: values.flatMap { bytes($0) + bytes(UInt32(1)) })
    }
  }

  /// A directory at a place; values of more than four bytes follow it.
  private static func directory(_ fields: [UInt16: Field], at place: Int, next: Int = 0) -> [UInt8] {
    var head = bytes(UInt16(fields.count))
    var values: [UInt8] = []
    for (tag, field) in fields.sorted(by: { $0.key < $1.key }) {
      head += bytes(tag) + bytes(field.type) + bytes(UInt32(field.count))
      if field.value.count <= 4 {
        head += field.value + [UInt8](repeating: 0, count: 4 - field.value.count)
      } else {
        head += bytes(UInt32(place + 6 + 12 * fields.count + values.count))
        values += field.value
      }
    }
    return head + bytes(UInt32(next)) + values
  }

  private func mosaic(at data: Int) -> [UInt16: Field] {
    var fields: [UInt16: Field] = [
      254: .long(0), 256: .long(size.width), 257: .long(size.height), 258: .short(16), 259: .short(1),
      262: .short(isDNG ? 32_803 : 1), 273: .long(data), 277: .short(1), 278: .long(size.height),
      279: .long(samples.count),
    ]
    guard isDNG else { return fields }
    fields[271] = .text("Maker")
    fields[272] = .text("Model")
    fields[274] = .short(orientation)
    fields[33_421] = .short(2, 2)
    fields[33_422] = .byte([0, 1, 1, 2])
    fields[50_706] = .byte([1, 4, 0, 0])
    // XYZ to linear sRGB (IEC 61966-2-1), in ten thousandths.
    fields[50_721] = .signedRationals([32_406, -15_372, -4986, -9689, 18_758, 415, 557, -2040, 10_570])
    fields[50_728] = .rationals(neutral)
    fields[50_778] = .short(21)
    if let striles {
      for tag in [273, 278, 279] as [UInt16] { fields[tag] = nil }
      let places = striles.indices.map { data + striles[..<$0].reduce(0) { $0 + $1.count } }
      fields[isTiled ? 324 : 273] = .longs(places)
      fields[isTiled ? 325 : 279] = .longs(striles.map(\.count))
    }
    return fields.merging(self.fields) { $1 }
  }

  /// Where the JPEG file lies in the whole.
  static let previewPlace = 8

  var bytes: [UInt8] {
    let preview = preview ?? []
    let first = Self.previewPlace + preview.count + preview.count % 2
    var bytes = Array("II*\0".utf8) + Self.bytes(UInt32(first)) + preview
    bytes += [UInt8](repeating: 0, count: first - bytes.count)
    if !preview.isEmpty {
      let fields: [UInt16: Field] = [
        254: .long(1), 256: .long(16), 257: .long(9), 258: .short(8, 8, 8), 259: .short(7), 262: .short(6),
        273: .long(Self.previewPlace), 277: .short(3), 278: .long(9), 279: .long(preview.count),
      ]
      let length = Self.directory(fields, at: first).count
      bytes += Self.directory(fields, at: first, next: first + length)
    }
    let place = bytes.count
    let length = Self.directory(mosaic(at: 0), at: place).count
    bytes += Self.directory(mosaic(at: place + length), at: place) + samples
    return Array(bytes.dropLast(cut))
  }

  func reader(_ limits: Limits = .standard) throws(CoderError) -> RAWReader { try reader(MemoryHost(limits)) }

  func reader(_ host: MemoryHost, _ values: [String: OptionValue] = [:]) throws(CoderError) -> RAWReader {
    try RAWReader(MemorySource(bytes).view, host: host.host, options: OpenOptions(values: values))
  }

  /// Samples of 16 bits, four for each pixel, the rows that came, and the error after them.
  func decoded(
    size: Size? = nil, _ values: [String: OptionValue] = [:]
  ) throws -> (samples: [Int], rows: Int, problem: CoderError?) {
    let reader = try reader(MemoryHost(), values)
    let offer = try reader.offer(for: DecodeRequest(size: size))
    let sink = MemorySink(offer, most: 4)
    var problem: CoderError?
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { problem = error }
    let pixels = sink.pixels
    let samples = stride(from: 0, to: pixels.count, by: 2).map { Int(pixels[$0]) | Int(pixels[$0 + 1]) << 8 }
    return (samples, sink.rowsDone, problem)
  }
}
