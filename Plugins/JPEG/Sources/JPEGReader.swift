// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads JPEG files.
///
/// Baseline, extended sequential and progressive files of 8 bits per channel, Huffman or arithmetic coded: gray, RGB,
/// YCbCr, CMYK and YCCK. Inks become RGB. Files of 12 bits, and lossless ones of 2 to 16, with Huffman codes: gray, RGB and
/// YCbCr. Of a multi-picture file, the first picture is read.
///
/// - Format: ITU-T T.81, JFIF (T.871), Exif 2.32, XMP part 3 §1.1.3, ICC.1:2022 §B.4. Library: libjpeg-turbo 2.1
///   or later.
/// - Not covered: hierarchical files, arithmetic codes of more than 8 bits or without loss.
final class JPEGReader: ContainerReader {
  private let source: SourceView
  private let host: CoderHost
  private let file: FileHeader
  private let orientation: Orientation
  private let profile: [FileHeader.ProfilePart]
  private let facts: JPEGFacts
  private let hasIPTC: Bool
  private let isIncremental: Bool
  /// The pictures after the first, once they were asked for.
  private var auxiliary: JPEGAuxiliary?

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.source = source
    self.host = host
    isIncremental = options.contains(.incremental)
    file = try FileHeader(parsing: source, host: host)
    try host.limits.check(canvas: file.frame.size)
    switch file.profile.inOrder {
    case .success(let parts):
      profile = parts
    case .failure(let fault):
      host.log("the ICC profile is passed over: \(fault.message)", severity: .warning)
      profile = []
    }
    facts = try JPEGFacts(file.others, in: source)
    hasIPTC = try facts.hasIPTC(in: source, host: host)
    // Of Exif in several segments, all of which a limit may forbid, the first has what is read of every picture.
    if let exif = file.exif.first {
      orientation = ExifOrientation.read(try source.bytes(at: exif.lowerBound, count: exif.count))
    } else {
      orientation = .up
    }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    if page > 0 { return try auxiliaryHeader(page: page) }
    var header = ImageHeader(
      format: .jpeg, canvas: file.frame.size, pixelFormat: native, bitsPerChannel: file.frame.precision, alpha: .opaque)
    header.orientation = orientation
    header.subsampling = file.frame.subsampling
    header.isProgressive = file.frame.isProgressive
    header.isLossless = file.frame.process == .lossless
    header.hasInks = hasInks
    if !profile.isEmpty { header.metadata.insert(.icc) }
    if !file.exif.isEmpty { header.metadata.insert(.exif) }
    if file.xmp != nil { header.metadata.insert(.xmp) }
    if hasIPTC { header.metadata.insert(.iptc) }
    if facts.hasCredentials { header.metadata.insert(.c2pa) }
    if !facts.comments.isEmpty { header.metadata.insert(.text) }
    header.resolution = file.density?.resolution
    header.pixelAspect = file.density?.pixelAspect
    header.hiddenPageCount = countAuxiliaries()
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let canvas = file.frame.size
    guard !file.frame.isDeep else {
      let memory = file.frame.deepBytes
      try host.limits.check(memory: memory)
      return DecodeOffer(request, size: canvas, pixelFormat: native, alpha: .opaque, memory: memory)
    }
    let eighths =
      request.size.flatMap { wanted in
        Self.scales.first {
          let size = Self.size(of: canvas, eighths: $0)
          return size.width >= wanted.width && size.height >= wanted.height
        }
      } ?? 8
    let isInks = request.wantsInks && hasInks
    let readsDCAlone = eighths == 1 && request.size.map(dcIsEnough) ?? false
    let memory = readsDCAlone ? DCFile.memory(for: file.frame) : libjpegBytes + (eighths == 1 ? eighthsBytes : 0)
    try host.limits.check(memory: memory)
    let size = Self.size(of: canvas, eighths: eighths)
    let order: RowOrder = isIncremental && file.hasSeveralScans ? .any : .topDown
    let code = UInt32(eighths) | (readsDCAlone ? Self.dcAlone : 0)
    let covered = (Double(canvas.width * eighths) / 8, Double(canvas.height * eighths) / 8)
    // While a file arrives, its picture is shown more than once.
    let part = isIncremental ? nil : request.part(in: size)
    guard !isInks else {
      return DecodeOffer(
        request, size: size, part: part, rowFormat: .cmyk8, rowOrder: order, scaleCode: code, memory: memory,
        covered: covered)
    }
    return DecodeOffer(
      request, size: size, part: part, pixelFormat: format(for: request.pixelFormat), alpha: .opaque, rowOrder: order,
      scaleCode: code, memory: memory, covered: covered)
  }

  /// Bytes that libjpeg takes for a picture of any scale.
  private var libjpegBytes: Int { file.frame.rowBytes + (file.hasSeveralScans ? file.frame.coefficientBytes : 0) }

  /// Bytes of a picture at 1/8 that is decoded without libjpeg, before it is delivered: three samples for a pixel, and tables.
  private var eighthsBytes: Int {
    file.hasSeveralScans ? 0 : Self.size(of: file.frame.size, eighths: 1).pixelCount * 3 + 256 << 10
  }

  /// Whether DC coefficients are enough for a size: at 1/8, a channel of the picture's own resolution has no others in any
  /// case. Of chroma with fewer samples, libjpeg reads more; hosts ask for twice the pixels that they show, and what is
  /// missing is not seen where chroma has 0.725 of that, 1.45 samples for a pixel.
  private func dcIsEnough(for size: Size) -> Bool {
    guard !isIncremental, DCFile.canRead(file.frame) else { return false }
    return file.frame.channels.indices.allSatisfy { index in
      let factors = file.frame.channels[index]
      if factors.horizontal == file.frame.units.widest, factors.vertical == file.frame.units.tallest { return true }
      let stored = DCFile.size(of: index, in: file.frame)
      return stored.width * 1000 >= size.width * 725 && stored.height * 1000 >= size.height * 725
    }
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    if file.frame.isDeep { return try decodeDeep(offer, into: sink) }
    let canvas = file.frame.size
    let isInks = offer.rowFormat == .cmyk8 && hasInks
    let readsDCAlone = offer.scaleCode & Self.dcAlone != 0
    var offer = offer
    offer.scaleCode &= ~Self.dcAlone
    guard Self.scales.contains(Int(offer.scaleCode)),
      offer.whole == Self.size(of: canvas, eighths: Int(offer.scaleCode)),
      isInks || offer.rowFormat == nil && format(for: offer.pixelFormat) == offer.pixelFormat,
      !readsDCAlone || offer.scaleCode == 1 && !isInks && DCFile.canRead(file.frame)
    else { throw .invalidArgument("an offer that this reader did not make: \(offer.whole) \(offer.pixelFormat)") }
    try checkPlausibility()
    if readsDCAlone {
      if let file = try DCFile.read(source, frame: file.frame, host: host) {
        return try DCRows(file, part: offer.part, format: offer.pixelFormat, host: host).deliver(into: sink, host: host)
      }
      offer.memory = libjpegBytes
      try host.limits.check(memory: offer.memory)
    }
    try LibJPEG.decode(
      source, canvas: canvas, heightPlace: file.heightPlace, offer: offer, isInks: isInks, into: sink, host: host,
      isIncremental: isIncremental)
  }

  func metadata(_ kind: MetadataKind, page: Int) throws(CoderError) -> [UInt8]? {
    let parts: [Range<Int>]
    switch kind {
    case .icc: parts = profile.map(\.bytes)
    case .exif: parts = file.exif
    case .xmp:
      guard let standard = file.xmp else { return nil }
      return try JoinedXMP(standard, file.extendedXMP, source: source, host: host).packet
    case .iptc: return try facts.iptc(in: source, host: host)
    case .c2pa: return try facts.credentials(in: source, host: host)
    case .text: return try facts.texts(in: source, host: host)
    case .trailer where page == 0 && source.size < .max:
      return try JPEGFacts.trailer(of: source, pictures: try auxiliaries().found.map(\.place), host: host)
    case .other where page == 0: return try JPEGFacts.applicationData(in: source, limits: host.limits)
    case .geoTIFF, .trailer, .other: return nil
    }
    guard !parts.isEmpty else { return nil }
    try host.limits.check(metadata: parts.reduce(0) { $0 + $1.count })
    var payload: [UInt8] = []
    try ArrayMemory.grow(&payload, by: parts.reduce(0) { $0 + $1.count }, for: "metadata")
    for part in parts {
      payload += try source.bytes(at: part.lowerBound, count: part.count, of: "the \(kind) payload")
    }
    return payload
  }

  func properties(page: Int, frame: Int?) throws(CoderError) -> Properties {
    var properties = Properties()
    guard frame == nil else { return properties }
    properties["ColorModel"] = .text(["Gray", "RGB", "CMYK"][file.frame.channels.count / 2])
    if file.frame.isProgressive { properties["{JFIF}", "IsProgressive"] = .integer(1) }
    if let density = file.density {
      properties["{JFIF}", "DensityUnit"] = .integer(Int64(density.unit))
      properties["{JFIF}", "XDensity"] = .integer(Int64(density.x))
      properties["{JFIF}", "YDensity"] = .integer(Int64(density.y))
    }
    return properties
  }

  func gainMap(_ block: GainMapBlock, page: Int) throws(CoderError) -> [UInt8]? {
    guard page > 0, block == .metadata else { return nil }
    let found = try auxiliaries().found
    return page <= found.count ? found[page - 1].gainMap : nil
  }

  /// Pictures after the first, once all bytes are there. Most files have none, which their header tells.
  private func countAuxiliaries() -> Int {
    guard file.hasIndex || file.xmp != nil, source.size < .max else { return 0 }
    do throws(CoderError) { return try auxiliaries().found.count } catch {
      host.log("pictures after the first are left out: \(error.message)", severity: .warning)
      return 0
    }
  }

  private func auxiliaries() throws(CoderError) -> JPEGAuxiliary {
    if let auxiliary { return auxiliary }
    // The directory of pictures is in the standard packet: XMP part 3 §1.1.3.1 leaves what is large to the extended one.
    var packet: [UInt8]?
    if let standard = file.xmp {
      try host.limits.check(metadata: standard.count)
      if JPEGAuxiliary.mayHaveDirectory(try source.view(at: standard.lowerBound, count: standard.count)) {
        packet = try source.bytes(at: standard.lowerBound, count: standard.count, of: "XMP")
      }
    }
    let found = try JPEGAuxiliary(source, hasIndex: file.hasIndex, xmp: packet, host: host)
    auxiliary = found
    return found
  }

  /// A picture after the first: a file, which the host opens.
  private func auxiliaryHeader(page: Int) throws(CoderError) -> ImageHeader {
    let found = try auxiliaries().found
    guard page <= found.count else { throw .invalidArgument("page \(page) of a JPEG file, which has 1") }
    let (frame, place) = (found[page - 1].frame, found[page - 1].place)
    let role = found[page - 1].role
    var header = ImageHeader(
      format: .jpeg, canvas: frame.size, pixelFormat: frame.channels.count == 1 ? .gray8 : .rgb8,
      bitsPerChannel: frame.precision, alpha: .opaque)
    header.orientation = orientation
    header.embedded = place
    header.role = role
    header.hiddenPageCount = found.count
    return header
  }

  /// What libjpeg does not decode, all of it at once.
  private func decodeDeep(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    guard offer.size == file.frame.size, offer.pixelFormat == native else {
      throw .invalidArgument("an offer that this reader did not make: \(offer.size) \(offer.pixelFormat)")
    }
    try checkPlausibility()
    let picture = try DeepFile(try source.contents(), frame: file.frame, host: host)
    try picture.decode()
    try DeepRows(picture, frame: file.frame, format: native).deliver(into: sink, host: host)
    if let problem = picture.problem { throw problem }
  }

  private var hasInks: Bool { file.frame.channels.count == 4 && !file.frame.isDeep }

  /// The narrowest format; inks count as colors.
  private var native: PixelFormat {
    switch (file.frame.channels.count == 1, file.frame.precision > 8) {
    case (true, false): .gray8
    case (true, true): .gray16
    case (false, false): .rgb8
    case (false, true): .rgb16
    }
  }

  private func format(for wanted: PixelFormat?) -> PixelFormat {
    switch wanted {
    case .rgb8?: .rgb8
    case .rgba8?: .rgba8
    case .bgra8?: .bgra8
    default: native
    }
  }

  /// Eighths for which libjpeg-turbo has transforms that are cheaper than the full one; 3/8 costs what 4/8 does, and 5/8
  /// to 7/8 cost more than 8/8.
  private static let scales = [1, 2, 4, 8]
  /// With the scale of 1/8: the DC coefficients are read without libjpeg.
  private static let dcAlone: UInt32 = 0x100

  /// The size of the picture that libjpeg makes at a scale, rounded up as it does.
  private static func size(of canvas: Size, eighths: Int) -> Size {
    Size(width: (canvas.width * eighths).dividedUp(by: 8), height: (canvas.height * eighths).dividedUp(by: 8))
  }

  /// Refuses files that hold next to nothing of what their header says, before memory for all coefficients is taken.
  ///
  /// Huffman codes have 1 bit at least, and every block has a code for its DC coefficient, T.81 F.1.2.1 and G.1.2.1. A
  /// file that is cut has fewer, and rows to show all the same: the first scan may be that of one channel.
  private func checkPlausibility() throws(CoderError) {
    guard file.hasSeveralScans || file.frame.isDeep, !file.frame.isArithmetic else { return }
    let codes = file.frame.process == .lossless ? file.frame.size.pixelCount : file.frame.blockCount
    let needed = codes / 8
    guard needed / 64 <= source.size else {
      throw .truncated(
        "a picture of \(file.frame.size) takes \(needed) bytes at least, the source has \(source.size)",
        at: source.size)
    }
  }
}
