// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CDav1d
import ImageCoderPlugin

/// Planes of luma and chroma, or of alpha alone: those of one picture, or a canvas on which tiles are put side by side.
final class StillPlanes {
  struct Plane {
    let base: UnsafeMutableRawPointer
    /// Bytes from one row to the next.
    let stride: Int
  }

  /// A picture's own planes; nil for a canvas.
  private let picture: AV1Picture?
  private let canvas: (planes: [Plane], block: UnsafeMutableRawPointer, host: CoderHost)?

  init(of picture: AV1Picture) {
    self.picture = picture
    canvas = nil
  }

  /// - Parameters:
  ///   - size: Of the canvas.
  ///   - shape: What the planes hold.
  init(canvas size: Size, _ shape: Shape, host: CoderHost) throws(CoderError) {
    picture = nil
    var planes: [(offset: Int, stride: Int)] = []
    var bytes = 0
    for plane in 0..<shape.count {
      let stride = (shape.columns(size.width, of: plane) * shape.sample + Self.row - 1) / Self.row * Self.row
      planes.append((bytes, stride))
      bytes += stride * shape.rows(size.height, of: plane)
    }
    let block = try host.allocate(bytes: max(bytes, 1), alignment: Self.row, for: "the planes of a grid")
    canvas = (planes.map { Plane(base: block + $0.offset, stride: $0.stride) }, block, host)
  }

  private static let row = 64

  deinit { if let canvas { canvas.host.free(canvas.block) } }

  /// - Parameter index: 0 for luma or alpha, 1 and 2 for chroma.
  func plane(_ index: Int) -> Plane? {
    guard let canvas else { return picture?.plane(index) }
    return canvas.planes.indices.contains(index) ? canvas.planes[index] : nil
  }

  /// Puts a tile on the canvas, as far as it is inside.
  ///
  /// - Threads: Any, also at the same time for other tiles.
  func put(_ tile: AV1Picture, at x: Int, _ y: Int, canvas size: Size, _ shape: Shape) {
    guard let canvas else { return }
    let (width, height) = (min(tile.size.width, size.width - x), min(tile.size.height, size.height - y))
    for (index, plane) in canvas.planes.enumerated() {
      guard let source = tile.plane(index) else { continue }
      let bytes = shape.columns(width, of: index) * shape.sample
      var from = UnsafeRawPointer(source.base)
      var to = plane.base + shape.rows(y, of: index) * plane.stride + shape.columns(x, of: index) * shape.sample
      for _ in 0..<shape.rows(height, of: index) {
        to.copyMemory(from: from, byteCount: bytes)
        from += source.stride
        to += plane.stride
      }
    }
  }

  /// Sample formats: how many planes there are, and of what.
  struct Shape: Equatable {
    let bits: Int
    private let layout: Dav1dPixelLayout

    /// - Parameter layout: Whose chroma counts; that of gray for alpha.
    init(bits: Int, layout: Dav1dPixelLayout) {
      self.bits = bits
      self.layout = layout
    }

    /// Makes the planes of a picture's colors as libavif describes them.
    init(colorsOf image: avifImage) {
      bits = Int(image.depth)
      layout =
        switch image.yuvFormat {
        case AVIF_PIXEL_FORMAT_YUV444: DAV1D_PIXEL_LAYOUT_I444
        case AVIF_PIXEL_FORMAT_YUV422: DAV1D_PIXEL_LAYOUT_I422
        case AVIF_PIXEL_FORMAT_YUV420: DAV1D_PIXEL_LAYOUT_I420
        default: DAV1D_PIXEL_LAYOUT_I400
        }
    }

    var sample: Int { bits > 8 ? 2 : 1 }
    var count: Int { layout == DAV1D_PIXEL_LAYOUT_I400 ? 1 : 3 }
    /// Whether two columns, and two rows, share a sample of chroma.
    var halvesWidth: Bool { layout == DAV1D_PIXEL_LAYOUT_I420 || layout == DAV1D_PIXEL_LAYOUT_I422 }
    var halvesHeight: Bool { layout == DAV1D_PIXEL_LAYOUT_I420 }

    func columns(_ width: Int, of plane: Int) -> Int { plane > 0 && halvesWidth ? (width + 1) / 2 : width }
    func rows(_ height: Int, of plane: Int) -> Int { plane > 0 && halvesHeight ? (height + 1) / 2 : height }

    /// Whether a picture has such planes.
    func fits(_ picture: AV1Picture, isAlpha: Bool) -> Bool {
      picture.bits == bits && (isAlpha || picture.layout == layout)
    }
  }
}
