// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// Turns rows of pixels into rows as bitmaps store them, and writes them.
public struct RowPacker {
  /// How rows are stored.
  public enum Storage: Sendable {
    /// One byte: the sample of a gray picture.
    case byte
    /// Blue, green, red.
    case bgr
    /// Blue, green, red, alpha.
    case bgra
  }

  private let pixels: PixelView
  private let storage: Storage
  private let host: CoderHost

  private static let bandBytes = 256 << 10

  /// - Parameter pixels: `gray8` for bytes; `rgb8`, `rgba8` or `bgra8` for colors.
  public init(_ pixels: PixelView, as storage: Storage, host: CoderHost) {
    self.pixels = pixels
    self.storage = storage
    self.host = host
  }

  /// Bytes from one stored row to the next.
  public static func stride(width: Int, storage: Storage) -> Int {
    switch storage {
    case .byte: (width &+ 3) & ~3
    case .bgr: (width &* 3 &+ 3) & ~3
    case .bgra: width &* 4
    }
  }

  /// Writes all rows.
  public func write(to output: ByteOutput, bottomUp: Bool) throws(CoderError) {
    let (width, height) = (pixels.size.width, pixels.size.height)
    let stride = Self.stride(width: width, storage: storage)
    let capacity = max(1, min(height, Self.bandBytes / stride))
    let band = try host.allocate(bytes: capacity &* stride, for: "rows to be written")
    defer { host.free(band) }
    band.initializeMemory(as: UInt8.self, repeating: 0, count: capacity &* stride)
    var y = 0
    while y < height {
      if host.isCancelled { throw .cancelled }
      let count = min(capacity, height &- y)
      for index in 0..<count {
        let row = bottomUp ? height &- 1 &- y &- index : y &+ index
        pack(pixels.base + row &* pixels.stride, into: band + index &* stride, count: width)
      }
      try output.write(UnsafeRawBufferPointer(start: band, count: count &* stride))
      y &+= count
      host.progress(Double(y) / Double(height))
    }
  }

  private func pack(_ source: UnsafeRawPointer, into destination: UnsafeMutableRawPointer, count: Int) {
    switch (storage, pixels.layout.format) {
    case (.byte, _): destination.copyMemory(from: source, byteCount: count)
    case (.bgr, .rgb8): PixelBytes.swapBGR(source, destination, count)
    case (.bgr, .bgra8): PixelBytes.dropAlpha(source, destination, count)
    case (.bgr, _): PixelBytes.narrowBGRX(source, destination, count)
    case (.bgra, .rgb8): PixelBytes.widenBGR(source, destination, count, isSwapping: true)
    case (.bgra, .bgra8): destination.copyMemory(from: source, byteCount: count &* 4)
    case (.bgra, _): PixelBytes.swapBGRX(source, destination, count, 0)
    }
  }
}
