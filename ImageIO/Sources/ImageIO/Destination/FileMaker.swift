// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// Makes the file of a destination.
  struct FileMaker {
    private let destination: CGImageDestination
    private let options: NSDictionary
    var format: ImageFormat { destination.format }
    let registry = Coders.registry

    init(_ destination: CGImageDestination) {
      self.destination = destination
      options = destination.options
    }

    func bytes() throws(CoderError) -> [UInt8] {
      if let file = try copy() { return file }
      var file = try encoded()
      let metadata: CGImageMetadata? =
        if case .image(_, let metadata) = destination.items[0].content { metadata } else { nil }
      if let metadata { file = try MetadataWriting.apply(metadata, to: file) }
      var edit = try MetadataWriting.edit(options, of: .bytes(file))
      if orientsByMetadata, edit.values["{TIFF}", "Orientation"] == nil, let turn = sourceOrientation, turn != .up {
        edit.values["{TIFF}", "Orientation"] = .integer(Int64(turn.rawValue))
      }
      // A picture with a gain map that is made for it is written upright.
      if request == kCGImageDestinationEncodeToISOGainmap, !hasOwnMap { edit.values["{TIFF}", "Orientation"] = nil }
      if !edit.isEmpty { file = try edited(file, edit) }
      for auxiliary in destination.auxiliaries { file = try attached(auxiliary, to: file) }
      return file
    }

    /// What the format has no place for is left out, as ImageIO does.
    private func edited(_ file: [UInt8], _ edit: MetadataEdit) throws(CoderError) -> [UInt8] {
      do throws(CoderError) {
        return try MetadataWriting.change(.bytes(file), edit)
      } catch {
        guard error.code == .unsupported || error.code == .noCoder else { throw error }
        Coders.log("\(error)")
        return file
      }
    }

    /// The writer of PNG has no place for an orientation; Exif in the file has.
    private var orientsByMetadata: Bool { format == .png }

    private var sourceOrientation: Orientation? {
      guard case .source(let source, let index) = destination.items[0].content else { return nil }
      return source.page(index)?.header.orientation
    }

    // MARK: The same bytes

    /// The only picture of a file of the same type, with other metadata; nil where pixels have to be encoded.
    private func copy() throws(CoderError) -> [UInt8]? {
      guard destination.items.count == 1, case .source(let source, let index) = destination.items[0].content,
        index == 0,
        source.isFinal, source.count == 1, source.type == format, source.status == .statusComplete,
        destination.auxiliaries.isEmpty, !changesPixels
      else { return nil }
      let edit = try MetadataWriting.edit(options, of: source.byteSource)
      guard edit.isEmpty else {
        do throws(CoderError) {
          return try MetadataWriting.change(source.byteSource, edit)
        } catch {
          // A format whose metadata are not edited is encoded again.
          guard error.code == .unsupported || error.code == .noCoder else { throw error }
          return nil
        }
      }
      return source.contents.map { [UInt8]($0) }
    }

    /// Whether an option asks for other pixels than those of the source.
    private var changesPixels: Bool {
      let keys = [
        kCGImageDestinationLossyCompressionQuality, kCGImageDestinationImageMaxPixelSize,
        kCGImageDestinationEncodeRequest,
        kCGImageDestinationBackgroundColor, kCGImageDestinationEmbedThumbnail,
        kCGImageDestinationOptimizeColorForSharing,
        kCGImagePropertyDPIWidth, kCGImagePropertyDPIHeight, kCGImagePropertyJFIFDictionary,
        kCGImagePropertyPNGDictionary,
      ]
      return keys.contains { options.object(forKey: $0) != nil }
        || options.flag(kCGImageDestinationPreserveGainMap) == false || destination.properties.inner("{GIF}") != nil
    }

    // MARK: Encoding

    private func encoded() throws(CoderError) -> [UInt8] {
      let encoding = try encodeOptions()
      let items = destination.items
      if isAnimation {
        var frames: [Frame] = []
        for item in items {
          var frame = try picture(item).frames[0]
          frame.delay = delay(item.properties) ?? frame.delay
          frames.append(frame)
        }
        frames = try Self.alike(frames)
        var image = ImageCodersBuiltIn.Image(frames: frames, loopCount: loopCount ?? .plays(1))
        if case .image(let first, _) = items[0].content { image.metadata[.icc] = first.colorSpace?.profile }
        return try registry.encode(image, as: format, options: encoding)
      }
      // One picture of a file goes from decoder to encoder, with all that belongs to it.
      if items.count == 1, case .source(let source, let index) = items[0].content, !source.isSequence, source.isFinal,
        !(orientsByMetadata && sourceOrientation != .up)
      {
        return try converted(source, index, by: encoding)
      }
      var pages: [ImageCodersBuiltIn.Image] = []
      for item in items {
        var page = try picture(item)
        if orientsByMetadata { page.orientation = .up }
        pages.append(page)
      }
      if encoding.gainMap == .made, pages.count == 1 { return try withGainMap(pages[0], encoding) }
      return try registry.encode(pages, as: format, options: encoding)
    }

    /// A gain map is made of a file: of one that holds all of the picture's light.
    private func withGainMap(_ picture: ImageCodersBuiltIn.Image, _ encoding: EncodeOptions) throws(CoderError)
      -> [UInt8]
    {
      let holders: [ImageFormat] = [.png, .jpegXL, .avif, .heic]
      guard let holder = holders.first(where: registry.writableFormats.contains) else {
        throw .unsupported("a gain map is made by way of a file of one of \(holders)")
      }
      var bright = EncodeOptions()
      (bright.isLossless, bright.preservesOrientation, bright.color) = (true, true, .convert(to: .rec2100PQ))
      let file = try registry.encode(picture, as: holder, options: bright)
      return try registry.convert(.bytes(file), to: format, at: .memory, options: encoding).bytes
    }

    private func converted(_ source: CGImageSource, _ index: Int, by encoding: EncodeOptions) throws(CoderError)
      -> [UInt8]
    {
      guard index >= 0, index < source.count else { throw Self.missing(index, source) }
      var encoding = encoding
      encoding.allowsCopy = false
      // Orientation is a tag, for the picture as for its metadata.
      var reading = source.options(page: index)
      if request == kCGImageDestinationEncodeToISOHDR, let headroom = source.headroom(index) {
        reading.gainMap = .applied(headroom: headroom)
      }
      return try registry.convert(source.byteSource, to: format, at: .memory, options: encoding, reading: reading).bytes
    }

    private static func missing(_ index: Int, _ source: CGImageSource) -> CoderError {
      .invalidArgument("picture \(index) of a source that has \(source.count)")
    }

    /// A picture with its metadata.
    private func picture(_ item: CGImageDestination.Item) throws(CoderError) -> ImageCodersBuiltIn.Image {
      switch item.content {
      case .image(let image, _):
        guard let pixels = image.pixels else { throw .invalidArgument("a picture whose pixels cannot be read") }
        var picture = ImageCodersBuiltIn.Image(pixels)
        picture.metadata[.icc] = image.colorSpace?.profile
        if picture.metadata[.icc] == nil { picture.cicp = image.colorSpace?.codePoints }
        let orientation =
          item.properties.integer(kCGImagePropertyOrientation) ?? options.integer(kCGImagePropertyOrientation)
        if let orientation, let known = Orientation(rawValue: orientation) { picture.orientation = known }
        return picture
      case .source(let source, let index):
        if source.isSequence {
          guard let frame = source.frame(index)?.frame else { throw Self.missing(index, source) }
          return ImageCodersBuiltIn.Image(frames: [frame])
        }
        if !source.isFinal {
          guard let frame = source.partial(index) else { throw Self.missing(index, source) }
          return ImageCodersBuiltIn.Image(frames: [frame])
        }
        guard let decoder = source.still(index, { _ in }) else { throw Self.missing(index, source) }
        return try decoder.image()
      }
    }

    /// Frames of one animation have one size and one layout: those of the first.
    private static func alike(_ frames: [Frame]) throws(CoderError) -> [Frame] {
      guard let size = frames.first?.pixels.size else { return frames }
      let hasAlpha = frames.contains { $0.pixels.alpha != .opaque }
      let layout = PixelLayout(.rgba8, hasAlpha ? .straight : .opaque)
      return try frames.map { frame throws(CoderError) in
        var frame = frame
        guard frame.pixels.size == size else {
          throw .invalidArgument("a frame of \(frame.pixels.size) in an animation of \(size)")
        }
        if frame.pixels.layout != layout { frame.pixels = try frame.pixels.converted(to: layout) }
        return frame
      }
    }

    // MARK: Options

    private func encodeOptions() throws(CoderError) -> EncodeOptions {
      var encoding = EncodeOptions()
      encoding.preservesOrientation = true
      let lossy: Set<ImageFormat> = [.jpeg, .heic, .heif, .heics, .avif, .webP, .jpegXL, .jpeg2000]
      if let quality = options.number(kCGImageDestinationLossyCompressionQuality), lossy.contains(format) {
        if quality >= 1, format != .jpeg {
          encoding.isLossless = true
        } else {
          encoding.quality = min(max(quality, 0), 1)
        }
      }
      if let side = options.number(kCGImageDestinationImageMaxPixelSize), side >= 1, side < 1e6 {
        encoding.maxSize = Size(width: Int(side), height: Int(side))
      }
      if let color = options.object(forKey: kCGImageDestinationBackgroundColor) as? CGColor {
        let bytes = color.rgba.map { UInt8($0 * 255 + 0.5) }
        encoding.background = PixelColor(red: bytes[0], green: bytes[1], blue: bytes[2])
      }
      if options.flag(kCGImageDestinationEmbedThumbnail) == true, [.jpeg, .heic, .heif, .avif].contains(format) {
        encoding.embeddedThumbnailSide = 160
      }
      if options.flag(kCGImageDestinationOptimizeColorForSharing) == true { encoding.color = .convert(to: .sRGB) }
      encoding.gainMap = options.flag(kCGImageDestinationPreserveGainMap) == true ? .kept : .dropped
      switch request {
      case kCGImageDestinationEncodeToSDR?: encoding.color = .convert(to: .sRGB)
      case kCGImageDestinationEncodeToISOHDR?: encoding.color = .convert(to: .rec2100PQ)
      case kCGImageDestinationEncodeToISOGainmap?: encoding.gainMap = hasOwnMap ? .kept : .made
      default: break
      }
      let densities = 0.01...1e5
      if let width = options.number(kCGImagePropertyDPIWidth), densities.contains(width) {
        let height = options.number(kCGImagePropertyDPIHeight) ?? width
        encoding.density = Density(width, vertical: densities.contains(height) ? height : width)
      }
      let isProgressive = options.inner(kCGImagePropertyJFIFDictionary)?.flag(kCGImagePropertyJFIFIsProgressive)
      if isProgressive == true, format == .jpeg { encoding.isProgressive = true }
      if options.inner(kCGImagePropertyPNGDictionary)?.number(kCGImagePropertyPNGInterlaceType) == 1, format == .png {
        encoding.isProgressive = true
      }
      if format == .tiff,
        let code = options.inner(kCGImagePropertyTIFFDictionary)?.integer(kCGImagePropertyTIFFCompression)
      {
        // TIFF 6.0 §8 "Compression", and Adobe's number of Deflate.
        let words: [Int: String] = [1: "none", 5: "lzw", 7: "jpeg", 8: "deflate", 32773: "packbits", 32946: "deflate"]
        if let word = words[code] { encoding.values["compression"] = .word(word) }
      }
      encoding.log = { severity, message in if severity == .warning { Coders.log(message) } }
      return encoding
    }

    private var request: CFString? { options.object(forKey: kCGImageDestinationEncodeRequest) as? CFString }

    /// Whether the first picture comes with a gain map.
    private var hasOwnMap: Bool {
      guard case .source(let source, let index) = destination.items[0].content else { return false }
      return source.headroom(index) != nil
    }

    /// Names of the dictionaries that have delays and plays.
    private static let dictionaries = Set(CGImageSource.animationDictionaries.values)

    private var isAnimation: Bool {
      guard CGImageSource.animationDictionaries[format] != nil else { return false }
      return destination.items.count > 1 || format == .gif && loopCount != nil
        || destination.items.contains { delay($0.properties) != nil } && format != .heic
    }

    private func delay(_ properties: NSDictionary) -> FrameDelay? {
      for name in Self.dictionaries.sorted() {
        guard let inner = properties.inner(NSString(string: name)) else { continue }
        let seconds = inner.number(kCGImagePropertyGIFUnclampedDelayTime) ?? inner.number(kCGImagePropertyGIFDelayTime)
        if let seconds, seconds >= 0, seconds < 4e6 { return .milliseconds(UInt32((seconds * 1000).rounded())) }
      }
      return nil
    }

    private var loopCount: LoopCount? {
      for name in Self.dictionaries.sorted() {
        let plays = destination.properties.inner(NSString(string: name))?.number(kCGImagePropertyGIFLoopCount)
        if let plays, plays >= 0, plays < 65_536 { return LoopCount(plays: UInt32(plays)) }
      }
      return nil
    }
  }

  extension CGColorSpace {
    /// ITU-T H.273 §8, for a space that has no profile here. sRGB is what a file without any says.
    fileprivate var codePoints: CodingIndependentCodePoints? {
      func points(_ primaries: UInt8, _ transfer: UInt8) -> CodingIndependentCodePoints {
        CodingIndependentCodePoints(primaries: primaries, transfer: transfer, matrix: 0, isFullRange: true)
      }
      switch name {
      case CGColorSpace.displayP3?: return points(12, 13)
      case CGColorSpace.itur_2020?: return points(9, 1)
      case CGColorSpace.itur_709?: return points(1, 1)
      case CGColorSpace.itur_2100_PQ?: return points(9, 16)
      case CGColorSpace.itur_2100_HLG?: return points(9, 18)
      case CGColorSpace.linearSRGB?, CGColorSpace.extendedLinearSRGB?: return points(1, 8)
      case CGColorSpace.linearDisplayP3?, CGColorSpace.extendedLinearDisplayP3?: return points(12, 8)
      default: return nil
      }
    }
  }
#endif
