// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SharedPlanes
import Testing

@Suite struct SubsamplingTests {
  static let sizes = [
    Size(width: 1, height: 1), Size(width: 2, height: 1), Size(width: 3, height: 3), Size(width: 7, height: 5),
    Size(width: 511, height: 2), Size(width: 513, height: 3), Size(width: 1027, height: 4),
  ]

  /// The same picture with a chroma sample for each pixel.
  static func repeated(_ planes: Planes) -> Planes {
    guard let chroma = planes.chroma else { return planes }
    func spread(_ samples: Samples) -> Samples {
      Samples(width: planes.size.width, height: planes.size.height) { x, y in
        samples[x / 2, planes.subsampling == .s420 ? y / 2 : y]
      }
    }
    return Planes(
      luma: planes.luma, chroma: (spread(chroma.cb), spread(chroma.cr)), bits: planes.bits, subsampling: .s444)
  }

  @Test(arguments: sizes, [Subsampling.s420, .s422]) func aSampleCountsForThePixelsThatItCovers(
    size: Size, subsampling: Subsampling
  ) throws {
    for (bits, format) in [(8, PixelFormat.rgb8), (8, .rgba8), (8, .bgra8), (10, .rgba16), (12, .rgb8), (8, .rgba16)] {
      for isFullRange in [true, false] {
        let planes = Planes(width: size.width, height: size.height, bits: bits, subsampling: subsampling)
        let converter = try PlaneConverter(.bt601, isFullRange: isFullRange, bits: bits, format: format)
        let whole = try planes.converted(by: converter, as: format)
        #expect(whole == (try Self.repeated(planes).converted(by: converter, as: format)))
      }
    }
  }

  @Test(arguments: sizes, [Subsampling.s420, .s422, .s444, .s400]) func aPartIsThatPartOfTheWhole(
    size: Size, subsampling: Subsampling
  ) throws {
    for (bits, format) in [(8, PixelFormat.rgb8), (10, .rgba16)] {
      for chroma in [PlaneConverter.Chroma.repeated, .interpolated] {
        let planes = Planes(width: size.width, height: size.height, bits: bits, subsampling: subsampling)
        let converter = try PlaneConverter(.bt601, isFullRange: false, bits: bits, format: format, chroma: chroma)
        let whole = try planes.converted(by: converter, as: format)
        for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 2)] where x < size.width && y < size.height {
          let rect = Rect(x: x, y: y, width: size.width - x, height: size.height - y)
          let part = try planes.converted(by: converter, as: format, rect: rect)
          let expected = Planes.part(rect, of: whole, width: size.width, channels: format.channelCount)
          #expect(part == expected)
        }
      }
    }
  }

  /// A sample lies in the middle of the pixels that it covers: weights of 9, 3, 3 and 1 of 16.
  @Test(arguments: sizes, [Subsampling.s420, .s422]) func interpolatedChromaIsBetweenItsNeighbors(
    size: Size, subsampling: Subsampling
  ) throws {
    func neighbors(_ place: Int, _ count: Int) -> (Int, Int) {
      (place / 2, min(max(place % 2 == 0 ? place / 2 - 1 : place / 2 + 1, 0), count - 1))
    }
    func sample(_ plane: Samples, _ x: Int, _ y: Int) -> Double {
      let (near, far) = neighbors(x, plane.width)
      let (row, other) = subsampling == .s420 ? neighbors(y, plane.height) : (y, y)
      func value(_ y: Int) -> Double { Double(plane[near, y]) * 0.75 + Double(plane[far, y]) * 0.25 }
      return value(row) * 0.75 + value(other) * 0.25
    }
    for (bits, format) in [(8, PixelFormat.rgb8), (8, .rgba8), (12, .rgba16)] {
      for isFullRange in [true, false] {
        let planes = Planes(width: size.width, height: size.height, bits: bits, subsampling: subsampling)
        let converter = try PlaneConverter(
          .bt601, isFullRange: isFullRange, bits: bits, format: format, chroma: .interpolated)
        let pixels = try planes.converted(by: converter, as: format)
        let equations = Equations(matrix: .bt601, isFullRange: isFullRange, bits: bits)
        let chroma = try #require(planes.chroma)
        let (top, tolerance) = format.bytesPerChannel == 2 ? (65_535.0, 0.53) : (255, 0.5002)
        for y in 0..<size.height {
          for x in 0..<size.width {
            let color = equations.color(
              luma: Double(planes.luma[x, y]), cb: sample(chroma.cb, x, y), cr: sample(chroma.cr, x, y))
            for channel in 0..<3 {
              let found = Double(pixels[(y * size.width + x) * format.channelCount + channel])
              #expect(abs(found - color[channel] * top) <= tolerance)
            }
          }
        }
      }
    }
  }

  @Test func theIdentityMatrixOfSubsampledPlanesMeansThatNobodySaid() throws {
    let planes = Planes(width: 9, height: 7, bits: 8, subsampling: .s420)
    let identity = try PlaneConverter(.identity, isFullRange: true, bits: 8, format: .rgb8)
    let unspecified = try PlaneConverter(.unspecified, isFullRange: true, bits: 8, format: .rgb8)
    #expect(try planes.converted(by: identity, as: .rgb8) == planes.converted(by: unspecified, as: .rgb8))
  }
}

@Suite struct PlanarPictureTests {
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 16)

  private func plane(_ stride: Int, at offset: Int = 0) -> PlanarPicture.Plane {
    PlanarPicture.Plane(base: memory + offset, stride: stride)
  }

  @Test func rowsAreAsLongAsTheSizeSays() throws {
    defer { memory.deallocate() }
    let size = Size(width: 5, height: 2)
    #expect(throws: Never.self) { try PlanarPicture(size: size, bits: 8, subsampling: .s400, luma: plane(5)) }
    for build in [
      { try PlanarPicture(size: size, bits: 8, subsampling: .s400, luma: plane(4)) },
      { try PlanarPicture(size: size, bits: 10, subsampling: .s400, luma: plane(9)) },
      { try PlanarPicture(size: size, bits: 10, subsampling: .s400, luma: plane(11)) },
      { try PlanarPicture(size: size, bits: 10, subsampling: .s400, luma: plane(10, at: 1)) },
      { try PlanarPicture(size: size, bits: 7, subsampling: .s400, luma: plane(5)) },
      { try PlanarPicture(size: size, bits: 17, subsampling: .s400, luma: plane(10)) },
      { try PlanarPicture(size: Size(width: 0, height: 2), bits: 8, subsampling: .s400, luma: plane(5)) },
      { try PlanarPicture(size: size, bits: 8, subsampling: .s420, luma: plane(5)) },
      { try PlanarPicture(size: size, bits: 8, subsampling: .s420, luma: plane(5), chroma: (plane(2), plane(3))) },
      { try PlanarPicture(size: size, bits: 8, subsampling: .s420, luma: plane(5), chroma: (plane(3), plane(2))) },
      { try PlanarPicture(size: size, bits: 8, subsampling: .s444, luma: plane(5), chroma: (plane(4), plane(5))) },
      { try PlanarPicture(size: size, bits: 8, subsampling: .s400, luma: plane(5), alpha: (plane(4), 8)) },
    ] as [() throws -> PlanarPicture] {
      let error = #expect(throws: CoderError.self) { try build() }
      #expect(error?.code == .libraryFailure)
    }
  }

  @Test func theRectangleIsInsideThePicture() throws {
    defer { memory.deallocate() }
    let planes = Planes(width: 4, height: 4, bits: 8, subsampling: .s444)
    let converter = try PlaneConverter(.bt601, isFullRange: true, bits: 8, format: .rgb8)
    try planes.withPicture { picture in
      for (rect, stride) in [
        (Rect(x: 1, y: 0, width: 4, height: 1), 12), (Rect(x: 0, y: 4, width: 1, height: 1), 12),
        (Rect(x: -1, y: 0, width: 1, height: 1), 12), (Rect(x: 0, y: 0, width: 0, height: 1), 12),
        (Rect(x: 0, y: 0, width: 4, height: 1), 11),
      ] {
        let error = #expect(throws: CoderError.self) {
          try converter.convert(picture, rect, to: memory, stride: stride)
        }
        #expect(error?.code == .libraryFailure)
      }
      let deep = try PlaneConverter(.bt601, isFullRange: true, bits: 10, format: .rgba16)
      #expect(throws: CoderError.self) {
        try deep.convert(picture, Rect(x: 0, y: 0, width: 1, height: 1), to: memory, stride: 8)
      }
    }
  }
}
