// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// A picture as it is stored: not turned, alpha as the file has it. It is decoded before the call returns.
  ///
  /// A truncated file gives the part that is there, and a source whose bytes still arrive what has arrived.
  ///
  /// - Parameters:
  ///   - index: Frames of an animation are whole canvases. Nil is returned for one that the file does not have.
  ///   - options: `kCGImageSourceSubsampleFactor` (2, 4 or 8 for JPEG, HEIF, TIFF and PNG; each side rounded up),
  ///     `kCGImageSourceShouldAllowFloat`, `kCGImageSourceDecodeRequest`. Hints about caches change nothing.
  public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
  ) -> CGImage? {
    if !source.isFinal {
      return source.lock.withLock {
        guard let frame = source.partial(index) else { return nil }
        let space = source.decoder.flatMap { CGColorSpace(of: $0) }
        return CGImage(frame.pixels.inWords, colorSpace: space, utType: CGImageSourceGetType(source))
      }
    }
    if source.isSequence { return source.frameImage(index) }
    let wish = PictureWish(options)
    // The decoder of the source is everybody's; the one that decodes is this call's.
    guard let first = source.decoder,
      let decoder = source.still(
        index, { options in source.lock.withLock { wish.apply(to: &options, of: first) } }),
      let frame = try? decoder.frame(at: 0)
    else { return nil }
    return image(of: frame, by: decoder, wish: wish)
  }

  /// What a caller's options ask of a picture.
  private struct PictureWish {
    private let factor: Int
    private let allowsFloat: Bool
    private let request: String?

    init(_ options: CFDictionary?) {
      factor = options?.integer(kCGImageSourceSubsampleFactor) ?? 1
      allowsFloat = options?.flag(kCGImageSourceShouldAllowFloat) ?? false
      request = options?.object(forKey: kCGImageSourceDecodeRequest) as? String
    }

    /// Whether the picture is asked for with all of its light, and has more than white.
    private func isBright(_ decoder: ImageDecoder) -> Bool {
      guard request == kCGImageSourceDecodeToHDR as String else { return false }
      let header = decoder.header
      return header.pixelFormat.isFloat || [16, 18].contains(header.cicp?.transfer) || decoder.headroom != nil
    }

    func apply(to options: inout DecodeOptions, of decoder: ImageDecoder) {
      let header = decoder.header
      let scalable: Set<ImageFormat> = [.jpeg, .heic, .heif, .tiff, .png]
      if [2, 4, 8].contains(factor), scalable.contains(header.format) { options.size = .scaled(1 / Double(factor)) }
      if isBright(decoder) {
        if let headroom = decoder.headroom { options.gainMap = .applied(headroom: headroom) }
        options.pixelFormat = .rgbaFloat16
        options.color = .convert(to: .linearDisplayP3)
        return
      }
      switch header.pixelFormat {
      case .rgb8, .bgra8: options.pixelFormat = .rgba8
      case .rgb16: options.pixelFormat = .rgba16
      case .rgbaFloat16, .rgbaFloat32:
        guard !allowsFloat else { break }
        options.pixelFormat = .rgba16
        options.color = .convert(to: .sRGB)
      default: break
      }
      if request == kCGImageSourceDecodeToSDR as String, [16, 18].contains(header.cicp?.transfer) {
        options.color = .convert(to: .sRGB)
        options.pixelFormat = .rgba8
      }
    }

    /// The space of the result where it is another one than the file's.
    func space(_ decoder: ImageDecoder, _ frame: Frame) -> (space: CGColorSpace?, headroom: Float) {
      let header = decoder.header
      if isBright(decoder) {
        return (CGColorSpace(name: CGColorSpace.extendedLinearDisplayP3), Float(decoder.headroom ?? 0))
      }
      let isConverted =
        header.pixelFormat.isFloat && !allowsFloat
        || request == kCGImageSourceDecodeToSDR as String && [16, 18].contains(header.cicp?.transfer)
      if isConverted { return (CGColorSpace(name: CGColorSpace.sRGB), 0) }
      return (CGColorSpace(of: decoder), 0)
    }
  }

  extension ImageDecoder {
    /// The light that the gain map leads to, 1 or more; nil without one.
    var headroom: Double? {
      guard let map = try? gainMap() else { return nil }
      return min(max(exp2(max(map.parameters.alternateHeadroom, map.parameters.baseHeadroom)), 1), 65_536)
    }
  }

  extension CGImageSource {
    /// A frame of an animation. Its decoder is everybody's.
    fileprivate func frameImage(_ index: Int, key: SequenceKey = SequenceKey()) -> CGImage? {
      lock.withLock { frame(index, key: key).flatMap { image(of: $0.frame, by: $0.decoder) } }
    }
  }

  private func image(of frame: Frame, by decoder: ImageDecoder, wish: PictureWish = PictureWish(nil)) -> CGImage? {
    let (space, headroom) = wish.space(decoder, frame)
    let type = NSString(string: decoder.header.format.rawValue)
    return CGImage(frame.pixels.inWords, colorSpace: space, utType: type, headroom: headroom)
  }

  /// A small picture: the one that the file has embedded, or one that is made of the picture.
  ///
  /// - Parameter options:
  ///   - `kCGImageSourceCreateThumbnailFromImageAlways`: made of the picture.
  ///   - `kCGImageSourceCreateThumbnailFromImageIfAbsent`: made of the picture where none is embedded.
  ///   - Without either, the embedded one, or nil.
  ///   - `kCGImageSourceThumbnailMaxPixelSize`: the longest side, a number of any type; the other side is rounded. Nothing is
  ///     enlarged. Without it the picture has its own size.
  ///   - `kCGImageSourceCreateThumbnailWithTransform`: turned upright, with square pixels.
  public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
  ) -> CGImage? {
    let side = options?.number(kCGImageSourceThumbnailMaxPixelSize).flatMap { $0 >= 1 && $0 < 1e6 ? Int($0) : nil }
    let isUpright = options?.flag(kCGImageSourceCreateThumbnailWithTransform) ?? false
    if options?.flag(kCGImageSourceCreateThumbnailFromImageAlways) != true {
      if let embedded = source.embeddedThumbnail(index) { return small(embedded, side: side, isUpright: isUpright) }
      guard options?.flag(kCGImageSourceCreateThumbnailFromImageIfAbsent) == true else { return nil }
    }
    if !source.isFinal {
      guard let frame = source.partial(index) else { return nil }
      let stored = StoredThumbnail(
        pixels: frame.pixels, orientation: source.decoder?.header.orientation ?? .up,
        colorSpace: source.decoder.flatMap { CGColorSpace(of: $0) })
      return small(stored, side: side, isUpright: isUpright)
    }
    let box = side.map { PictureSize.fitting(Size(width: $0, height: $0)) } ?? .own
    // The first picture needs no look at the rest of the file.
    if index == 0 || !source.isSequence {
      let made = source.still(index) { options in
        options.size = box
        options.firstFrameOnly = true
        options.appliesOrientation = isUpright
        options.squaresPixels = isUpright
      }
      return made.flatMap { decoder in (try? decoder.frame(at: 0)).flatMap { image(of: $0, by: decoder) } }
    }
    return source.frameImage(index, key: CGImageSource.SequenceKey(side: side, isUpright: isUpright))
  }

  /// Pixels that are there, in the size and the direction that are asked for.
  private func small(_ picture: StoredThumbnail, side: Int?, isUpright: Bool) -> CGImage? {
    var pixels = picture.pixels
    if let side {
      let size = pixels.size.fitted(in: Size(width: side, height: side))
      if size != pixels.size { pixels = (try? pixels.resampled(to: size)) ?? pixels }
    }
    if isUpright { pixels = (try? pixels.oriented(by: picture.orientation)) ?? pixels }
    return CGImage(pixels.inWords, colorSpace: picture.colorSpace)
  }
#endif
