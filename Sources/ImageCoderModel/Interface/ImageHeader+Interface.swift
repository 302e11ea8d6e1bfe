// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs

extension ImageHeader {
  /// Checks what a reader says of a page.
  ///
  /// - Parameter format: What the reader names, or nil to make it of the name.
  /// - Throws: ``CoderError/Code/libraryFailure`` when the reader breaks the interface: the file is not to blame.
  package init(_ raw: imgcoder_info, format: ImageFormat? = nil) throws(CoderError) {
    let rowFormat = RowFormat(rawValue: raw.pixel_format)
    // Of inks that are not asked for, the reader makes colors.
    let made = rowFormat.map { $0 == .cmyk8 ? .rgb8 : $0 == .cmyk16 ? .rgb16 : $0.pixelFormat }
    guard let pixelFormat = made ?? PixelFormat(rawValue: raw.pixel_format) else {
      throw .libraryFailure("the reader reports pixel format \(raw.pixel_format), 1 to 16 are known")
    }
    guard let alpha = AlphaMode(rawValue: raw.alpha) else {
      throw .libraryFailure("the reader reports alpha mode \(raw.alpha), 0 to 2 are known")
    }
    guard raw.width > 0, raw.height > 0 else {
      throw .libraryFailure("the reader reports a canvas of \(raw.width)×\(raw.height)")
    }
    self.init(
      format: format ?? ImageFormat(rawValue: String(raw.format)),
      canvas: Size(width: Int(raw.width), height: Int(raw.height)), pixelFormat: pixelFormat,
      bitsPerChannel: Int(raw.bits_per_channel),
      alpha: alpha)
    let flags = InfoFlags(rawValue: raw.flags)
    // Exif readers treat a value outside 1...8 as "nothing to do"; so does this one.
    orientation = Orientation(rawValue: Int(raw.orientation)) ?? .up
    frameCount = max(1, Int(raw.frame_count))
    pageCount = max(1, Int(raw.page_count))
    primaryPage = Int(raw.primary_page) < pageCount ? Int(raw.primary_page) : 0
    isAnimated = flags.contains(.animated)
    loopCount = flags.contains(.playsStated) ? LoopCount(plays: raw.plays) : nil
    let points = raw.cicp
    if points.primaries != 0 || points.transfer != 0 {
      cicp = CodingIndependentCodePoints(
        primaries: points.primaries, transfer: points.transfer, matrix: points.matrix,
        isFullRange: points.full_range != 0)
    }
    gamma = raw.gamma > 0 ? raw.gamma : nil
    subsampling = Subsampling(rawValue: raw.subsampling)
    if flags.contains(.hasBackground) {
      let (red, green, blue, alpha) = raw.background
      background = PixelColor(red16: red, green16: green, blue16: blue, alpha16: alpha)
    }
    metadata = flags.metadata
    isTruncated = flags.contains(.truncated)
    isProgressive = flags.contains(.progressive)
    standsIn = flags.contains(.standsIn)
    hasInks = flags.contains(.inks)
    isLossless = flags.contains(.lossless) && !standsIn
    hasPalette = flags.contains(.palette)
    isDamaged = flags.contains(.damaged)
    pagesAreSizes = flags.contains(.pagesAreSizes)
    isIncomplete = flags.contains(.incomplete)
    resolution = raw.resolution > 0 && raw.resolution.isFinite ? raw.resolution : nil
    let aspect = raw.pixel_aspect
    pixelAspect = aspect >= 1.0 / 64 && aspect <= 64 && aspect != 1 ? aspect : nil
    if flags.contains(.anySize) { anySize = try AnySize(raw) }
    hiddenPageCount = Int(raw.hidden_page_count)
    role = try PageRole(raw, pageCount: pageCount, showsOwner: flags.contains(.samePicture))
    sequence = FrameSequence(raw, isCounted: !isAnimated || !flags.contains(.framesUnknown))
    if flags.contains(.embedded) {
      let (end, overflow) = raw.embedded_offset.addingReportingOverflow(raw.embedded_length)
      guard !overflow, end <= UInt64(Int.max), raw.embedded_length > 0 else {
        throw .libraryFailure(
          "the reader reports an embedded file of \(raw.embedded_length) bytes at \(raw.embedded_offset)")
      }
      embedded = Int(raw.embedded_offset)..<Int(end)
    }
  }

  /// The same for the plugin interface.
  ///
  /// - Parameters:
  ///   - format: The format's identifier in memory that lives as long as the plugin.
  ///   - name: The name of ``role`` in memory that lives as long as the session.
  package func raw(format: imgcoder_string, name: imgcoder_string = imgcoder_string()) -> imgcoder_info {
    var info = imgcoder_info_sized()
    var flags: InfoFlags = []
    if isAnimated { flags.insert(.animated) }
    flags.formUnion(InfoFlags(metadata))
    if isTruncated { flags.insert(.truncated) }
    if isProgressive { flags.insert(.progressive) }
    if isLossless, !standsIn { flags.insert(.lossless) }
    if standsIn { flags.insert(.standsIn) }
    if hasInks { flags.insert(.inks) }
    if hasPalette { flags.insert(.palette) }
    if isDamaged { flags.insert(.damaged) }
    if isIncomplete { flags.insert(.incomplete) }
    if pagesAreSizes { flags.insert(.pagesAreSizes) }
    if let embedded {
      flags.insert(.embedded)
      info.embedded_offset = UInt64(embedded.lowerBound)
      info.embedded_length = UInt64(embedded.count)
    }
    if let anySize {
      flags.insert(.anySize)
      info.natural_width = anySize.width ?? 0
      info.natural_height = anySize.height ?? 0
      info.largest_side = UInt32(clamping: anySize.largestSide ?? 0)
    }
    info.resolution = resolution ?? 0
    info.pixel_aspect = pixelAspect ?? 0
    info.page_kind = role.kind.rawValue
    info.page_name = name
    info.owner_page = UInt32(clamping: role.owner)
    info.page_x = Int32(clamping: role.x)
    info.page_y = Int32(clamping: role.y)
    if role.showsOwner { flags.insert(.samePicture) }
    info.hidden_page_count = UInt32(clamping: hiddenPageCount)
    if !sequence.isCounted { flags.insert(.framesUnknown) }
    info.duration = sequence.duration ?? 0
    info.poster_frame = UInt32(clamping: sequence.posterFrame)
    info.access = sequence.access.rawValue
    if let loopCount {
      flags.insert(.playsStated)
      info.plays = loopCount.plays
    }
    if let background {
      flags.insert(.hasBackground)
      info.background = (background.red16, background.green16, background.blue16, background.alpha16)
    }
    if let cicp {
      info.cicp = imgcoder_cicp(
        primaries: cicp.primaries, transfer: cicp.transfer, matrix: cicp.matrix, full_range: cicp.isFullRange ? 1 : 0)
    }
    info.flags = flags.rawValue
    info.width = UInt32(clamping: canvas.width)
    info.height = UInt32(clamping: canvas.height)
    info.pixel_format = pixelFormat.rawValue
    info.bits_per_channel = UInt32(clamping: bitsPerChannel)
    info.alpha = alpha.rawValue
    info.orientation = UInt32(orientation.rawValue)
    info.frame_count = UInt32(clamping: frameCount)
    info.page_count = UInt32(clamping: pageCount)
    info.primary_page = UInt32(clamping: primaryPage)
    info.subsampling = subsampling?.rawValue ?? 0
    info.gamma = gamma ?? 0
    info.format = format
    return info
  }

  private struct InfoFlags: OptionSet {
    let rawValue: UInt32
    static let animated = InfoFlags(rawValue: 1)
    static let playsStated = InfoFlags(rawValue: 2)
    static let hasICC = InfoFlags(rawValue: 4)
    static let hasExif = InfoFlags(rawValue: 8)
    static let hasXMP = InfoFlags(rawValue: 16)
    static let hasBackground = InfoFlags(rawValue: 32)
    static let truncated = InfoFlags(rawValue: 64)
    static let progressive = InfoFlags(rawValue: 128)
    static let lossless = InfoFlags(rawValue: 256)
    static let palette = InfoFlags(rawValue: 512)
    static let damaged = InfoFlags(rawValue: 1024)
    static let pagesAreSizes = InfoFlags(rawValue: 2048)
    static let embedded = InfoFlags(rawValue: 4096)
    static let incomplete = InfoFlags(rawValue: 8192)
    static let anySize = InfoFlags(rawValue: 16384)
    static let standsIn = InfoFlags(rawValue: 32_768)
    static let framesUnknown = InfoFlags(rawValue: 65_536)
    static let inks = InfoFlags(rawValue: 131_072)
    static let samePicture = InfoFlags(rawValue: 262_144)
    static let hasIPTC = InfoFlags(rawValue: 524_288)
    static let hasC2PA = InfoFlags(rawValue: 1_048_576)
    static let hasGeoTIFF = InfoFlags(rawValue: 2_097_152)
    static let hasText = InfoFlags(rawValue: 4_194_304)

    private static let payloads: [(kind: MetadataKind, flag: InfoFlags)] = [
      (.icc, hasICC), (.exif, hasExif), (.xmp, hasXMP), (.iptc, hasIPTC), (.c2pa, hasC2PA), (.geoTIFF, hasGeoTIFF),
      (.text, hasText),
    ]

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ metadata: Set<MetadataKind>) {
      self = Self.payloads.filter { metadata.contains($0.kind) }.reduce(into: []) { $0.insert($1.flag) }
    }

    /// The payloads that the flags announce.
    var metadata: Set<MetadataKind> { Set(Self.payloads.filter { contains($0.flag) }.map(\.kind)) }
  }
}

extension AnySize {
  /// Checks what a reader says of a drawing's size.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` for a size that does not round up to the canvas.
  fileprivate init(_ raw: imgcoder_info) throws(CoderError) {
    let (width, height) = (raw.natural_width, raw.natural_height)
    let isStated = width != 0 || height != 0
    // Written so that what is no number is refused too.
    guard !isStated || (AnySize.isRounded(width, to: raw.width) && AnySize.isRounded(height, to: raw.height)) else {
      throw .libraryFailure(
        "the reader reports a natural size of \(width)×\(height) on a canvas of \(raw.width)×\(raw.height)")
    }
    self.init(
      width: isStated ? width : nil, height: isStated ? height : nil,
      largestSide: raw.largest_side == 0 ? nil : Int(raw.largest_side))
  }

  private static func isRounded(_ natural: Double, to side: UInt32) -> Bool {
    natural > 0 && natural > Double(side) - 1.001 && natural < Double(side) + 0.001
  }
}

extension PageRole {
  /// Checks what a reader says of a page's place in its file. A kind that is not known is another one.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` for an owner that is no visible page.
  fileprivate init(_ raw: imgcoder_info, pageCount: Int, showsOwner: Bool) throws(CoderError) {
    let kind = PageKind(rawValue: raw.page_kind) ?? .other
    guard kind == .picture || Int(raw.owner_page) < pageCount else {
      throw .libraryFailure(
        "the reader reports a page of kind \(raw.page_kind) that belongs to page \(raw.owner_page) of \(pageCount)")
    }
    self.init(
      kind, name: String(raw.page_name, longest: Self.longestName), owner: kind == .picture ? 0 : Int(raw.owner_page),
      x: Int(raw.page_x), y: Int(raw.page_y), showsOwner: showsOwner && kind == .preview)
  }
}

extension String {
  /// The first bytes of a text, without a character that is cut apart.
  fileprivate init(_ raw: imgcoder_string, longest: Int) {
    guard let bytes = raw.bytes, raw.length > 0, raw.length <= UInt64(IMGCODER_MAX_TEXT) else {
      self = ""
      return
    }
    var text = UnsafeRawBufferPointer(start: bytes, count: Swift.min(Int(raw.length), longest))
    if text.count == longest {
      // A character of UTF-8 has up to 3 bytes after the first, which all begin with the bits 10.
      let tail = text.suffix(4)
      if let start = tail.lastIndex(where: { $0 & 0xC0 != 0x80 }), text[start] >= 0xC0 {
        let needed = text[start] >= 0xF0 ? 4 : text[start] >= 0xE0 ? 3 : 2
        if text.count - start < needed { text = UnsafeRawBufferPointer(rebasing: text[..<start]) }
      }
    }
    self = String(decoding: text, as: UTF8.self)
  }
}

extension FrameSequence {
  /// What a reader says of its frames. What makes no sense is not said: a duration that is no positive number, a poster
  /// frame that is not there. A cost that is not known is the highest.
  fileprivate init(_ raw: imgcoder_info, isCounted: Bool) {
    let isInside = !isCounted || raw.poster_frame < max(1, raw.frame_count)
    self.init(
      isCounted: isCounted, duration: raw.duration > 0 && raw.duration.isFinite ? raw.duration : nil,
      posterFrame: isInside ? Int(raw.poster_frame) : 0, access: Access(rawValue: raw.access) ?? .firstFrame)
  }
}

extension FrameHeader {
  /// Checks what a reader says of a frame.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` when the reader breaks the interface.
  package init(_ raw: imgcoder_frame_info, index: Int, canvas: Size) throws(CoderError) {
    let rect = Rect(x: Int(raw.x), y: Int(raw.y), width: Int(raw.width), height: Int(raw.height))
    guard !rect.isEmpty, rect.isInside(canvas) else {
      throw .libraryFailure(
        "the reader reports frame \(index) at \(rect.x),\(rect.y) of \(rect.size) on a canvas of \(canvas)")
    }
    guard let disposal = Disposal(rawValue: raw.disposal), let blend = Blend(rawValue: raw.blend) else {
      throw .libraryFailure("the reader reports disposal \(raw.disposal) and blend \(raw.blend) for frame \(index)")
    }
    self.init(
      rect: rect,
      delay: raw.delay_denominator == 0
        ? nil : FrameDelay(numerator: raw.delay_numerator, denominator: raw.delay_denominator),
      disposal: disposal, blend: blend, dependsOn: raw.depends_on == .max ? nil : min(Int(raw.depends_on), index),
      hasAlpha: raw.flags & 1 != 0, isKey: raw.flags & 2 != 0)
  }

  /// The same for the plugin interface.
  package var raw: imgcoder_frame_info {
    var info = imgcoder_frame_info_sized()
    info.flags = (hasAlpha ? 1 : 0) | (isKey ? 2 : 0)
    info.x = UInt32(clamping: rect.x)
    info.y = UInt32(clamping: rect.y)
    info.width = UInt32(clamping: rect.width)
    info.height = UInt32(clamping: rect.height)
    info.delay_numerator = delay?.numerator ?? 0
    info.delay_denominator = delay?.denominator ?? 0
    info.disposal = disposal.rawValue
    info.blend = blend.rawValue
    info.depends_on = dependsOn.map { UInt32(clamping: $0) } ?? .max
    return info
  }
}
