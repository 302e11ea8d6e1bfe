// SPDX-License-Identifier: Apache-2.0

import CSharedPlanes
public import ImageCoderPlugin

/// The planes of a decoded picture, whose sizes and strides were checked.
///
/// - Lifetime: That of the decoder's memory.
public struct PlanarPicture {
  /// Samples of up to 8 bits take a byte, others two in the machine's order.
  public struct Plane {
    public let base: UnsafeRawPointer
    /// Bytes from one row to the next.
    public let stride: Int

    public init(base: UnsafeRawPointer, stride: Int) {
      self.base = base
      self.stride = stride
    }
  }

  /// The size of luma.
  public let size: Size
  public let bits: Int
  let hasChroma: Bool
  let isSubsampled: Bool
  let alphaBits: Int?
  let planes: planes_picture

  /// - Parameters:
  ///   - size: Of luma. Chroma has half of it, rounded up, in the directions in which it is subsampled.
  ///   - bits: Of luma and chroma, 8 to 16.
  ///   - subsampling: Of chroma: 4:0:0, 4:2:0, 4:2:2 or 4:4:4.
  ///   - chroma: Cb and Cr, unless the subsampling is 4:0:0.
  ///   - alpha: A plane of luma's size, and its bits.
  /// - Throws: ``CoderError/Code/libraryFailure`` when a plane is missing or its rows are shorter than the size says.
  public init(
    size: Size, bits: Int, subsampling: Subsampling, luma: Plane, chroma: (cb: Plane, cr: Plane)? = nil,
    alpha: (plane: Plane, bits: Int)? = nil
  ) throws(CoderError) {
    guard !size.isEmpty, (8...16).contains(bits), (8...16).contains(alpha?.bits ?? 8) else {
      throw .libraryFailure("planes of \(size) with \(bits) bits, and alpha with \(alpha?.bits ?? 8)")
    }
    var planes = planes_picture()
    planes.width = size.width
    planes.height = size.height
    planes.bits = UInt32(bits)
    planes.alpha_bits = UInt32(alpha?.bits ?? bits)
    switch subsampling {
    case .s400, .s444: break
    case .s422: planes.shift_x = 1
    case .s420: (planes.shift_x, planes.shift_y) = (1, 1)
    default: throw .unsupported("chroma of \(subsampling)")
    }
    guard (chroma == nil) == (subsampling == .s400) else { throw .libraryFailure("planes that are not \(subsampling)") }
    try Self.check(luma, width: size.width, bits: bits)
    planes.plane.0 = luma.base.assumingMemoryBound(to: UInt8.self)
    planes.stride.0 = luma.stride
    if let chroma {
      for plane in [chroma.cb, chroma.cr] {
        try Self.check(plane, width: (size.width - 1) >> planes.shift_x + 1, bits: bits)
      }
      planes.plane.1 = chroma.cb.base.assumingMemoryBound(to: UInt8.self)
      planes.plane.2 = chroma.cr.base.assumingMemoryBound(to: UInt8.self)
      (planes.stride.1, planes.stride.2) = (chroma.cb.stride, chroma.cr.stride)
    }
    if let alpha {
      try Self.check(alpha.plane, width: size.width, bits: alpha.bits)
      planes.plane.3 = alpha.plane.base.assumingMemoryBound(to: UInt8.self)
      planes.stride.3 = alpha.plane.stride
    }
    self.size = size
    self.bits = bits
    hasChroma = chroma != nil
    isSubsampled = planes.shift_x != 0
    alphaBits = alpha?.bits
    self.planes = planes
  }

  private static func check(_ plane: Plane, width: Int, bits: Int) throws(CoderError) {
    let sample = bits > 8 ? 2 : 1
    guard plane.stride >= width * sample, plane.stride % sample == 0, Int(bitPattern: plane.base) % sample == 0 else {
      throw .libraryFailure("a plane with a stride of \(plane.stride) bytes for \(width) samples of \(bits) bits")
    }
  }
}
