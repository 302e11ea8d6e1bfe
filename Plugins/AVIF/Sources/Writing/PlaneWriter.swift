// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ImageCoderPlugin

/// Puts samples into planes as they are: gray, and colors by the identity matrix, where the planes are green, blue and
/// red (ITU-T H.273 §8.3).
struct PlaneWriter {
  private let image: UnsafeMutablePointer<avifImage>
  private let depth: Int

  init(_ image: UnsafeMutablePointer<avifImage>, depth: Int) {
    self.image = image
    self.depth = depth
  }

  func write(_ pixels: PixelView) {
    let format = pixels.layout.format
    let planes: [(channel: Int, base: UnsafeMutablePointer<UInt8>?, stride: UInt32)]
    let picture = image.pointee
    if format.isGray {
      planes = [(0, picture.yuvPlanes.0, picture.yuvRowBytes.0), (1, picture.alphaPlane, picture.alphaRowBytes)]
    } else {
      planes = [
        (1, picture.yuvPlanes.0, picture.yuvRowBytes.0), (2, picture.yuvPlanes.1, picture.yuvRowBytes.1),
        (0, picture.yuvPlanes.2, picture.yuvRowBytes.2), (3, picture.alphaPlane, picture.alphaRowBytes),
      ]
    }
    for plane in planes {
      guard let base = plane.base else { continue }
      for y in 0..<pixels.size.height {
        let source = pixels.base + y * pixels.stride + plane.channel * format.bytesPerChannel
        let target = UnsafeMutableRawPointer(base) + y * Int(plane.stride)
        let isLimited = picture.yuvRange == AVIF_RANGE_LIMITED && plane.base != picture.alphaPlane
        switch (format.bytesPerChannel, depth > 8) {
        case (1, false): copy(UInt8.self, source, UInt8.self, target, pixels, top: 255, isLimited)
        case (1, true): copy(UInt8.self, source, UInt16.self, target, pixels, top: 255, isLimited)
        case (_, false): copy(UInt16.self, source, UInt8.self, target, pixels, top: 65_535, isLimited)
        default: copy(UInt16.self, source, UInt16.self, target, pixels, top: 65_535, isLimited)
        }
      }
    }
  }

  private func copy<From: FixedWidthInteger, To: FixedWidthInteger>(
    _: From.Type, _ source: UnsafeRawPointer, _: To.Type, _ target: UnsafeMutableRawPointer, _ pixels: PixelView,
    top: Int, _ isLimited: Bool
  ) {
    let from = source.assumingMemoryBound(to: From.self)
    let to = target.assumingMemoryBound(to: To.self)
    let step = pixels.layout.format.channelCount
    // ITU-T H.273 §8.3: limited range has 219 steps of 8 bits above 16.
    let black = isLimited ? 16 << (depth - 8) : 0
    let largest = isLimited ? 219 << (depth - 8) : (1 << depth) - 1
    if largest == top {
      for x in 0..<pixels.size.width { to[x] = To(truncatingIfNeeded: from[x &* step]) }
    } else {
      for x in 0..<pixels.size.width {
        to[x] = To(truncatingIfNeeded: (Int(from[x &* step]) &* largest &+ top / 2) / top &+ black)
      }
    }
  }
}
