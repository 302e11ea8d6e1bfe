// SPDX-License-Identifier: Apache-2.0

// What image loaders of the Mac have as their coder over ImageIO, written as it is written there: no line knows of Linux.
#if canImport(ImageIO)
  public import CoreGraphics
  public import Foundation
  public import ImageIO
  public import UniformTypeIdentifiers

  /// Decodes and encodes stills, also while their bytes arrive.
  public final class StillCoder {
    /// What a picture is decoded to.
    public struct Options {
      /// The box of a thumbnail in pixels, or nil for the picture itself.
      public var thumbnailSize: CGSize?
      public var preservesAspectRatio = true
      public init() {}
    }

    private let incremental = CGImageSourceCreateIncremental(nil)
    private var size: (width: Int, height: Int)?
    private var orientation = CGImagePropertyOrientation.up
    private var isFinished = false

    public init() {}

    public static func canDecode(_ data: Data) -> Bool {
      guard let source = CGImageSourceCreateWithData(data as CFData, nil), let type = CGImageSourceGetType(source)
      else {
        return false
      }
      return (CGImageSourceCopyTypeIdentifiers() as? [String])?.contains(type as String) ?? false
    }

    public static func canEncode(_ type: UTType) -> Bool {
      let destination = CGImageDestinationCreateWithData(NSMutableData(), type.identifier as CFString, 1, nil)
      return destination != nil
    }

    // MARK: Decoding

    public static func decode(_ data: Data, options: Options = Options()) -> CGImage? {
      let hint = [kCGImageSourceShouldCache: false] as CFDictionary
      guard let source = CGImageSourceCreateWithData(data as CFData, hint) else { return nil }
      return frame(of: source, at: 0, options: options)
    }

    /// A frame upright; as a thumbnail, if its box is smaller than the picture.
    static func frame(of source: CGImageSource, at index: Int, options: Options) -> CGImage? {
      guard let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as? [CFString: Any],
        let width = properties[kCGImagePropertyPixelWidth] as? CGFloat,
        let height = properties[kCGImagePropertyPixelHeight] as? CGFloat
      else { return nil }
      let number = properties[kCGImagePropertyOrientation] as? UInt32 ?? 1
      let orientation = CGImagePropertyOrientation(rawValue: number) ?? .up
      let box = options.thumbnailSize ?? .zero
      if box.width <= 0 || box.height <= 0 || (width <= box.width && height <= box.height) {
        let cache = [kCGImageSourceShouldCacheImmediately: true] as CFDictionary
        return CGImageSourceCreateImageAtIndex(source, index, cache).flatMap { upright($0, orientation) }
      }
      let ratio = width / height
      let longest: CGFloat
      if options.preservesAspectRatio {
        let isWider = ratio > box.width / box.height
        longest = ratio > 1 ? (isWider ? box.width : box.height * ratio) : (isWider ? box.width / ratio : box.height)
      } else {
        longest = max(box.width, box.height)
      }
      let thumbnail: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceThumbnailMaxPixelSize: longest,
        kCGImageSourceCreateThumbnailWithTransform: options.preservesAspectRatio,
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, index, thumbnail as CFDictionary) else {
        return nil
      }
      return options.preservesAspectRatio ? image : scaled(image, to: box)
    }

    /// Draws a picture in another size.
    static func scaled(_ image: CGImage, to size: CGSize) -> CGImage? {
      guard let context = bitmap(Int(size.width), Int(size.height)) else { return nil }
      context.interpolationQuality = .high
      context.draw(image, in: CGRect(origin: .zero, size: size))
      return context.makeImage()
    }

    private static func bitmap(_ width: Int, _ height: Int) -> CGContext? {
      CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    }

    /// Draws a picture as it is to be seen.
    static func upright(_ image: CGImage, _ orientation: CGImagePropertyOrientation) -> CGImage? {
      guard orientation != .up else { return image }
      let (width, height) = (CGFloat(image.width), CGFloat(image.height))
      let swaps = [.left, .leftMirrored, .right, .rightMirrored].contains(orientation)
      var transform = CGAffineTransform.identity
      switch orientation {
      case .down, .downMirrored: transform = transform.translatedBy(x: width, y: height).rotated(by: .pi)
      case .left, .leftMirrored: transform = transform.translatedBy(x: height, y: 0).rotated(by: .pi / 2)
      case .right, .rightMirrored: transform = transform.translatedBy(x: 0, y: width).rotated(by: -.pi / 2)
      default: break
      }
      if [.upMirrored, .downMirrored, .leftMirrored, .rightMirrored].contains(orientation) {
        transform = transform.translatedBy(x: width, y: 0).scaledBy(x: -1, y: 1)
      }
      guard let context = bitmap(Int(swaps ? height : width), Int(swaps ? width : height)) else { return nil }
      context.concatenate(transform)
      context.draw(image, in: CGRect(x: 0, y: 0, width: width, height: height))
      return context.makeImage()
    }

    // MARK: Arriving bytes

    /// All bytes so far.
    public func update(_ data: Data, isFinished: Bool) {
      guard !self.isFinished else { return }
      self.isFinished = isFinished
      CGImageSourceUpdateData(incremental, data as CFData, isFinished)
      guard size == nil, let properties = CGImageSourceCopyPropertiesAtIndex(incremental, 0, nil) as NSDictionary?
      else { return }
      if let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      {
        size = (width, height)
      }
      if let number = properties[kCGImagePropertyOrientation] as? UInt32 {
        orientation = CGImagePropertyOrientation(rawValue: number) ?? .up
      }
    }

    /// What can be shown now.
    public var image: CGImage? {
      guard let size, size.width + size.height > 0 else { return nil }
      return CGImageSourceCreateImageAtIndex(incremental, 0, nil).flatMap { Self.upright($0, orientation) }
    }

    // MARK: Encoding

    /// What a file is made with.
    public struct EncodeOptions {
      public var quality = 1.0
      public var maxPixelSize: CGSize?
      public var background: CGColor?
      public var embedsThumbnail = false
      public init() {}
    }

    public static func encode(
      _ image: CGImage, as type: UTType, orientation: CGImagePropertyOrientation = .up,
      options: EncodeOptions = EncodeOptions()
    ) -> Data? {
      let data = NSMutableData()
      guard let destination = CGImageDestinationCreateWithData(data, type.identifier as CFString, 1, nil) else {
        return nil
      }
      var properties: [CFString: Any] = [
        kCGImagePropertyOrientation: orientation.rawValue, kCGImageDestinationLossyCompressionQuality: options.quality,
        kCGImageDestinationEmbedThumbnail: options.embedsThumbnail,
      ]
      if let color = options.background { properties[kCGImageDestinationBackgroundColor] = color }
      let (width, height) = (CGFloat(image.width), CGFloat(image.height))
      if let box = options.maxPixelSize, box.width > 0, box.height > 0, width > box.width || height > box.height {
        let isWider = width / height > box.width / box.height
        let longest =
          isWider ? max(box.width, box.width * height / width) : max(box.height, box.height * width / height)
        properties[kCGImageDestinationImageMaxPixelSize] = longest
      }
      CGImageDestinationAddImage(destination, image, properties as CFDictionary)
      return CGImageDestinationFinalize(destination) ? data as Data : nil
    }
  }
#endif
