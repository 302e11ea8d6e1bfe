// SPDX-License-Identifier: Apache-2.0

import CPixelBytes
import ImageCoderPlugin

/// Turns a stored row into a row of pixels.
struct RowDecoder {
  private let page: PNMHeader
  private let format: PixelFormat
  private let width: Int
  private let isInks: Bool

  /// - Parameter isInks: Whether pixels are four inks.
  init(_ page: PNMHeader, format: PixelFormat, isInks: Bool = false) {
    self.page = page
    self.format = format
    self.isInks = isInks
    width = page.canvas.width
  }

  /// Samples of a pixel that are looked at; a PAM's may be more.
  private var used: Int { page.colors + (page.hasAlpha ? 1 : 0) }

  /// - Parameters:
  ///   - source: A whole stored row.
  ///   - table: Nil where samples are what they are.
  func decode(_ source: UnsafeRawPointer, table: SampleTable?, to target: UnsafeMutableRawPointer) {
    if page.hasInks { return decodeInks(source, table: table, to: target) }
    switch page.storage {
    case .bits: decodeBits(source, to: target)
    case .float(let isLittleEndian): decodeFloats(source, isLittleEndian: isLittleEndian, to: target)
    case .raw(bytes: 2):
      store16(to: target) { index in
        let sample = Int(UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self)))
        return table?[sample] ?? UInt16(truncatingIfNeeded: sample)
      }
    default:
      let bytes = source.assumingMemoryBound(to: UInt8.self)
      if let table {
        store8(to: target) { UInt8(truncatingIfNeeded: table[Int(bytes[$0])]) }
      } else if format == page.pixelFormat, page.depth == used {
        target.copyMemory(from: source, byteCount: width * page.depth)
      } else if format == .rgba8, page.depth == 3, page.colors == 3 {
        pixel_bytes_widen(bytes, target.assumingMemoryBound(to: UInt8.self), width, 0)
      } else {
        store8(to: target) { bytes[$0] }
      }
    }
  }

  /// Stores inks, or what they leave of light by the plain formula (1 - C)(1 - K).
  private func decodeInks(_ source: UnsafeRawPointer, table: SampleTable?, to target: UnsafeMutableRawPointer) {
    let isDeep = page.maximum > 255
    let top = isDeep ? 65_535 : 255
    let channels = format.channelCount
    func stored(_ index: Int) -> Int {
      let sample =
        isDeep
        ? Int(UInt16(bigEndian: source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)))
        : Int(source.load(fromByteOffset: index, as: UInt8.self))
      return table.map { Int($0[sample]) } ?? sample
    }
    func store(_ value: Int, _ index: Int) {
      if isDeep {
        target.storeBytes(of: UInt16(truncatingIfNeeded: value), toByteOffset: 2 &* index, as: UInt16.self)
      } else {
        target.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: index, as: UInt8.self)
      }
    }
    for x in 0..<width {
      let (first, place) = (x &* page.depth, x &* channels)
      let black = stored(first &+ 3)
      for ink in 0..<3 {
        let amount = stored(first &+ ink)
        store(isInks ? amount : ((top &- amount) &* (top &- black) &+ top / 2) / top, place &+ ink)
      }
      guard channels == 4 else { continue }
      store(isInks ? black : page.hasAlpha ? stored(first &+ 4) : top, place &+ 3)
    }
  }

  /// Stores samples that are scaled already: digits.
  func store(_ samples: UnsafePointer<UInt16>, to target: UnsafeMutableRawPointer) {
    if format.bytesPerChannel == 2 {
      store16(to: target) { samples[$0] }
    } else {
      store8(to: target) { UInt8(truncatingIfNeeded: samples[$0]) }
    }
  }

  /// pbm(5): "Each row is Width bits, packed 8 to a byte, with don't care bits to fill out the last byte"; 1 is black.
  private func decodeBits(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let bytes = source.assumingMemoryBound(to: UInt8.self)
    store8(to: target) { index in bytes[index >> 3] << UInt8(truncatingIfNeeded: index & 7) & 0x80 == 0 ? 0xFF : 0 }
  }

  private func decodeFloats(
    _ source: UnsafeRawPointer, isLittleEndian: Bool, to target: UnsafeMutableRawPointer
  ) {
    let pixels = target.assumingMemoryBound(to: Float.self)
    func sample(_ index: Int) -> Float {
      let bits = source.loadUnaligned(fromByteOffset: 4 * index, as: UInt32.self)
      return Float(bitPattern: isLittleEndian ? UInt32(littleEndian: bits) : UInt32(bigEndian: bits))
    }
    for index in 0..<(width &* page.colors) { pixels[index] = sample(index) }
  }

  /// Stores pixels of 8 bits per channel; the closure becomes part of the loops.
  @inline(__always)
  private func store8(to target: UnsafeMutableRawPointer, _ sample: (Int) -> UInt8) {
    let pixels = target.assumingMemoryBound(to: UInt8.self)
    let depth = page.depth
    if format == page.pixelFormat {
      return copy(used, depth: depth, to: pixels, sample)
    }
    // rgba8 of anything narrower: one store for a pixel.
    let isGray = page.colors == 1
    if isGray, !page.hasAlpha, depth == 1 {
      for x in 0..<width {
        put(UInt32(sample(x)) &* 0x01_0101 | 0xFF00_0000, x, target)
      }
    } else {
      for x in 0..<width {
        let first = x &* depth
        let red = UInt32(sample(first))
        let alpha = page.hasAlpha ? UInt32(sample(first &+ page.colors)) : 0xFF
        let others = isGray ? red &* 0x01_0100 : UInt32(sample(first &+ 1)) << 8 | UInt32(sample(first &+ 2)) << 16
        put(red | others | alpha << 24, x, target)
      }
    }
  }

  @inline(__always)
  private func put(_ pixel: UInt32, _ x: Int, _ target: UnsafeMutableRawPointer) {
    target.storeBytes(of: pixel.littleEndian, toByteOffset: 4 &* x, as: UInt32.self)
  }

  @inline(__always)
  private func store16(to target: UnsafeMutableRawPointer, _ sample: (Int) -> UInt16) {
    let pixels = target.assumingMemoryBound(to: UInt16.self)
    copy(used, depth: page.depth, to: pixels, sample)
  }

  @inline(__always)
  private func copy<Sample>(
    _ used: Int, depth: Int, to pixels: UnsafeMutablePointer<Sample>, _ sample: (Int) -> Sample
  ) {
    if used == depth {
      for index in 0..<(width &* used) { pixels[index] = sample(index) }
    } else {
      for x in 0..<width {
        for channel in 0..<used { pixels[x &* used &+ channel] = sample(x &* depth &+ channel) }
      }
    }
  }
}
