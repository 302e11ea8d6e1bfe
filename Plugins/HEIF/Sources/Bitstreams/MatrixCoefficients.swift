// SPDX-License-Identifier: Apache-2.0

import CHEIFShim
import ImageCoderPlugin
import SharedPlanes

extension heif_decoded {
  /// The code points that hold for a decoded picture: its item's, else those of the bitstream, else, when the bitstream
  /// says nothing, those of the picture that it is a part of.
  func points(
    item: CodingIndependentCodePoints?, whole: CodingIndependentCodePoints?
  ) -> CodingIndependentCodePoints {
    if let item { return item }
    let isStated = matrix != 2 || primaries != 2 || transfer != 2
    if !isStated, let whole { return whole }
    return CodingIndependentCodePoints(
      primaries: UInt8(clamping: primaries), transfer: UInt8(clamping: transfer), matrix: UInt8(clamping: matrix),
      isFullRange: is_full_range != 0)
  }

  /// The planes, which live as long as the decoder.
  func picture() throws(CoderError) -> PlanarPicture {
    func plane(_ base: UnsafeMutablePointer<UInt8>?, _ stride: Int) throws(CoderError) -> PlanarPicture.Plane {
      guard let base else { throw .libraryFailure("libde265 gives a picture without planes") }
      return PlanarPicture.Plane(base: UnsafeRawPointer(base), stride: stride)
    }
    let size = Size(width: width, height: height)
    let luma = try plane(planes.plane.0, planes.stride.0)
    guard planes.has_chroma != 0 else {
      return try PlanarPicture(size: size, bits: Int(planes.bits), subsampling: .s400, luma: luma)
    }
    return try PlanarPicture(
      size: size, bits: Int(planes.bits),
      subsampling: planes.shift_x == 0 ? .s444 : planes.shift_y == 0 ? .s422 : .s420, luma: luma,
      chroma: (try plane(planes.plane.1, planes.stride.1), try plane(planes.plane.2, planes.stride.2)))
  }
}

extension heif_colors {
  /// How a picture is stored under code points.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for matrices that pictures are not stored by.
  init(storing points: CodingIndependentCodePoints, isGray: Bool) throws(CoderError) {
    self.init()
    is_full_range = points.isFullRange ? 1 : 0
    switch isGray ? ColorMatrix.unspecified : try ColorMatrix(points) {
    case .identity: matrix = UInt32(HEIF_MATRIX_IDENTITY)
    case .weights(let red, let blue):
      matrix = UInt32(HEIF_MATRIX_LUMA)
      (kr, kb) = (Float(red), Float(blue))
    default: throw .unsupported("storing colors by matrix coefficients \(points.matrix)")
    }
  }
}
