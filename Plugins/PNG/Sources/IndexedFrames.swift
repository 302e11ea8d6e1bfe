// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Frames as indexes of a palette, as long as all of them together have at most 256 colors.
///
/// The palette stands before the first frame in the file, so frames are held until it is known, in a byte for each pixel.
/// When it would be full but for the color of pixels that stay as they were, these get the color that they had. When a
/// frame has too many colors all the same, or too much would be held, the frames so far are given back as pixels.
///
/// - Lifetime: Takes memory of the host, and gives it back at the end of its life.
final class IndexedFrames {
  /// A frame that is held.
  final class Frame {
    let header: FrameHeader
    let indexes: UnsafeMutablePointer<UInt8>
    private let host: CoderHost

    fileprivate init(_ header: FrameHeader, host: CoderHost) throws(CoderError) {
      self.header = header
      self.host = host
      let count = header.rect.size.pixelCount
      indexes = try host.allocate(bytes: count, for: "a frame").bindMemory(to: UInt8.self, capacity: count)
    }

    deinit { host.free(indexes) }
  }

  /// Pixels that are held at most.
  private static let mostPixels = 64 << 20
  /// The color of pixels that stay as they were.
  private static let hole: UInt32 = 0
  /// A power of two, four times as many as there are colors, so that searches are short.
  private static let slotCount = 1024

  private(set) var frames: [Frame] = []
  /// Rows of the last of them that are held.
  private(set) var rowCount = 0
  /// Red, green, blue, alpha from the lowest bits on, in the order in which they were met.
  private(set) var colors: [UInt32] = []

  private let host: CoderHost
  private let layout: PixelLayout
  private var pixelCount = 0
  /// What is shown, from when on pixels that stay as they were have their color.
  private var canvas: HeldCanvas<UInt8>?
  /// A number whose color no frame has any more.
  private var freeNumber: Int?
  /// Numbers of colors, by hash; 0xFFFF for none.
  private var slots = [UInt16](repeating: .max, count: slotCount)

  /// - Parameter layout: `rgb8`, `rgba8` or `bgra8`, opaque or straight.
  init(_ layout: PixelLayout, host: CoderHost) {
    self.layout = layout
    self.host = host
  }

  /// Whether pixels of a layout are looked at.
  static func takes(_ layout: PixelLayout) -> Bool { [.rgb8, .rgba8, .bgra8].contains(layout.format) }

  /// Takes a frame.
  ///
  /// - Returns: Whether it did; otherwise what is held shows the same as it did.
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) -> Bool {
    guard try begin(frame) else { return false }
    var isTaken = add(rows: pixels)
    if !isTaken, try fillHoles() {
      rowCount = 0
      isTaken = add(rows: pixels)
    }
    guard let held = frames.last, isTaken else {
      pixelCount -= frame.rect.size.pixelCount
      frames.removeLast()
      return false
    }
    if frame.disposal == .restoreBackground { canvas = nil }
    canvas?.draw(held.indexes, held.header.withoutHoles)
    return true
  }

  /// Takes a frame whose rows follow.
  ///
  /// - Returns: Whether it did.
  func begin(_ frame: FrameHeader) throws(CoderError) -> Bool {
    guard pixelCount + frame.rect.size.pixelCount <= Self.mostPixels else { return false }
    frames.append(try Frame(frame, host: host))
    pixelCount += frame.rect.size.pixelCount
    rowCount = 0
    return true
  }

  /// Takes the next rows of the last frame, no more than it has.
  ///
  /// - Returns: Whether it did; otherwise what is held is as it was, but for colors.
  func add(rows pixels: PixelView) -> Bool {
    guard let held = frames.last else { return false }
    for y in 0..<pixels.size.height {
      let row = (pixels.base + y * pixels.stride).assumingMemoryBound(to: UInt8.self)
      guard index(row, to: held, y: rowCount + y) else { return false }
    }
    rowCount += pixels.size.height
    return true
  }

  private func index(_ row: UnsafePointer<UInt8>, to frame: Frame, y: Int) -> Bool {
    let (step, count) = (layout.format.bytesPerPixel, frame.header.rect.width)
    let indexes = frame.indexes + y * count
    let canvas = frame.header.blend == .over ? canvas : nil
    var (last, lastIndex) = (UInt32?.none, UInt8(0))
    for x in 0..<count {
      let color = color(row + x * step)
      if color == Self.hole, let canvas {
        indexes[x] = canvas.pixel(frame.header.rect, x: x, y: y)
        continue
      }
      if color != last {
        guard let found = number(of: color) else { return false }
        (last, lastIndex) = (color, found)
      }
      indexes[x] = lastIndex
    }
    return true
  }

  @inline(__always)
  private func color(_ pixel: UnsafePointer<UInt8>) -> UInt32 {
    let alpha = layout.alpha == .opaque ? 0xFF : UInt32(pixel[3])
    let (first, third) = (UInt32(pixel[0]), UInt32(pixel[2]))
    let isSwapped = layout.format == .bgra8
    return (isSwapped ? third : first) | UInt32(pixel[1]) << 8 | (isSwapped ? first : third) << 16 | alpha << 24
  }

  private func number(of color: UInt32) -> UInt8? {
    let slot = slot(of: color)
    if slots[slot] != .max { return UInt8(truncatingIfNeeded: slots[slot]) }
    // What is shown cannot be followed through colors that mix.
    guard canvas == nil || color >> 24 == 255 else { return nil }
    if let number = freeNumber {
      freeNumber = nil
      colors[number] = color
      slots[slot] = UInt16(number)
      return UInt8(number)
    }
    guard colors.count < 256 else { return nil }
    slots[slot] = UInt16(colors.count)
    colors.append(color)
    return UInt8(colors.count - 1)
  }

  /// Where the number of a color is, or would be.
  private func slot(of color: UInt32) -> Int {
    var slot = Int((color &* 0x9E37_79B1) >> 22)
    while slots[slot] != .max, colors[Int(slots[slot])] != color { slot = (slot + 1) % Self.slotCount }
    return slot
  }

  /// Does without the transparent color, if it stands only for pixels that stay as they were: in every frame before the
  /// last one, which is not complete, they get the color that they had, and in those to come.
  ///
  /// - Returns: Whether it can be done without.
  private func fillHoles() throws(CoderError) -> Bool {
    let earlier = frames.dropLast()
    guard canvas == nil, let first = earlier.first else { return false }
    let number = colors.firstIndex(of: Self.hole)
    let hole = number.map { UInt8($0) }
    guard colors.allSatisfy({ $0 >> 24 == 255 || $0 == Self.hole }),
      earlier.allSatisfy({ Self.canFill($0, hole: hole, isFirst: $0 === first) })
    else { return false }
    let shown = try HeldCanvas(first.header.rect.size, hole: hole ?? 0, host: host)
    for frame in earlier {
      if hole != nil { shown.fill(frame.indexes, frame.header.rect) }
      shown.draw(frame.indexes, frame.header.withoutHoles)
    }
    canvas = shown
    freeNumber = number
    slots = [UInt16](repeating: .max, count: Self.slotCount)
    for (other, color) in colors.enumerated() where other != number { slots[slot(of: color)] = UInt16(other) }
    return true
  }

  /// Whether nothing in a frame, and nothing that it leaves, is transparent once its holes show what is below them.
  ///
  /// - Parameter hole: The index that is transparent, or nil if there is none yet.
  private static func canFill(_ frame: Frame, hole: UInt8?, isFirst: Bool) -> Bool {
    // Before the first frame there is nothing that could come back.
    let keeps = frame.header.disposal == .keep || frame.header.disposal == .restorePrevious && !isFirst
    guard keeps else { return false }
    guard let hole, frame.header.blend == .source || isFirst else { return true }
    return !UnsafeBufferPointer(start: frame.indexes, count: frame.header.rect.size.pixelCount).contains(hole)
  }

  /// The number of the transparent color, if there is one and no other that is not opaque.
  var holeNumber: UInt8? {
    guard colors.allSatisfy({ $0 >> 24 == 255 || $0 == Self.hole }) else { return nil }
    return colors.firstIndex(of: Self.hole).map { UInt8($0) }
  }

  /// Bits of an index.
  var bitDepth: Int { colors.count <= 2 ? 1 : colors.count <= 4 ? 2 : colors.count <= 16 ? 4 : 8 }

  /// Gives colors that are not opaque the first numbers, so that tRNS is short (PNG Third Edition §11.3.1.1).
  func sortPalette() {
    let order = colors.indices.filter { colors[$0] >> 24 < 255 } + colors.indices.filter { colors[$0] >> 24 == 255 }
    var places = [UInt8](repeating: 0, count: 256)
    for (place, number) in order.enumerated() { places[number] = UInt8(place) }
    colors = order.map { colors[$0] }
    renumber(places)
  }

  /// Makes indexes to amounts of gray, if all colors are opaque and gray.
  ///
  /// - Returns: Whether they are.
  func becomesGray() -> Bool {
    guard colors.allSatisfy({ $0 >> 24 == 255 && $0 & 0xFF == $0 >> 8 & 0xFF && $0 & 0xFF == $0 >> 16 & 0xFF }) else {
      return false
    }
    renumber(colors.map { UInt8(truncatingIfNeeded: $0) })
    return true
  }

  /// - Parameter places: The new number of each.
  private func renumber(_ places: [UInt8]) {
    places.withUnsafeBufferPointer { places in
      for frame in frames {
        for index in 0..<frame.header.rect.size.pixelCount {
          frame.indexes[index] = places[Int(frame.indexes[index])]
        }
      }
    }
  }

  /// Rows of a held frame in the layout in which they came, one after the other.
  func expand(_ frame: Frame, rows: Range<Int>, into memory: UnsafeMutableRawPointer) {
    let step = layout.format.bytesPerPixel
    let isSwapped = layout.format == .bgra8
    let indexes = frame.indexes + rows.lowerBound * frame.header.rect.width
    for index in 0..<(rows.count * frame.header.rect.width) {
      let color = colors[Int(indexes[index])]
      let pixel = (memory + index * step).assumingMemoryBound(to: UInt8.self)
      pixel[isSwapped ? 2 : 0] = UInt8(truncatingIfNeeded: color)
      pixel[1] = UInt8(truncatingIfNeeded: color >> 8)
      pixel[isSwapped ? 0 : 2] = UInt8(truncatingIfNeeded: color >> 16)
      if step == 4 { pixel[3] = UInt8(truncatingIfNeeded: color >> 24) }
    }
  }
}

extension FrameHeader {
  /// The same frame when every pixel of it is drawn.
  fileprivate var withoutHoles: FrameHeader {
    var header = self
    header.blend = .source
    return header
  }
}
