// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns one element and its mask into pixels of red, green, blue and alpha.
///
/// Icons that are stored here have at most 128×128 pixels, so that all of one is made at once.
struct IconPixels {
  let page: IconPage
  let file: UnsafeRawBufferPointer
  let host: CoderHost

  /// Bytes of working memory.
  static func memory(for page: IconPage) -> Int { page.type.size.pixelCount * 8 }

  /// Makes the pixels.
  ///
  /// - Parameter target: Room for four bytes for each pixel.
  /// - Returns: The rows that are there.
  func make(into target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> Int {
    let bytes = UnsafeRawBufferPointer(rebasing: file[page.bytes])
    let rows: Int
    switch page.content {
    case .bits: rows = unpackBits(bytes, into: target)
    case .bitsAndMask:
      let half = page.size.pixelCount / 8
      rows = min(
        unpackBits(bytes, into: target),
        apply(bits: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(half)), to: target))
    case .indexes(let bits): rows = lookUp(bytes, bits: bits, into: target)
    case .planes(let count): rows = try unpackPlanes(bytes, count: count, into: target)
    case .png, .jpeg2000: throw .invalidArgument("pixels of a page that is a file of another format")
    }
    switch page.mask {
    case .absent, .inside: return rows
    case .lost: return 0
    case .bits(let range): return min(rows, apply(bits: UnsafeRawBufferPointer(rebasing: file[range]), to: target))
    case .bytes(let range): return min(rows, apply(bytes: UnsafeRawBufferPointer(rebasing: file[range]), to: target))
    }
  }

  /// 1 is black, and the leftmost pixel is the highest bit.
  private func unpackBits(_ bytes: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>) -> Int {
    let count = min(page.size.pixelCount, bytes.count * 8)
    for pixel in 0..<count {
      let sample: UInt8 = bytes[pixel >> 3] << UInt8(pixel & 7) & 0x80 == 0 ? 0xFF : 0
      put(sample, sample, sample, 0xFF, at: target + 4 * pixel)
    }
    return count / page.size.width
  }

  private func lookUp(
    _ bytes: UnsafeRawBufferPointer, bits: Int, into target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let count = min(page.size.pixelCount, bytes.count * 8 / bits)
    let palette = bits == 4 ? SystemPalette.sixteen : SystemPalette.twoHundredFiftySix
    for pixel in 0..<count {
      let byte = Int(bytes[bits == 4 ? pixel >> 1 : pixel])
      // The left one of two pixels is in the upper half.
      let color = palette[bits == 8 ? byte : pixel & 1 == 0 ? byte >> 4 : byte & 0x0F]
      put(
        UInt8(truncatingIfNeeded: color >> 16), UInt8(truncatingIfNeeded: color >> 8),
        UInt8(truncatingIfNeeded: color), 0xFF, at: target + 4 * pixel)
    }
    return count / page.size.width
  }

  private func unpackPlanes(
    _ bytes: UnsafeRawBufferPointer, count: Int, into target: UnsafeMutablePointer<UInt8>
  ) throws(CoderError) -> Int {
    let size = page.size.pixelCount
    let memory = try host.allocate(bytes: size * count, for: "the planes of an icon")
    defer { host.free(memory) }
    let planes = memory.assumingMemoryBound(to: UInt8.self)
    let (written, used) = RunLengths.unpack(bytes, into: planes, count: size * count)
    // Some writers do not pack; packed planes may have the same length by chance, and then end exactly there.
    if page.mayBeUnpacked, page.isCut { return 0 }
    if page.mayBeUnpacked, written < size * 3 || used < bytes.count {
      for pixel in 0..<size {
        put(bytes[3 * pixel], bytes[3 * pixel + 1], bytes[3 * pixel + 2], 0xFF, at: target + 4 * pixel)
      }
      return page.size.height
    }
    let color = planes + size * (count - 3)
    let pixels = max(0, written - size * (count - 1))
    for pixel in 0..<pixels {
      let alpha = count == 4 ? planes[pixel] : 0xFF
      put(color[pixel], color[size + pixel], color[2 * size + pixel], alpha, at: target + 4 * pixel)
    }
    return pixels / page.size.width
  }

  private func apply(bits: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let count = min(page.size.pixelCount, bits.count * 8)
    for pixel in 0..<count {
      target[4 * pixel + 3] = bits[pixel >> 3] << UInt8(pixel & 7) & 0x80 == 0 ? 0 : 0xFF
    }
    return count / page.size.width
  }

  private func apply(bytes: UnsafeRawBufferPointer, to target: UnsafeMutablePointer<UInt8>) -> Int {
    let count = min(page.size.pixelCount, bytes.count)
    for pixel in 0..<count { target[4 * pixel + 3] = bytes[pixel] }
    return count / page.size.width
  }

  private func put(
    _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8, at target: UnsafeMutablePointer<UInt8>
  ) {
    target[0] = red
    target[1] = green
    target[2] = blue
    target[3] = alpha
  }
}
