// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// What the file is as a whole: its size, what it contains, and of an animation how it plays. Nil for one that is not read.
  public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
    source.lock.withLock {
      guard let decoder = source.decoder else { return nil }
      let result = NSMutableDictionary()
      result.setObject(NSNumber(value: source.fileSize), forKey: kCGImagePropertyFileSize)
      result.setObject(source.contentsProperties, forKey: kCGImagePropertyFileContentsDictionary)
      if let name = source.animationDictionary {
        let inner = NSMutableDictionary()
        let stored = (try? decoder.properties()) ?? Properties()
        inner.setObject(NSNumber(value: decoder.header.canvas.width), forKey: kCGImagePropertyGIFCanvasPixelWidth)
        inner.setObject(NSNumber(value: decoder.header.canvas.height), forKey: kCGImagePropertyGIFCanvasPixelHeight)
        if let plays = source.statedPlays(decoder) {
          inner.setObject(NSNumber(value: plays), forKey: kCGImagePropertyGIFLoopCount)
        }
        if name == "{GIF}", let flag = stored[name, "HasGlobalColorMap"]?.integer {
          inner.setObject(NSNumber(value: flag != 0), forKey: kCGImagePropertyGIFHasGlobalColorMap)
        }
        let frames = (0..<source.count).map { index -> NSObject in
          let frame = NSMutableDictionary()
          source.addDelay(of: index, to: frame)
          return frame
        }
        inner.setObject(array(frames), forKey: kCGImagePropertyGIFFrameInfoArray)
        result.setObject(inner, forKey: NSString(string: name))
      }
      return result.copy() as? CFDictionary
    }
  }

  /// What is known of a picture without decoding it, by ImageIO's names. Nil for one that the file does not have.
  public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
  ) -> CFDictionary? {
    source.lock.withLock {
      guard let page = source.page(index), let stored = try? page.properties() else { return nil }
      let result = dictionary(MacProperties.shown(stored, of: page.header))
      if let name = source.animationDictionary {
        let key = NSString(string: name)
        let inner = (result.inner(key)?.mutableCopy() as? NSMutableDictionary) ?? NSMutableDictionary()
        // What the file says of all frames is a property of the file.
        for other in [
          "FrameCount", "LoopCount", "CanvasPixelWidth", "CanvasPixelHeight", "HasGlobalColorMap", "Version",
        ] {
          inner.removeObject(forKey: NSString(string: other))
        }
        source.addDelay(of: index, to: inner)
        result.setObject(inner, forKey: key)
      }
      if index == source.decoder?.header.primaryPage, source.count > 1, !source.isSequence {
        result.setObject(NSNumber(value: index), forKey: kCGImagePropertyPrimaryImage)
      }
      return result.copy() as? CFDictionary
    }
  }

  extension CGImageSource {
    /// The dictionary that has delays, or nil for a file that is no animation.
    var animationDictionary: String? {
      guard isSequence, let format = decoder?.header.format else { return nil }
      return Self.animationDictionaries[format]
    }

    static let animationDictionaries: [ImageFormat: String] = [
      .gif: "{GIF}", .png: "{PNG}", .webP: "{WebP}", .heics: "{HEICS}", .heic: "{HEICS}", .heif: "{HEICS}",
      .avif: "{AVIS}", .jpegXL: "{JXL}",
    ]

    /// How often an animation plays, 0 for ever; nil for a GIF that does not say so.
    func statedPlays(_ decoder: ImageDecoder) -> UInt32? {
      if decoder.header.format == .gif, decoder.header.loopCount == nil, decoder.loopCount == .plays(1) { return nil }
      return decoder.loopCount.plays
    }

    /// The delay of a frame in seconds: as the file has it, and as it is shown.
    ///
    /// A delay of less than 1/50 s is shown for 1/10 s, as browsers do.
    func delay(of index: Int) -> (stated: Double, shown: Double) {
      let stated = (try? decoder?.frameHeader(at: index))?.delay?.seconds ?? 0.1
      return (stated, stated < 0.02 ? 0.1 : stated)
    }

    fileprivate func addDelay(of index: Int, to dictionary: NSMutableDictionary) {
      let delay = delay(of: index)
      dictionary.setObject(NSNumber(value: delay.stated), forKey: kCGImagePropertyGIFUnclampedDelayTime)
      dictionary.setObject(NSNumber(value: delay.shown), forKey: kCGImagePropertyGIFDelayTime)
    }

    /// `{FileContents}`: the pictures of the file, and those that belong to them.
    fileprivate var contentsProperties: NSDictionary {
      let pictures = (isSequence ? [0] : Array(0..<min(count, 64))).compactMap { index -> NSObject? in
        guard let page = page(index) else { return nil }
        let picture = NSMutableDictionary()
        picture.setObject(NSNumber(value: index), forKey: kCGImagePropertyImageIndex)
        picture.setObject(NSNumber(value: page.header.canvas.width), forKey: kCGImagePropertyWidth)
        picture.setObject(NSNumber(value: page.header.canvas.height), forKey: kCGImagePropertyHeight)
        if let space = CGColorSpace(of: page)?.name {
          picture.setObject(space, forKey: kCGImagePropertyNamedColorSpace)
        }
        let others = ((try? page.auxiliaryPictures()) ?? []).compactMap { other -> NSObject? in
          guard let type = AuxiliaryType.name(of: other) else { return nil }
          let entry = NSMutableDictionary()
          entry.setObject(type, forKey: kCGImagePropertyAuxiliaryDataType)
          if let size = other.size {
            entry.setObject(NSNumber(value: size.width), forKey: kCGImagePropertyWidth)
            entry.setObject(NSNumber(value: size.height), forKey: kCGImagePropertyHeight)
          }
          return entry
        }
        if !others.isEmpty { picture.setObject(array(others), forKey: kCGImagePropertyAuxiliaryData) }
        if let small = embeddedThumbnailSize(index) {
          let entry = NSMutableDictionary()
          entry.setObject(NSNumber(value: small.width), forKey: kCGImagePropertyWidth)
          entry.setObject(NSNumber(value: small.height), forKey: kCGImagePropertyHeight)
          picture.setObject(array([entry]), forKey: kCGImagePropertyThumbnailImages)
        }
        return picture
      }
      let result = NSMutableDictionary()
      result.setObject(NSNumber(value: count), forKey: kCGImagePropertyImageCount)
      result.setObject(array(pictures), forKey: kCGImagePropertyImages)
      return result
    }
  }

  /// Where ImageIO shows a property in another way than ImageCoders.
  enum MacProperties {
    static func shown(_ stored: Properties, of header: ImageHeader) -> Properties {
      var result = stored
      // Only metadata, not properties, have XMP.
      result["{XMP}"] = nil
      if header.format == .jpeg, header.alpha == .opaque { result["HasAlpha"] = nil }
      if header.pixelFormat.isFloat { result["IsFloat"] = .boolean(true) }
      if header.hasPalette, header.format != .gif { result["IsIndexed"] = .boolean(true) }
      // How the picture is to be turned; Exif of HEIF and its relatives may say something else, which does not count.
      if let stated = stored["{TIFF}", "Orientation"] {
        let isOne = stated.integer.map { (1...8).contains($0) } ?? false
        result["Orientation"] = isOne ? .integer(Int64(header.orientation.rawValue)) : stated
      }
      if case .text(let stars)? = stored["{IPTC}", "StarRating"], let number = Double(stars) {
        result["{IPTC}", "StarRating"] =
          number == number.rounded() ? Int64(exactly: number).map { .integer($0) } : .number(number)
      }
      if case .dictionary(let contact)? = stored["{IPTC}", "CreatorContactInfo"] {
        var plain = Properties()
        for (name, value) in contact.sorted { plain[String(name.split(separator: ":").last ?? "")] = value }
        result["{IPTC}", "CreatorContactInfo"] = .dictionary(plain)
      }
      if let terms = stored["{IPTC}", "RightsUsageTerms"] {
        result["{IPTC}", "RightsUsageTerms"] = nil
        result["{IPTC}", kCGImagePropertyIPTCRightsUsageTerms as String] = terms
      }
      // A time without fractions, and degrees that went through minutes with four decimals.
      if case .text(let time)? = stored["{GPS}", "TimeStamp"], let dot = time.firstIndex(of: ".") {
        result["{GPS}", "TimeStamp"] = .text(String(time[..<dot]))
      }
      for name in ["Latitude", "Longitude", "DestLatitude", "DestLongitude"] {
        guard let degrees = stored["{GPS}", name]?.number, degrees.isFinite else { continue }
        let whole = degrees.rounded(.down)
        let minutes = ((degrees - whole) * 60 * 10_000).rounded() / 10_000
        result["{GPS}", name] = .number(whole + minutes / 60)
      }
      return result
    }
  }
#endif
