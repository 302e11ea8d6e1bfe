// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Makes rows of pixels from the planes of a decoded tile.
///
/// - Threads: Any number, each with scratch rows of its own.
struct RowAssembler {
  let map: ChannelMap
  private let grid: ReferenceGrid
  private let format: PixelFormat
  private let mappings: [SampleMapping]
  private let alphaMapping: SampleMapping?
  private let conversion: ColorConversion?

  /// Scratch rows that one thread needs.
  static let scratchRows = 5

  init(_ map: ChannelMap, grid: ReferenceGrid, format: PixelFormat) {
    self.map = map
    self.grid = grid
    self.format = format
    let (depth, model) = (map.depth, map.model)
    mappings = map.colors.enumerated().map {
      SampleMapping($1, role: ColorConversion.role(of: $0, in: model), depth: depth)
    }
    alphaMapping = map.alpha.map { SampleMapping($0, role: .plain, depth: depth) }
    conversion =
      ColorConversion.isNeeded(for: model)
      ? ColorConversion(model, colors: map.colors, depth: depth) : nil
  }

  /// Writes a row of a tile.
  ///
  /// - Parameters:
  ///   - y: From the grid's origin, at the resolution of `area`.
  ///   - area: Of the tile, at that resolution.
  ///   - row: Where the tile's leftmost pixel goes.
  ///   - scratch: ``scratchRows`` rows of the tile's width.
  func write(
    _ tile: DecodedTile, y: Int, area: ReferenceGrid.Area, to row: UnsafeMutableRawPointer,
    scratch: UnsafeMutablePointer<Int32>
  ) {
    let width = area.size.width
    func fetch(_ channel: ChannelMap.Channel, _ mapping: SampleMapping, _ index: Int) -> UnsafePointer<Int32> {
      let room = scratch + index * width
      guard let plane = tile.planes[channel.component] else {
        room.update(repeating: 0, count: width)
        mapping.apply(room, to: room, count: width)
        return UnsafePointer(room)
      }
      let component = grid.components[channel.component]
      let line = min(max(y * grid.pixel.dy / component.dy - plane.y0, 0), plane.height - 1)
      let samples = plane.samples + line * plane.width
      guard component.dx > grid.pixel.dx else {
        if mapping.isIdentity { return samples }
        mapping.apply(samples, to: room, count: width)
        return UnsafePointer(room)
      }
      spread(samples, plane: plane, step: component.dx, from: area.x0, to: room, count: width)
      if !mapping.isIdentity { mapping.apply(room, to: room, count: width) }
      return UnsafePointer(room)
    }
    let first = fetch(map.colors[0], mappings[0], 0)
    var channels = (first, first, first)
    if map.colors.count >= 3 {
      channels.1 = fetch(map.colors[1], mappings[1], 1)
      channels.2 = fetch(map.colors[2], mappings[2], 2)
    }
    if let conversion {
      let black = map.colors.count == 4 ? fetch(map.colors[3], mappings[3], 3) : nil
      let result = (scratch, scratch + width, scratch + 2 * width)
      conversion.apply(channels, black: black, to: result, count: width)
      channels = (UnsafePointer(result.0), UnsafePointer(result.1), UnsafePointer(result.2))
    }
    var alpha: UnsafePointer<Int32>?
    if let channel = map.alpha, let alphaMapping { alpha = fetch(channel, alphaMapping, 4) }
    store(channels, alpha, to: row, count: width)
  }

  /// Repeats samples of a component that has fewer of them than the grid has steps.
  private func spread(
    _ samples: UnsafePointer<Int32>, plane: DecodedTile.Plane, step: Int, from x0: Int,
    to result: UnsafeMutablePointer<Int32>, count: Int
  ) {
    let pixel = grid.pixel.dx
    var (index, phase) = (x0 * pixel).quotientAndRemainder(dividingBy: step)
    index -= plane.x0
    for x in 0..<count {
      result[x] = samples[min(max(index, 0), plane.width - 1)]
      // No pixel is wider than a sample.
      phase += pixel
      if phase >= step {
        phase -= step
        index += 1
      }
    }
  }

  private func store(
    _ channels: ColorConversion.Channels, _ alpha: UnsafePointer<Int32>?, to row: UnsafeMutableRawPointer, count: Int
  ) {
    if format.bytesPerChannel == 1 {
      let pixels = row.assumingMemoryBound(to: UInt8.self)
      switch format {
      case .gray8: Self.store(channels.0, to: pixels, step: 1, count: count)
      case .grayAlpha8:
        Self.store(channels.0, to: pixels, step: 2, count: count)
        Self.store(alpha, to: pixels + 1, step: 2, count: count)
      case .rgb8: Self.store(channels, to: pixels, count: count)
      default: Self.store(channels, alpha, to: pixels, isReversed: format == .bgra8, count: count)
      }
    } else {
      let pixels = row.assumingMemoryBound(to: UInt16.self)
      let step = format.channelCount
      Self.store(channels.0, to: pixels, step: step, count: count)
      if !format.isGray {
        Self.store(channels.1, to: pixels + 1, step: step, count: count)
        Self.store(channels.2, to: pixels + 2, step: step, count: count)
      }
      if format.hasAlpha { Self.store(alpha, to: pixels + step - 1, step: step, count: count) }
    }
  }

  private static func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value, 0), 255)) }

  private static func word(_ value: Int32) -> UInt32 { UInt32(truncatingIfNeeded: min(max(value, 0), 255)) }

  private static func store(
    _ channels: ColorConversion.Channels, to pixels: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (red, green, blue) = channels
    var pixel = pixels
    for x in 0..<count {
      pixel[0] = byte(red[x])
      pixel[1] = byte(green[x])
      pixel[2] = byte(blue[x])
      pixel += 3
    }
  }

  private static func store(
    _ channels: ColorConversion.Channels, _ alpha: UnsafePointer<Int32>?, to pixels: UnsafeMutablePointer<UInt8>,
    isReversed: Bool, count: Int
  ) {
    let (red, green, blue) = isReversed ? (channels.2, channels.1, channels.0) : channels
    let words = UnsafeMutableRawPointer(pixels)
    // As one number each, which the compiler makes vectors of.
    func store(_ x: Int, alpha: UInt32) {
      let color = word(red[x]) | word(green[x]) << 8 | word(blue[x]) << 16
      words.storeBytes(of: (color | alpha << 24).littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
    }
    if let alpha {
      for x in 0..<count { store(x, alpha: word(alpha[x])) }
    } else {
      for x in 0..<count { store(x, alpha: 255) }
    }
  }

  /// Stores one channel; nil is the largest sample.
  private static func store(
    _ samples: UnsafePointer<Int32>?, to pixels: UnsafeMutablePointer<UInt8>, step: Int, count: Int
  ) {
    guard let samples else {
      for x in 0..<count { pixels[x &* step] = .max }
      return
    }
    for x in 0..<count { pixels[x &* step] = byte(samples[x]) }
  }

  /// Stores one channel; nil is the largest sample.
  private static func store(
    _ samples: UnsafePointer<Int32>?, to pixels: UnsafeMutablePointer<UInt16>, step: Int, count: Int
  ) {
    guard let samples else {
      for x in 0..<count { pixels[x &* step] = .max }
      return
    }
    for x in 0..<count { pixels[x &* step] = UInt16(truncatingIfNeeded: min(max(samples[x], 0), 65_535)) }
  }
}
