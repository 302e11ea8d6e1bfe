// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import Foundation
  package import ImageCodersBuiltIn

  /// A picture: rows from the top, as a coder decoded them, or as a caller describes bytes of his own.
  ///
  /// - Threads: Any.
  public final class CGImage: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made but what is kept under the lock.
    public let width: Int
    public let height: Int
    /// 8, 16 or 32; 1 to 8 for levels of gray.
    public let bitsPerComponent: Int
    public let bitsPerPixel: Int
    /// From the start of a row to that of the next.
    public let bytesPerRow: Int
    public let colorSpace: CGColorSpace?
    public let bitmapInfo: CGBitmapInfo
    /// The type of the file that it was read from, or nil.
    public let utType: CFString?
    public let shouldInterpolate: Bool
    public let renderingIntent: CGColorRenderingIntent
    /// Whether it is a mask. None can be made here.
    public let isMask = false
    /// No picture has another range of values here.
    public let decode: UnsafePointer<CGFloat>? = nil
    /// How much brighter than white its brightest part may be; 0 for a picture that does not say.
    public let contentHeadroom: Float

    private let lock = NSLock()
    private var provider: CGDataProvider?
    private var stored: PixelBuffer?

    /// A decoded picture.
    package init(
      _ pixels: PixelBuffer, colorSpace: CGColorSpace? = nil, utType: CFString? = nil, headroom: Float = 0
    ) {
      let format = pixels.format
      (width, height, bytesPerRow) = (pixels.size.width, pixels.size.height, pixels.rowBytes)
      bitsPerPixel = format.bytesPerPixel * 8
      bitsPerComponent = format.bytesPerChannel * 8
      self.colorSpace = colorSpace ?? (format.isGray ? .standardGray : .standardRGB)
      let alpha: CGImageAlphaInfo =
        switch pixels.alpha {
        case .opaque: format.hasAlpha ? (format.isGray ? .noneSkipLast : .noneSkipLast) : .none
        case .straight: .last
        case .premultiplied: .premultipliedLast
        }
      let order: CGImageByteOrderInfo =
        switch format.bytesPerChannel {
        case 2: .order16Little
        case 4: .order32Little
        default: .orderDefault
        }
      if format == .bgra8 {
        let first: CGImageAlphaInfo =
          alpha == .last ? .first : alpha == .premultipliedLast ? .premultipliedFirst : .noneSkipFirst
        bitmapInfo = CGBitmapInfo(alpha: first, byteOrder: .order32Little)
      } else {
        bitmapInfo = CGBitmapInfo(alpha: alpha, component: format.isFloat ? .float : .integer, byteOrder: order)
      }
      self.utType = utType
      (shouldInterpolate, renderingIntent, contentHeadroom) = (true, .defaultIntent, headroom)
      stored = pixels
    }

    /// A picture of bytes that the caller describes.
    ///
    /// Nil where Quartz makes none, and for what is not read here: 5 bits, inks, indexed colors, a range of values (`decode`).
    public init?(
      width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
      bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
      intent: CGColorRenderingIntent
    ) {
      guard width > 0, height > 0, width < 1 << 40, height < 1 << 40, decode == nil, let data = provider.data,
        let layout = DescribedPixels(
          bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, space: space, info: bitmapInfo),
        bytesPerRow >= (width * bitsPerPixel + 7) / 8, data.length / bytesPerRow >= height - 1,
        data.length >= bytesPerRow * (height - 1) + (width * bitsPerPixel + 7) / 8, layout.isRead
      else { return nil }
      (self.width, self.height, self.bytesPerRow) = (width, height, bytesPerRow)
      (self.bitsPerComponent, self.bitsPerPixel) = (bitsPerComponent, bitsPerPixel)
      (colorSpace, self.bitmapInfo, self.shouldInterpolate) = (space, bitmapInfo, shouldInterpolate)
      (renderingIntent, utType, self.provider, contentHeadroom) = (intent, nil, provider, 0)
    }

    /// The picture of a PNG file; nil for another one. `decode` is not looked at.
    public convenience init?(
      pngDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
      intent: CGColorRenderingIntent
    ) { self.init(source, .png) }

    /// The picture of a JPEG file; nil for another one. `decode` is not looked at.
    public convenience init?(
      jpegDataProviderSource source: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
      intent: CGColorRenderingIntent
    ) { self.init(source, .jpeg) }

    private convenience init?(_ source: CGDataProvider, _ format: ImageFormat) {
      var options = DecodeOptions(firstFrameOnly: true, allowedFormats: [format])
      options.appliesOrientation = false
      guard let data = source.data, let decoder = try? Coders.registry.open(.bytes(data as Data), options: options),
        let frame = try? decoder.frame(at: 0)
      else { return nil }
      self.init(
        frame.pixels.inWords, colorSpace: CGColorSpace(of: decoder), utType: NSString(string: format.rawValue))
    }

    public var alphaInfo: CGImageAlphaInfo { bitmapInfo.alpha }
    public var byteOrderInfo: CGImageByteOrderInfo { bitmapInfo.byteOrder }
    /// There is one way in which pixels are packed here.
    public var pixelFormatInfo: UInt32 { 0 }

    /// The bytes, `bytesPerRow` from row to row.
    public var dataProvider: CGDataProvider? {
      lock.withLock {
        if provider == nil, let stored { provider = CGDataProvider(data: NSData(data: Data(stored.copyBytes()))) }
        return provider
      }
    }

    /// The pixels as ImageCoders has them; nil if there is no memory for them.
    package var pixels: PixelBuffer? {
      lock.withLock {
        if stored == nil, let data = provider?.data {
          let layout = DescribedPixels(
            bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, space: colorSpace, info: bitmapInfo)
          stored = layout?.read(data as Data, size: Size(width: width, height: height), stride: bytesPerRow)
        }
        return stored
      }
    }

    private func with(_ pixels: PixelBuffer, _ space: CGColorSpace?) -> CGImage {
      CGImage(pixels, colorSpace: space, utType: nil, headroom: contentHeadroom)
    }

    /// Another object of the same pixels.
    public func copy() -> CGImage? {
      pixels.map { CGImage($0, colorSpace: colorSpace, utType: utType, headroom: contentHeadroom) }
    }

    /// The same numbers with another meaning; nil for a space with another number of components.
    public func copy(colorSpace space: CGColorSpace) -> CGImage? {
      guard space.numberOfComponents == colorSpace?.numberOfComponents else { return nil }
      return pixels.map { with($0, space) }
    }

    /// A part: of a rectangle with fractions, the whole pixels around it; nil if it is outside.
    public func cropping(to rect: CGRect) -> CGImage? {
      guard rect.isFinite else { return nil }
      let part = rect.standardized.intersection(CGRect(x: 0, y: 0, width: width, height: height)).integral
      guard !part.isNull, part.width >= 1, part.height >= 1, let pixels,
        let region = try? pixels.region(
          Rect(x: Int(part.minX), y: Int(part.minY), width: Int(part.width), height: Int(part.height)))
      else { return nil }
      return with(region, colorSpace)
    }

    /// The picture with alpha of a picture of gray: black stays, white is taken away. Nil for a mask that is not gray, or has
    /// another size.
    public func masking(_ mask: CGImage) -> CGImage? {
      guard mask.width == width, mask.height == height, mask.colorSpace?.model == .monochrome,
        let levels = try? mask.pixels?.converted(to: PixelLayout(.gray8, .opaque)),
        let picture = try? pixels?.converted(to: PixelLayout(.rgba8, .straight)), let copy = try? picture.copy()
      else { return nil }
      for y in 0..<height {
        let row = levels.samples(inRow: y)
        copy.withMutableSamples(inRow: y) { samples in
          for x in 0..<width {
            samples[4 * x + 3] = UInt8((Int(samples[4 * x + 3]) * (255 - Int(row[x])) + 127) / 255)
          }
        }
      }
      guard let straight = try? PixelBuffer(copying: copy.copyBytes(), size: copy.size, format: .rgba8) else {
        return nil
      }
      return with(straight, colorSpace)
    }
  }

  extension PixelBuffer {
    /// The same with a pixel of 32 or 64 bits where it has three samples: a `CGContext` has the layout of no other picture.
    package var inWords: PixelBuffer {
      let format: PixelFormat? = self.format == .rgb8 ? .rgba8 : self.format == .rgb16 ? .rgba16 : nil
      return format.flatMap { try? converted(to: PixelLayout($0, alpha)) } ?? self
    }
  }

  extension CGColorSpace {
    /// The space that a file states; nil for none, so that the picture has that of its kind.
    package convenience init?(of decoder: ImageDecoder) {
      let profile = try? decoder.metadata(.icc)
      let description = decoder.colorDescription
      let model: CGColorSpaceModel = decoder.header.pixelFormat.isGray ? .monochrome : .rgb
      let known: [(String, CFString)] = [
        ("sRGB", Self.sRGB), ("Display P3 PQ", Self.displayP3_PQ), ("Display P3", Self.displayP3),
        ("Adobe RGB", Self.adobeRGB1998), ("BT.2100 PQ", Self.itur_2100_PQ), ("BT.2100 HLG", Self.itur_2100_HLG),
        ("BT.2020 PQ", Self.itur_2100_PQ), ("BT.2020 HLG", Self.itur_2100_HLG), ("BT.2020", Self.itur_2020),
        ("BT.709", Self.itur_709),
      ]
      let name = known.first { description.hasPrefix($0.0) }?.1
      // Inks are given out as red, green and blue.
      let isOfPixels = profile.map {
        $0.count >= 20 && Array($0[16..<20]) == Array((model == .rgb ? "RGB " : "GRAY").utf8)
      }
      guard name != nil || isOfPixels == true else { return nil }
      self.init(
        named: model == .rgb ? name : isOfPixels == true ? nil : Self.genericGrayGamma2_2, model,
        profile: isOfPixels == true ? profile : nil)
    }
  }
#endif
