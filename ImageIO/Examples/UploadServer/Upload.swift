// SPDX-License-Identifier: Apache-2.0

// What a server does with a picture that somebody sends, written as it is written for a Mac: no line knows of Linux.
#if canImport(ImageIO)
  public import Foundation
  import ImageIO
  public import UniformTypeIdentifiers

  /// A picture that is sent. Its bytes are looked at as they come, so that what will not be taken is refused early.
  public final class Upload {
    /// Why a picture is not taken, as a status of HTTP.
    public enum Refusal: Int, Error {
      case damaged = 400
      case tooLarge = 413
      case notAPicture = 415
      case cannotBeStored = 500
    }

    /// What is taken, and what is made of it.
    public struct Rules: Sendable {
      public var types: [UTType] = [.jpeg, .png, .heic, .webP]
      public var mostBytes = 20 << 20
      public var mostPixels = 50_000_000
      /// The longest sides of what is made.
      public var sides = [1280, 160]
      /// Whether the largest one keeps a gain map, and so the light of an HDR display.
      public var keepsGainMap = false
      public init() {}
    }

    /// What the server keeps.
    public struct Stored {
      public var type: UTType
      /// The size in which it is shown.
      public var width: Int
      public var height: Int
      /// The file as it came, but without the place where it was taken.
      public var original: Data
      /// A smaller file for each side.
      public var smaller: [Int: Data]
    }

    private let rules: Rules
    private let source: CGImageSource
    private var bytes = Data()

    public init(rules: Rules = Rules()) {
      self.rules = rules
      // Coders of other types are not even asked.
      let types = rules.types.map(\.identifier) as CFArray
      source = CGImageSourceCreateIncremental([kCGImageSourceAllowableTypes: types] as CFDictionary)
    }

    /// The next bytes.
    public func receive(_ chunk: Data) throws(Refusal) {
      bytes.append(chunk)
      guard bytes.count <= rules.mostBytes else { throw .tooLarge }
      CGImageSourceUpdateData(source, bytes as CFData, false)
      try check()
    }

    /// No more bytes come.
    public func finish() throws(Refusal) -> Stored {
      CGImageSourceUpdateData(source, bytes as CFData, true)
      try check()
      guard CGImageSourceGetStatus(source) == .statusComplete else { throw .damaged }
      guard let type = (CGImageSourceGetType(source) as String?).flatMap({ UTType($0) }),
        let size = shownSize, let original = withoutPlace(type)
      else { throw .cannotBeStored }
      var smaller: [Int: Data] = [:]
      for side in rules.sides {
        let isLargest = side == rules.sides.max()
        guard let data = rules.keepsGainMap && isLargest && hasGainMap ? bright(side) : small(side) else {
          throw .cannotBeStored
        }
        smaller[side] = data
      }
      return Stored(type: type, width: size.width, height: size.height, original: original, smaller: smaller)
    }

    /// What is known by now.
    private func check() throws(Refusal) {
      switch CGImageSourceGetStatus(source) {
      case .statusUnknownType: throw .notAPicture
      case .statusInvalidData, .statusUnexpectedEOF: throw .damaged
      default: break
      }
      if let size = shownSize, size.width * size.height > rules.mostPixels { throw .tooLarge }
    }

    private var properties: [CFString: Any]? {
      CGImageSourceCopyPropertiesAtIndex(source, 0, nil) as? [CFString: Any]
    }

    private var shownSize: (width: Int, height: Int)? {
      guard let properties, let width = properties[kCGImagePropertyPixelWidth] as? Int,
        let height = properties[kCGImagePropertyPixelHeight] as? Int
      else { return nil }
      let isTurned = (properties[kCGImagePropertyOrientation] as? UInt32 ?? 1) > 4
      return isTurned ? (height, width) : (width, height)
    }

    private var hasGainMap: Bool {
      [kCGImageAuxiliaryDataTypeISOGainMap, kCGImageAuxiliaryDataTypeHDRGainMap].contains { type in
        CGImageSourceCopyAuxiliaryDataInfoAtIndex(source, 0, type) != nil
      }
    }

    // MARK: Files

    /// Pixels stay as they are stored, where the format's metadata can be changed; where not, they are encoded again.
    private func withoutPlace(_ type: UTType) -> Data? {
      let options = [kCGImageMetadataShouldExcludeGPS: true] as CFDictionary
      if let copy = file(of: type, { CGImageDestinationCopyImageSource($0, source, options, nil) }) { return copy }
      return file(of: type) { destination in
        let changes: [CFString: Any] = [
          kCGImagePropertyGPSDictionary: kCFNull!, kCGImageDestinationLossyCompressionQuality: 0.9,
        ]
        CGImageDestinationAddImageFromSource(destination, source, 0, changes as CFDictionary)
        return CGImageDestinationFinalize(destination)
      }
    }

    /// Upright, and without metadata.
    private func small(_ side: Int) -> Data? {
      let options: [CFString: Any] = [
        kCGImageSourceCreateThumbnailFromImageAlways: true, kCGImageSourceCreateThumbnailWithTransform: true,
        kCGImageSourceThumbnailMaxPixelSize: side,
      ]
      guard let image = CGImageSourceCreateThumbnailAtIndex(source, 0, options as CFDictionary) else { return nil }
      let isOpaque = [.none, .noneSkipFirst, .noneSkipLast].contains(image.alphaInfo)
      return file(of: isOpaque ? .jpeg : .png) { destination in
        let quality = [kCGImageDestinationLossyCompressionQuality: 0.8] as CFDictionary
        CGImageDestinationAddImage(destination, image, quality)
        return CGImageDestinationFinalize(destination)
      }
    }

    /// With its gain map, which lies as the picture is stored: the orientation stays a tag, and tells of both.
    private func bright(_ side: Int) -> Data? {
      file(of: .jpeg) { destination in
        let options: [CFString: Any] = [
          kCGImageDestinationImageMaxPixelSize: side, kCGImageDestinationPreserveGainMap: true,
          kCGImagePropertyGPSDictionary: kCFNull!, kCGImageDestinationLossyCompressionQuality: 0.8,
        ]
        CGImageDestinationAddImageFromSource(destination, source, 0, options as CFDictionary)
        return CGImageDestinationFinalize(destination)
      }
    }

    private func file(of type: UTType, _ fill: (CGImageDestination) -> Bool) -> Data? {
      let data = NSMutableData()
      guard let destination = CGImageDestinationCreateWithData(data, type.identifier as CFString, 1, nil),
        fill(destination)
      else { return nil }
      return data as Data
    }
  }
#endif
