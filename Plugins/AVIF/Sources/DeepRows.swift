// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CAVIFShim
import ImageCoderPlugin

/// Converts colours of 10 and 12 bits, with the arithmetic of libavif's own slow path, a row at a time.
struct DeepRows {
  private let image: avifImage
  private let format: PixelFormat
  private var matrix: cavif_matrix
  private let layout: Int32
  private let alpha: [UInt16]

  /// - Returns: nil for what libavif has to convert.
  init?(_ image: avifImage, format: PixelFormat) {
    guard image.depth > 8, image.depth <= 12, image.yuvPlanes.1 != nil, image.yuvPlanes.2 != nil,
      let (kr, kb) = Self.weights(image.matrixCoefficients)
    else { return nil }
    self.image = image
    self.format = format
    let depth = Int(image.depth)
    let isFull = image.yuvRange == AVIF_RANGE_FULL
    let top = Float((1 << depth) - 1)
    // ITU-T H.273 §8.3, equations 20 to 31.
    matrix = cavif_matrix(
      kr: kr, kb: kb, luma_black: isFull ? 0 : Float(16 << (depth - 8)),
      luma_span: isFull ? top : Float(219 << (depth - 8)), chroma_middle: Float(1 << (depth - 1)),
      chroma_span: isFull ? top : Float(224 << (depth - 8)))
    switch format {
    case .rgba16: layout = Int32(CAVIF_RGBA16)
    case .rgba8: layout = Int32(CAVIF_RGBA8)
    case .bgra8: layout = Int32(CAVIF_BGRA8)
    case .rgb8: layout = Int32(CAVIF_RGB8)
    default: return nil
    }
    alpha = DirectRows.table(depth: depth, isFull: true, top: format.bytesPerChannel == 2 ? 65_535 : 255)
  }

  /// ITU-T H.273 table 4; what says nothing counts as BT.601, as in libavif.
  private static func weights(_ coefficients: avifMatrixCoefficients) -> (Float, Float)? {
    switch coefficients {
    case 1: (0.2126, 0.0722)
    case 2, 5, 6: (0.299, 0.114)
    case 4: (0.30, 0.11)
    case 7: (0.212, 0.087)
    case 9: (0.2627, 0.0593)
    default: nil
    }
  }

  /// Converts some rows of the picture, a part of each.
  func write(_ rows: Range<Int>, crop: Range<Int>, to base: UnsafeMutableRawPointer, stride: Int) {
    let width = Int(image.width)
    let chroma = UnsafeMutablePointer<Float>.allocate(capacity: 2 * width)
    let isNarrow = crop != 0..<width
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: isNarrow ? width * format.bytesPerPixel : 0, alignment: 16)
    defer {
      chroma.deallocate()
      scratch.deallocate()
    }
    for y in rows {
      let target = base + (y - rows.lowerBound) * stride
      write(y, chroma, to: isNarrow ? scratch : target)
      if isNarrow {
        target.copyMemory(
          from: scratch + crop.lowerBound * format.bytesPerPixel, byteCount: crop.count * format.bytesPerPixel)
      }
    }
  }

  private func write(_ y: Int, _ chroma: UnsafeMutablePointer<Float>, to target: UnsafeMutableRawPointer) {
    let (width, height) = (Int(image.width), Int(image.height))
    let mask = UInt16((1 << image.depth) - 1)
    let isHalved = image.yuvFormat != AVIF_PIXEL_FORMAT_YUV444
    var (near, far) = (y, y)
    if image.yuvFormat == AVIF_PIXEL_FORMAT_YUV420 {
      near = y / 2
      // The next row of chroma is above even rows and below odd ones, where there is one.
      far = y % 2 == 0 ? max(near - 1, 0) : y == height - 1 ? near : near + 1
    }
    guard let luma = samples(image.yuvPlanes.0, image.yuvRowBytes.0, y) else { return }
    for (index, plane) in [
      (image.yuvPlanes.1, image.yuvRowBytes.1), (image.yuvPlanes.2, image.yuvRowBytes.2),
    ].enumerated() {
      let rows = cavif_chroma(near: samples(plane.0, plane.1, near), far: samples(plane.0, plane.1, far))
      withUnsafePointer(to: matrix) {
        cavif_chroma_row($0, rows, UInt32(width), isHalved ? 1 : 0, mask, chroma + index * width)
      }
    }
    let alphas = format.hasAlpha ? samples(image.alphaPlane, image.alphaRowBytes, y) : nil
    withUnsafePointer(to: matrix) {
      cavif_color_row($0, luma, chroma, chroma + width, alphas, alpha, UInt32(width), mask, layout, target)
    }
  }

  private func samples(_ plane: UnsafeMutablePointer<UInt8>?, _ rowBytes: UInt32, _ row: Int) -> UnsafePointer<UInt16>?
  {
    plane.map { UnsafeRawPointer($0 + row * Int(rowBytes)).assumingMemoryBound(to: UInt16.self) }
  }
}
