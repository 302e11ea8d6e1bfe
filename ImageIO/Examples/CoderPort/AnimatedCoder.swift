// SPDX-License-Identifier: Apache-2.0

#if canImport(ImageIO)
  public import CoreGraphics
  import Foundation
  import ImageIO
  public import UniformTypeIdentifiers

  /// Decodes and encodes animations, frame by frame: GIF, APNG, WebP, HEICS.
  public final class AnimatedCoder {
    /// A frame, and how long it is shown.
    public struct Frame {
      public var image: CGImage
      /// Seconds.
      public var duration: Double

      public init(_ image: CGImage, duration: Double) { (self.image, self.duration) = (image, duration) }
    }

    /// The names of a type's dictionary and of its values.
    private struct Names {
      let dictionary, unclampedDelay, delay, loopCount: CFString
      /// Plays where the file does not say how many.
      let plays: Int
    }

    private static func names(_ type: String) -> Names? {
      switch type {
      case UTType.gif.identifier:
        Names(
          dictionary: kCGImagePropertyGIFDictionary, unclampedDelay: kCGImagePropertyGIFUnclampedDelayTime,
          delay: kCGImagePropertyGIFDelayTime, loopCount: kCGImagePropertyGIFLoopCount, plays: 1)
      case UTType.png.identifier:
        Names(
          dictionary: kCGImagePropertyPNGDictionary, unclampedDelay: kCGImagePropertyAPNGUnclampedDelayTime,
          delay: kCGImagePropertyAPNGDelayTime, loopCount: kCGImagePropertyAPNGLoopCount, plays: 0)
      case UTType.webP.identifier:
        Names(
          dictionary: kCGImagePropertyWebPDictionary, unclampedDelay: kCGImagePropertyWebPUnclampedDelayTime,
          delay: kCGImagePropertyWebPDelayTime, loopCount: kCGImagePropertyWebPLoopCount, plays: 0)
      case UTType.heics.identifier:
        Names(
          dictionary: kCGImagePropertyHEICSDictionary, unclampedDelay: kCGImagePropertyHEICSUnclampedDelayTime,
          delay: kCGImagePropertyHEICSDelayTime, loopCount: kCGImagePropertyHEICSLoopCount, plays: 0)
      default: nil
      }
    }

    private let source: CGImageSource
    private let names: Names?
    public let frameCount: Int
    /// 0 for ever.
    public let loopCount: Int

    /// Nil for bytes that are no picture.
    public init?(_ data: Data) {
      guard let source = CGImageSourceCreateWithData(data as CFData, nil), let type = CGImageSourceGetType(source)
      else { return nil }
      self.source = source
      names = Self.names(type as String)
      frameCount = CGImageSourceGetCount(source)
      let properties = CGImageSourceCopyProperties(source, nil) as NSDictionary?
      let inner = names.flatMap { properties?[$0.dictionary] as? NSDictionary }
      loopCount = names.flatMap { inner?[$0.loopCount] as? Int } ?? names?.plays ?? 0
    }

    public func frame(at index: Int, options: StillCoder.Options = StillCoder.Options()) -> CGImage? {
      guard index < frameCount else { return nil }
      return StillCoder.frame(of: source, at: index, options: options)
    }

    /// Seconds. What is shorter than 11 ms is shown for 100 ms, as browsers do.
    public func duration(at index: Int) -> Double {
      guard let names, let properties = CGImageSourceCopyPropertiesAtIndex(source, index, nil) as NSDictionary?,
        let inner = properties[names.dictionary] as? NSDictionary
      else { return 0.1 }
      let delay = inner[names.unclampedDelay] as? Double ?? inner[names.delay] as? Double ?? 0.1
      return delay < 0.011 ? 0.1 : delay
    }

    /// The file of an animation; nil for a type that has none.
    public static func encode(_ frames: [Frame], as type: UTType, loopCount: Int) -> Data? {
      let data = NSMutableData()
      guard let names = names(type.identifier),
        let destination = CGImageDestinationCreateWithData(data, type.identifier as CFString, frames.count, nil)
      else { return nil }
      let whole = [names.dictionary: [names.loopCount: loopCount]]
      CGImageDestinationSetProperties(destination, whole as CFDictionary)
      for frame in frames {
        let properties = [names.dictionary: [names.delay: frame.duration]]
        CGImageDestinationAddImage(destination, frame.image, properties as CFDictionary)
      }
      return CGImageDestinationFinalize(destination) ? data as Data : nil
    }
  }
#endif
