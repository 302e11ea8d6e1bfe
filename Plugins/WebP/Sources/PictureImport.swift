// SPDX-License-Identifier: Apache-2.0

import CWebP
import ImageCoderPlugin

extension WebPPicture {
  /// Takes a picture from the host's rows, in one pass: as 4:2:0, or as ARGB where the encoder starts from that.
  ///
  /// - Throws: ``CoderError/Code/outOfMemory``, ``CoderError/Code/unsupported``, ``CoderError/Code/invalidArgument``.
  mutating func take(_ pixels: PixelView, for config: WebPConfig) throws(CoderError) {
    // VP8L, the sharp conversion and dithering start from RGB; else libwebp converts while it takes the rows.
    use_argb = config.lossless != 0 || config.use_sharp_yuv != 0 || config.preprocessing > 0 ? 1 : 0
    width = Int32(clamping: pixels.size.width)
    height = Int32(clamping: pixels.size.height)
    guard let stride = Int32(exactly: pixels.stride) else {
      throw .unsupported("a stride of \(pixels.stride) bytes, 2147483647 are allowed")
    }
    let base = pixels.base.assumingMemoryBound(to: UInt8.self)
    let isTaken: Int32
    switch (pixels.layout.format, pixels.layout.alpha) {
    case (.gray8, _): isTaken = takeGray(base, stride: pixels.stride)
    case (.rgb8, _): isTaken = WebPPictureImportRGB(&self, base, stride)
    case (.rgba8, .opaque): isTaken = WebPPictureImportRGBX(&self, base, stride)
    case (.rgba8, .straight): isTaken = WebPPictureImportRGBA(&self, base, stride)
    case (.bgra8, .opaque): isTaken = WebPPictureImportBGRX(&self, base, stride)
    case (.bgra8, .straight): isTaken = WebPPictureImportBGRA(&self, base, stride)
    default: throw .invalidArgument("pixels of \(pixels.layout), which were not agreed to")
    }
    guard isTaken != 0 else { throw CoderError(encoding: error_code, size: pixels.size) }
  }

  /// Gray has no function of libwebp's own. What comes out is what gray as RGB would give.
  private mutating func takeGray(_ base: UnsafePointer<UInt8>, stride: Int) -> Int32 {
    guard WebPPictureAlloc(&self) != 0 else { return 0 }
    let (columns, rows) = (Int(width), Int(height))
    if use_argb != 0 {
      guard let argb else { return 0 }
      for y in 0..<rows {
        let (row, out) = (base + y * stride, argb + y * Int(argb_stride))
        for x in 0..<columns { out[x] = 0xFF00_0000 | UInt32(row[x]) &* 0x01_0101 }
      }
      return 1
    }
    guard let luma = self.y, let u, let v else { return 0 }
    // BT.601, 16 to 235, with libwebp's 16 bits after the point: its three factors add up to 56,318.
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 256) { table in
      for value in 0..<256 { table[value] = UInt8(truncatingIfNeeded: (56_318 * value + (16 << 16) + (1 << 15)) >> 16) }
      guard let levels = UnsafePointer(table.baseAddress) else { return }
      for y in 0..<rows {
        let (row, out) = (base + y * stride, luma + y * Int(y_stride))
        for x in 0..<columns { out[x] = levels[Int(row[x])] }
      }
    }
    for y in 0..<(rows + 1) / 2 {
      (u + y * Int(uv_stride)).update(repeating: 128, count: (columns + 1) / 2)
      (v + y * Int(uv_stride)).update(repeating: 128, count: (columns + 1) / 2)
    }
    return 1
  }
}
