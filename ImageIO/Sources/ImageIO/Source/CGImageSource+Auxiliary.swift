// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// A picture that belongs to another one: depth, a matte, a gain map. Nil where the file has none of the type.
  ///
  /// - Returns: Rows under `kCGImageAuxiliaryDataInfoData`; `Width`, `Height`, `BytesPerRow`, `PixelFormat` and `Orientation` under
  ///   `kCGImageAuxiliaryDataInfoDataDescription`; and what the file says of the rows, if anything, under
  ///   `kCGImageAuxiliaryDataInfoMetadata`. Levels are those that the file stores: depth is not turned into meters.
  public func CGImageSourceCopyAuxiliaryDataInfoAtIndex(
    _ source: CGImageSource, _ index: Int, _ type: CFString
  ) -> CFDictionary? {
    source.lock.withLock {
      guard let page = source.page(index), let pictures = try? page.auxiliaryPictures(),
        let picture = pictures.first(where: { AuxiliaryType.matches($0, type as String) }),
        let image = try? page.decodeAuxiliary(picture)
      else { return nil }
      let pixels = image.pixels
      let description = NSMutableDictionary()
      let values: [(CFString, Int)] = [
        (kCGImagePropertyWidth, pixels.size.width), (kCGImagePropertyHeight, pixels.size.height),
        (kCGImagePropertyBytesPerRow, pixels.rowBytes),
        (kCGImagePropertyPixelFormat, AuxiliaryType.pixelFormat(pixels.format, picture.kind)),
        (kCGImagePropertyOrientation, page.header.orientation.rawValue),
      ]
      for (key, value) in values { description.setObject(NSNumber(value: value), forKey: key) }
      let result = NSMutableDictionary()
      result.setObject(NSData(data: Data(pixels.copyBytes())), forKey: kCGImageAuxiliaryDataInfoData)
      result.setObject(description, forKey: kCGImageAuxiliaryDataInfoDataDescription)
      if let metadata = GainMapTags.metadata(of: page, picture, packet: image.metadata[.xmp]) {
        result.setObject(metadata, forKey: kCGImageAuxiliaryDataInfoMetadata)
      }
      return result.copy() as? CFDictionary
    }
  }

  extension CGImageSource {
    /// The light that the gain map of a picture leads to; nil without one.
    func headroom(_ index: Int) -> Double? { lock.withLock { page(index)?.headroom } }
  }

  /// ImageIO's names of pictures that belong to others.
  enum AuxiliaryType {
    /// Apple's mattes as files name them: after the year, the name that counts.
    private static var mattes: [(type: CFString, year: Int, name: String)] {
      [
        (kCGImageAuxiliaryDataTypePortraitEffectsMatte, 2018, "portraiteffectsmatte"),
        (kCGImageAuxiliaryDataTypeSemanticSegmentationSkinMatte, 2019, "semanticskinmatte"),
        (kCGImageAuxiliaryDataTypeSemanticSegmentationHairMatte, 2019, "semantichairmatte"),
        (kCGImageAuxiliaryDataTypeSemanticSegmentationTeethMatte, 2019, "semanticteethmatte"),
        (kCGImageAuxiliaryDataTypeSemanticSegmentationGlassesMatte, 2020, "semanticglassesmatte"),
        (kCGImageAuxiliaryDataTypeSemanticSegmentationSkyMatte, 2020, "semanticskymatte"),
      ]
    }

    static func name(of picture: AuxiliaryPicture) -> CFString? {
      switch picture.kind {
      case .depth: kCGImageAuxiliaryDataTypeDepth
      case .disparity: kCGImageAuxiliaryDataTypeDisparity
      case .gainMap: isISO(picture) ? kCGImageAuxiliaryDataTypeISOGainMap : kCGImageAuxiliaryDataTypeHDRGainMap
      case .matte: mattes.first { picture.typeName.lowercased().hasSuffix($0.name) }?.type
      default: nil
      }
    }

    /// Apple's own gain maps have a URN, and those of ISO 21496-1 may have both.
    private static func isISO(_ picture: AuxiliaryPicture) -> Bool { picture.gainMapMetadata != nil }

    static func matches(_ picture: AuxiliaryPicture, _ type: String) -> Bool {
      if name(of: picture).map({ $0 as String }) == type { return true }
      return picture.kind == .gainMap && type == kCGImageAuxiliaryDataTypeHDRGainMap as String
        && picture.typeName.lowercased().hasSuffix("hdrgainmap")
    }

    /// What a type is written as: its kind, and the name that files have for it.
    static func written(_ type: CFString) -> (kind: PageKind, name: String)? {
      let depth = "urn:mpeg:mpegB:cicp:systems:auxiliary:depth"
      switch type {
      case kCGImageAuxiliaryDataTypeDepth: return (.depth, depth)
      case kCGImageAuxiliaryDataTypeDisparity: return (.disparity, depth)
      case kCGImageAuxiliaryDataTypeISOGainMap, kCGImageAuxiliaryDataTypeHDRGainMap: return (.gainMap, "")
      default:
        return mattes.first { $0.type == type }.map { (.matte, "urn:com:apple:photo:\($0.year):aux:\($0.name)") }
      }
    }

    /// The four letters of Core Video for a layout.
    static func pixelFormat(_ format: PixelFormat, _ kind: PageKind) -> Int {
      let letters =
        switch format {
        case .gray8: "L008"
        case .gray16: "L016"
        case .rgb8: "24RG"
        case .rgba8: "RGBA"
        case .bgra8: "BGRA"
        default: "    "
        }
      if format == .rgb8 { return 24 }
      return letters.utf8.reduce(0) { $0 << 8 | Int($1) }
    }
  }
#endif
