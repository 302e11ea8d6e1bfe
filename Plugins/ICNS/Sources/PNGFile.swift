// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A PNG file of eight bits per channel, for the sizes that an icon holds as such.
///
/// - Format: PNG Third Edition: signature, IHDR, sRGB, one IDAT, IEND.
enum PNGFile {
  /// - Parameter pixels: rgba8, straight or opaque; the file of an opaque one has three channels.
  static func bytes(of pixels: PixelView, host: CoderHost) throws(CoderError) -> [UInt8] {
    let channels = pixels.layout.alpha == .opaque ? 3 : 4
    var rows: [UInt8] = []
    try ArrayMemory.grow(
      &rows, by: pixels.size.height * (pixels.size.width * channels + 1), for: "a picture's rows")
    var above = [UInt8](repeating: 0, count: pixels.size.width * channels)
    for y in 0..<pixels.size.height {
      if host.isCancelled { throw .cancelled }
      let row = samples(of: pixels, row: y, channels: channels)
      appendFiltered(row, above: above, distance: channels, to: &rows)
      above = row
    }
    let packed = try Deflate.packed(rows)
    var file = ByteWriter()
    try file.reserve(packed.count + 256, for: "a picture's file")
    file.put([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    // §11.2.1: depth, color type (2 is RGB, 6 is RGBA), and 0 for compression, filter and interlace method.
    var header = ByteWriter()
    header.put(UInt32(clamping: pixels.size.width))
    header.put(UInt32(clamping: pixels.size.height))
    header.put([8, channels == 3 ? 2 : 6, 0, 0, 0])
    putChunk("IHDR", header.bytes, to: &file)
    putChunk("sRGB", [0], to: &file)
    putChunk("IDAT", packed, to: &file)
    putChunk("IEND", [], to: &file)
    return file.bytes
  }

  private static func samples(of pixels: PixelView, row: Int, channels: Int) -> [UInt8] {
    let source = (pixels.base + row * pixels.stride).assumingMemoryBound(to: UInt8.self)
    return [UInt8](unsafeUninitializedCapacity: pixels.size.width * channels) { buffer, count in
      for pixel in 0..<pixels.size.width {
        for channel in 0..<channels { buffer[pixel * channels + channel] = source[pixel * 4 + channel] }
      }
      count = pixels.size.width * channels
    }
  }

  /// Filters a row (§9.2) in the way that leaves the smallest sum of absolute differences (§12.7).
  private static func appendFiltered(
    _ row: [UInt8], above: [UInt8], distance: Int, to output: inout [UInt8]
  ) {
    var best: [UInt8] = []
    var smallest = Int.max
    for filter in UInt8(0)...4 {
      var sum = 0
      let filtered = [UInt8](unsafeUninitializedCapacity: row.count + 1) { buffer, count in
        buffer[0] = filter
        for index in row.indices {
          let left = index >= distance ? row[index - distance] : 0
          let corner = index >= distance ? above[index - distance] : 0
          let prediction: UInt8 =
            switch filter {
            case 1: left
            case 2: above[index]
            case 3: UInt8((Int(left) + Int(above[index])) / 2)
            case 4: paeth(Int(left), Int(above[index]), Int(corner))
            default: 0
            }
          let difference = row[index] &- prediction
          buffer[index + 1] = difference
          sum += Int(Int8(bitPattern: difference).magnitude)
        }
        count = row.count + 1
      }
      if sum < smallest {
        smallest = sum
        best = filtered
      }
    }
    output += best
  }

  /// §9.4: of left, above and corner, the one nearest to left + above − corner.
  private static func paeth(_ left: Int, _ above: Int, _ corner: Int) -> UInt8 {
    let (toLeft, toAbove) = (abs(above - corner), abs(left - corner))
    let toCorner = abs(left + above - 2 * corner)
    if toLeft <= toAbove, toLeft <= toCorner { return UInt8(left) }
    return UInt8(toAbove <= toCorner ? above : corner)
  }

  /// Puts a chunk (§5.3).
  private static func putChunk(_ type: StaticString, _ data: [UInt8], to file: inout ByteWriter) {
    let name = FourCC(type)
    file.put(UInt32(clamping: data.count))
    file.put(name)
    file.put(data)
    file.put(Deflate.checksum(data, after: Deflate.checksum(name.bytes)))
  }
}
