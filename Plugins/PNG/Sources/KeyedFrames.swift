// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Frames of pixels that are opaque or transparent, and nothing between, until it is known whether a color is left over
/// that can stand for the transparent ones: then no pixel has to be stored with alpha (PNG Third Edition §11.3.1.1).
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class KeyedFrames {
  /// A frame that is held, in the layout in which it came, rows one after the other.
  final class Frame {
    let header: FrameHeader
    let pixels: UnsafeMutablePointer<UInt32>
    private let host: CoderHost

    var count: Int { header.rect.size.pixelCount }

    fileprivate init(_ header: FrameHeader, host: CoderHost) throws(CoderError) {
      self.header = header
      self.host = host
      let count = header.rect.size.pixelCount
      pixels = try host.allocate(bytes: 4 * count, for: "a frame").bindMemory(to: UInt32.self, capacity: count)
    }

    deinit { host.free(pixels) }
  }

  /// How frames can do without alpha.
  enum Key: Equatable {
    /// No pixel is transparent.
    case none
    /// The samples of the color that is transparent, red first.
    case color([UInt8])
  }

  /// Bytes that are held at most, and as a share of what the host allows.
  private static let mostBytes = 64 << 20
  private static let shareOfMemory = 8
  /// Colors of 8 bits.
  private static let colorCount: UInt32 = 1 << 24

  private(set) var frames: [Frame] = []

  private let host: CoderHost
  private let layout: PixelLayout
  private var byteCount = 0
  /// A bit for each color that an opaque pixel has. Colors are the lower bytes of a pixel, in the order of the layout.
  private let used: UnsafeMutablePointer<UInt64>
  /// The color of transparent pixels that replace what was there: programs that ignore alpha show it.
  private var hidden: UInt32?
  private var isTransparent = false
  /// The value of transparent pixels, once all have the same.
  private(set) var hole: UInt32?

  /// - Parameter layout: `rgba8` or `bgra8`, straight.
  /// - Throws: ``CoderError/Code/outOfMemory``.
  init(_ layout: PixelLayout, host: CoderHost) throws(CoderError) {
    self.layout = layout
    self.host = host
    let words = Int(Self.colorCount / 64)
    used = try host.allocate(bytes: 8 * words, for: "the colors of an animation").bindMemory(
      to: UInt64.self, capacity: words)
    used.initialize(repeating: 0, count: words)
  }

  deinit { host.free(used) }

  /// Whether pixels of a layout are looked at.
  static func takes(_ layout: PixelLayout) -> Bool {
    [.rgba8, .bgra8].contains(layout.format) && layout.alpha == .straight
  }

  /// Takes a frame.
  ///
  /// - Returns: Whether it did; otherwise what is held is as it was.
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) -> Bool {
    let most = min(Self.mostBytes, host.limits.maxMemory / Self.shareOfMemory)
    guard byteCount + 4 * pixels.size.pixelCount <= most else { return false }
    let held = try Frame(frame, host: host)
    let width = pixels.size.width
    // Before the first frame there is nothing that it could let through.
    let replaces = frame.blend == .source || frames.isEmpty
    for y in 0..<pixels.size.height {
      let row = held.pixels + y * width
      UnsafeMutableRawPointer(row).copyMemory(from: pixels.base + y * pixels.stride, byteCount: 4 * width)
      guard look(at: row, width, replaces: replaces) else { return false }
    }
    byteCount += 4 * held.count
    frames.append(held)
    return true
  }

  /// Notes the colors of a row.
  ///
  /// - Returns: Whether all pixels are opaque or transparent.
  private func look(at row: UnsafeMutablePointer<UInt32>, _ count: Int, replaces: Bool) -> Bool {
    var last: UInt32 = 0
    for x in 0..<count {
      let pixel = UInt32(littleEndian: row[x])
      let (color, alpha) = (pixel & (Self.colorCount - 1), pixel >> 24)
      if alpha == 255 {
        guard pixel != last else { continue }
        last = pixel
        used[Int(color >> 6)] |= 1 << UInt64(color & 63)
      } else {
        guard alpha == 0 else { return false }
        isTransparent = true
        guard replaces else { continue }
        guard hidden ?? color == color else { return false }
        hidden = color
      }
    }
    return true
  }

  /// Gives transparent pixels of all frames the color that stands for them.
  ///
  /// - Returns: That color, or nil if alpha cannot be done without; then frames are as they came.
  func replaceTransparency() -> Key? {
    guard isTransparent else { return Key.none }
    guard let key = freeColor() else { return nil }
    hole = key.littleEndian
    for frame in frames {
      for index in 0..<frame.count where UInt32(littleEndian: frame.pixels[index]) >> 24 == 0 {
        frame.pixels[index] = key.littleEndian
      }
    }
    let samples = [UInt8(key & 255), UInt8(key >> 8 & 255), UInt8(key >> 16)]
    return .color(layout.format == .bgra8 ? samples.reversed() : samples)
  }

  /// A color that no opaque pixel has. Under pixels that replace others it has to be the one that is there already.
  private func freeColor() -> UInt32? {
    if let hidden { return isUsed(hidden) ? nil : hidden }
    return (0..<Self.colorCount / 64).first { used[Int($0)] != .max }.map { word in
      word * 64 + UInt32((~used[Int(word)]).trailingZeroBitCount)
    }
  }

  private func isUsed(_ color: UInt32) -> Bool { used[Int(color >> 6)] >> UInt64(color & 63) & 1 == 1 }
}
