// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A PNG file of eight bits per channel, for the sizes that an icon holds as such.
///
/// - Format: PNG Third Edition: signature, IHDR, sRGB, one IDAT, IEND.
public enum SmallPNG {
  /// - Parameters:
  ///   - pixels: rgb8, rgba8 or bgra8, straight or opaque.
  ///   - keepsAlpha: Whether an opaque picture has alpha in the file, too.
  ///   - packed: Makes a zlib stream (RFC 1950) of bytes.
  /// - Throws: ``CoderError/Code/cancelled``; ``CoderError/Code/outOfMemory``; what `packed` throws.
  public static func bytes(
    of pixels: PixelView, keepsAlpha: Bool = false, host: CoderHost,
    packed: ([UInt8]) throws(CoderError) -> [UInt8]
  ) throws(CoderError) -> [UInt8] {
    let channels = pixels.layout.alpha == .opaque && !keepsAlpha ? 3 : 4
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
    let stream = try packed(rows)
    var file = ByteWriter()
    try file.reserve(stream.count + 256, for: "a picture's file")
    file.put([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    // §11.2.1: depth, color type (2 is RGB, 6 is RGBA), and 0 for compression, filter and interlace method.
    var header = ByteWriter()
    header.put(UInt32(clamping: pixels.size.width))
    header.put(UInt32(clamping: pixels.size.height))
    header.put([8, channels == 3 ? 2 : 6, 0, 0, 0])
    putChunk("IHDR", header.bytes, to: &file)
    putChunk("sRGB", [0], to: &file)
    putChunk("IDAT", stream, to: &file)
    putChunk("IEND", [], to: &file)
    return file.bytes
  }

  private static func samples(of pixels: PixelView, row: Int, channels: Int) -> [UInt8] {
    let source = (pixels.base + row * pixels.stride).assumingMemoryBound(to: UInt8.self)
    let step = pixels.layout.format.bytesPerPixel
    let red = pixels.layout.format == .bgra8 ? 2 : 0
    let isOpaque = pixels.layout.alpha == .opaque
    return [UInt8](unsafeUninitializedCapacity: pixels.size.width * channels) { buffer, count in
      for pixel in 0..<pixels.size.width {
        let (from, to) = (pixel * step, pixel * channels)
        buffer[to] = source[from + red]
        buffer[to + 1] = source[from + 1]
        buffer[to + 2] = source[from + 2 - red]
        if channels == 4 { buffer[to + 3] = isOpaque ? 255 : source[from + 3] }
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
    file.put(checksum(name.bytes, data))
  }

  /// The remainders of all bytes: §5.5, annex D.
  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  private static func checksum(_ parts: [UInt8]...) -> UInt32 {
    ~parts.joined().reduce(UInt32.max) { remainders[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
  }
}
