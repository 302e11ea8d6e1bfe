// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageIO
import Testing

@Suite struct ContextTests {
  private func makeContext(
    _ width: Int, _ height: Int, _ alpha: CGImageAlphaInfo = .premultipliedLast, order: CGBitmapInfo = []
  ) -> CGContext? {
    CGContext(
      data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: alpha.rawValue | order.rawValue)
  }

  private func memory(_ context: CGContext) -> [UInt8] {
    [UInt8](UnsafeRawBufferPointer(start: context.data, count: context.bytesPerRow * context.height))
  }

  @Test func refusesWhatQuartzRefuses() {
    let rgb = CGColorSpaceCreateDeviceRGB()
    let gray = CGColorSpaceCreateDeviceGray()
    func make(_ space: CGColorSpace, bits: Int = 8, row: Int = 0, width: Int = 4, _ info: UInt32) -> CGContext? {
      CGContext(
        data: nil, width: width, height: 4, bitsPerComponent: bits, bytesPerRow: row, space: space, bitmapInfo: info)
    }
    for alpha in [CGImageAlphaInfo.none, .last, .first, .alphaOnly] { #expect(make(rgb, alpha.rawValue) == nil) }
    for alpha in [CGImageAlphaInfo.premultipliedLast, .premultipliedFirst, .noneSkipLast, .noneSkipFirst] {
      #expect(make(rgb, alpha.rawValue) != nil)
    }
    #expect(make(gray, CGImageAlphaInfo.none.rawValue) != nil)
    #expect(make(gray, CGImageAlphaInfo.premultipliedLast.rawValue) == nil)
    #expect(make(rgb, bits: 16, CGImageAlphaInfo.premultipliedLast.rawValue) == nil)
    #expect(make(rgb, row: 15, CGImageAlphaInfo.premultipliedLast.rawValue) == nil)
    #expect(make(rgb, width: 0, CGImageAlphaInfo.premultipliedLast.rawValue) == nil)
    #expect(make(CGColorSpaceCreateDeviceCMYK(), CGImageAlphaInfo.none.rawValue) == nil)
  }

  @Test func theOriginIsAtTheBottom() throws {
    let context = try #require(makeContext(2, 2))
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(memory(context) == [0, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0])
    context.clear(CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(memory(context) == [UInt8](repeating: 0, count: 16))
  }

  /// Half of red over opaque blue, and a quarter of a pixel, by hand.
  @Test func alphaAndEdgesAreMixed() throws {
    let context = try #require(makeContext(2, 1))
    context.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 0.5)
    context.fill(CGRect(x: 0, y: 0, width: 1.5, height: 1))
    #expect(memory(context) == [128, 0, 128, 255, 64, 0, 0, 64])
  }

  @Test(
    arguments: [
      (.premultipliedLast, [], [10, 20, 30, 255]), (.premultipliedFirst, [], [255, 10, 20, 30]),
      (.premultipliedFirst, .byteOrder32Little, [30, 20, 10, 255]),
      (.premultipliedLast, .byteOrder32Little, [255, 30, 20, 10]), (.noneSkipLast, .byteOrder32Big, [10, 20, 30, 255]),
      (.noneSkipFirst, .byteOrder32Little, [30, 20, 10, 255]),
    ] as [(CGImageAlphaInfo, CGBitmapInfo, [UInt8])])
  func bytesAreInTheOrderThatIsAskedFor(_ alpha: CGImageAlphaInfo, _ order: CGBitmapInfo, _ wanted: [UInt8]) throws {
    let context = try #require(makeContext(1, 1, alpha, order: order))
    context.draw(picture(1, 1) { _, _ in [10, 20, 30, 255] }, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(memory(context) == wanted)
    // And read back, written to a file, the same color.
    let image = try #require(context.makeImage())
    #expect(image.bitmapInfo.rawValue == alpha.rawValue | order.rawValue)
    let made = try #require(file(image, "public.png"))
    #expect(bytes(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil)).prefix(3) == [10, 20, 30])
  }

  private let colors: [[UInt8]] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]]
  private var quarters: CGImage { picture(2, 2) { x, y in colors[2 * y + x] } }

  @Test func picturesAreUpright() throws {
    let context = try #require(makeContext(2, 2))
    context.draw(quarters, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(memory(context) == colors.flatMap { $0 })
  }

  /// A quarter to the left: what was at the right is on top.
  @Test func picturesAreTurnedAndMirrored() throws {
    let turned = try #require(makeContext(2, 2))
    turned.translateBy(x: 2, y: 0)
    turned.rotate(by: .pi / 2)
    turned.draw(quarters, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(memory(turned) == [1, 3, 0, 2].flatMap { colors[$0] })
    let mirrored = try #require(makeContext(2, 2))
    mirrored.concatenate(CGAffineTransform(a: -1, b: 0, c: 0, d: 1, tx: 2, ty: 0))
    mirrored.draw(quarters, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(memory(mirrored) == [1, 0, 3, 2].flatMap { colors[$0] })
    let flipped = try #require(makeContext(2, 2))
    flipped.translateBy(x: 0, y: 2)
    flipped.scaleBy(x: 1, y: -1)
    flipped.draw(quarters, in: CGRect(x: 0, y: 0, width: 2, height: 2))
    #expect(memory(flipped) == [2, 3, 0, 1].flatMap { colors[$0] })
  }

  @Test func interpolationIsAChoice() throws {
    let stripes = picture(8, 1) { x, _ in x % 2 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] }
    let nearest = try #require(makeContext(4, 1))
    nearest.interpolationQuality = .none
    nearest.draw(stripes, in: CGRect(x: 0, y: 0, width: 4, height: 1))
    #expect(Set(memory(nearest)) == [255])
    let filtered = try #require(makeContext(4, 1))
    filtered.interpolationQuality = .high
    filtered.draw(stripes, in: CGRect(x: 0, y: 0, width: 4, height: 1))
    for pixel in 0..<4 { #expect((100...155).contains(memory(filtered)[4 * pixel])) }
  }

  @Test func straightAlphaIsMultiplied() throws {
    let context = try #require(makeContext(1, 1))
    context.draw(picture(1, 1) { _, _ in [200, 100, 0, 128] }, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(memory(context) == [100, 50, 0, 128])
    context.setAlpha(0.5)
    context.setBlendMode(.copy)
    context.draw(picture(1, 1) { _, _ in [255, 255, 255, 255] }, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(memory(context) == [128, 128, 128, 128])
  }

  /// ISO 32000-1 §11.3.6, by hand: half of white over opaque gray.
  @Test(arguments: [
    (CGBlendMode.normal, 178), (.multiply, 100), (.screen, 178), (.sourceAtop, 178), (.destinationOver, 100),
    (.xor, 50),
    (.plusLighter, 228), (.destinationOut, 50), (.destinationIn, 50), (.difference, 128), (.clear, 0), (.sourceIn, 128),
  ])
  func modesMix(_ mode: CGBlendMode, _ wanted: Int) throws {
    let context = try #require(makeContext(1, 1))
    let pixel = CGRect(x: 0, y: 0, width: 1, height: 1)
    context.draw(picture(1, 1) { _, _ in [100, 100, 100, 255] }, in: pixel)
    context.setBlendMode(mode)
    context.setFillColor(gray: 1, alpha: 0.5)
    context.fill(pixel)
    #expect(abs(Int(memory(context)[0]) - wanted) <= 1)
  }

  @Test func theStateIsKept() throws {
    let context = try #require(makeContext(4, 4))
    context.saveGState()
    context.scaleBy(x: 2, y: 2)
    context.clip(to: CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setFillColor(gray: 1, alpha: 1)
    #expect(context.ctm.a == 2)
    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
    context.restoreGState()
    #expect(context.ctm.isIdentity)
    #expect(context.boundingBoxOfClipPath == CGRect(x: 0, y: 0, width: 4, height: 4))
    context.restoreGState()
    #expect(memory(context).filter { $0 == 255 }.count == 4 * 4)
  }

  @Test func grayIsLuma() throws {
    let context = try #require(
      CGContext(
        data: nil, width: 1, height: 1, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpaceCreateDeviceGray(),
        bitmapInfo: CGImageAlphaInfo.none.rawValue))
    context.draw(picture(1, 1) { _, _ in [255, 0, 0, 255] }, in: CGRect(x: 0, y: 0, width: 1, height: 1))
    #expect(memory(context) == [76])
    #expect(context.makeImage()?.colorSpace?.model == .monochrome)
  }

  @Test func memoryOfTheCallerIsDrawnOn() throws {
    var bytes = [UInt8](repeating: 7, count: 20)
    bytes.withUnsafeMutableBytes { memory in
      let context = CGContext(
        data: memory.baseAddress, width: 1, height: 2, bitsPerComponent: 8, bytesPerRow: 10,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue)
      context?.setFillColor(.white)
      context?.fill([CGRect(x: 0, y: 1, width: 1, height: 1)])
    }
    #expect(bytes == [255, 255, 255, 255] + [UInt8](repeating: 7, count: 16))
  }
}

@Suite struct ImageTests {
  @Test func describedBytesAreChecked() {
    let space = CGColorSpaceCreateDeviceRGB()
    let provider = CGDataProvider(data: Data(count: 100) as CFData)!
    func make(bits: Int = 8, pixel: Int = 32, row: Int = 20, _ info: CGImageAlphaInfo = .last, height: Int = 5)
      -> CGImage?
    {
      CGImage(
        width: 5, height: height, bitsPerComponent: bits, bitsPerPixel: pixel, bytesPerRow: row, space: space,
        bitmapInfo: CGBitmapInfo(rawValue: info.rawValue), provider: provider, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent)
    }
    #expect(make() != nil)
    #expect(make(height: 6) == nil)
    #expect(make(row: 19) == nil)
    #expect(make(pixel: 24, row: 15, .none) != nil)
    #expect(make(pixel: 24, .last) == nil)
    #expect(make(bits: 5, pixel: 16, .noneSkipFirst) == nil)
    #expect(make(.none) == nil)
  }

  @Test func partsAreWholePixels() throws {
    let image = picture(8, 8) { x, y in [UInt8(x), UInt8(y), 0, 255] }
    let part = try #require(image.cropping(to: CGRect(x: 1.5, y: 2.5, width: 3, height: 1)))
    #expect(size(part) == "4×2")
    #expect(bytes(part).prefix(4) == [1, 2, 0, 255])
    #expect(image.cropping(to: CGRect(x: 6, y: 6, width: 10, height: 10))?.width == 2)
    #expect(image.cropping(to: CGRect(x: 9, y: 0, width: 4, height: 4)) == nil)
  }

  @Test func aMaskTakesAway() throws {
    let image = picture(2, 1) { _, _ in [10, 20, 30, 255] }
    let mask = CGImage(
      width: 2, height: 1, bitsPerComponent: 8, bitsPerPixel: 8, bytesPerRow: 2, space: CGColorSpaceCreateDeviceGray(),
      bitmapInfo: [], provider: CGDataProvider(data: Data([0, 255]) as CFData)!, decode: nil, shouldInterpolate: false,
      intent: .defaultIntent)!
    #expect(bytes(image.masking(mask)) == [10, 20, 30, 255, 10, 20, 30, 0])
    #expect(image.masking(image) == nil)
  }

  /// A level of 1, 2 or 4 bits, and samples of 16 bits with the high byte first.
  @Test func describedLayoutsAreRead() throws {
    let gray = CGColorSpaceCreateDeviceGray()
    func image(_ bits: Int, _ width: Int, _ bytes: [UInt8], _ info: CGBitmapInfo = []) -> CGImage? {
      CGImage(
        width: width, height: 1, bitsPerComponent: bits, bitsPerPixel: bits, bytesPerRow: bytes.count, space: gray,
        bitmapInfo: info, provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: nil, shouldInterpolate: false,
        intent: .defaultIntent)
    }
    func levels(_ image: CGImage?) throws -> [UInt8] {
      let described = try #require(image)
      let made = try #require(file(described, "public.png"))
      return bytes(CGImageSourceCreateImageAtIndex(opened(made)!, 0, nil))
    }
    #expect(try levels(image(1, 4, [0b1010_0000])) == [255, 0, 255, 0])
    #expect(try levels(image(2, 4, [0b00_01_10_11])) == [0, 85, 170, 255])
    #expect(try levels(image(4, 2, [0x3F])) == [51, 255])
    #expect(try levels(image(16, 1, [0x12, 0x34])) == [0x34, 0x12])
    #expect(try levels(image(16, 1, [0x34, 0x12], .byteOrder16Little)) == [0x34, 0x12])
  }

  @Test func aFileOfAProviderIsAPicture() throws {
    let png = try #require(CGDataProvider(data: try Fixture.data("png/valid/rgba8.png") as CFData))
    let image = CGImage(pngDataProviderSource: png, decode: nil, shouldInterpolate: true, intent: .defaultIntent)
    #expect(bytes(image) == bytes(CGImageSourceCreateImageAtIndex(try Fixture.source("png/valid/rgba8.png"), 0, nil)))
    #expect(CGImage(jpegDataProviderSource: png, decode: nil, shouldInterpolate: true, intent: .defaultIntent) == nil)
  }

  @Test func spacesAreEqualByWhatTheyAre() throws {
    #expect(CGColorSpace(name: CGColorSpace.displayP3) == CGColorSpace(name: CGColorSpace.displayP3))
    #expect(CGColorSpace(name: CGColorSpace.displayP3) != CGColorSpace(name: CGColorSpace.sRGB))
    #expect(CGColorSpace(name: "no such space" as CFString) == nil)
    #expect(CGColorSpace(name: CGColorSpace.displayP3)?.isWideGamutRGB == true)
    #expect(CGColorSpaceCreateDeviceCMYK().numberOfComponents == 4)
    #expect(CGColorSpace(iccData: Data(count: 200) as CFData) == nil)
    let icc = try #require(
      CGImageSourceCreateImageAtIndex(try Fixture.source("png/valid/icc.png"), 0, nil)?.colorSpace?.copyICCData())
    #expect(CGColorSpace(iccData: icc)?.model == .rgb)
    #expect(CGColor(gray: 0.5, alpha: 1).components == [0.5, 1])
    #expect(CGColor.white == CGColor(gray: 1, alpha: 1))
  }
}
