// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the boxes of a file say, and where its codestream is.
///
/// - Format: ISO/IEC 15444-1 annex I, and what 15444-2 annex M adds to color specification. A codestream without boxes
///   is a file as well.
struct FileHeader {
  /// Whether there are boxes.
  private(set) var isBoxed = true
  /// The range of the first codestream; may end after the source does.
  private(set) var codestream: Range<Int>
  private(set) var codestreamCount = 1
  private(set) var color: ColorSpecification?
  private(set) var palette: Palette?
  /// One for each channel when there is a palette.
  private(set) var mapping: [ChannelMap.Source] = []
  private(set) var definitions: [ChannelMap.Definition] = []
  private(set) var metadata: [MetadataKind: Range<Int>] = [:]
  private(set) var captureResolution: Resolution?
  private(set) var displayResolution: Resolution?

  /// - Parameter isIncremental: Whether what lies after the start of the codestream is not there yet; it is left out.
  /// - Complexity: O(boxes).
  init(parsing source: SourceView, isIncremental: Bool) throws(CoderError) {
    let start = [UInt8](copying: try source.bytes(at: 0, count: JP2Header.signature.count))
    if start.starts(with: Self.codestreamStart) {
      isBoxed = false
      codestream = 0..<source.size
      return
    }
    guard start.count >= 4, JP2Header.signature.starts(with: start) else {
      throw .wrongFormat("the file starts neither with a JP2 signature box nor with SOC and SIZ", at: 0)
    }
    guard start.count == JP2Header.signature.count else {
      throw .truncated("the signature box needs 12 bytes, \(start.count) are there", at: 0)
    }
    codestream = 0..<0
    codestreamCount = 0
    do throws(CoderError) {
      try readBoxes(of: source, isIncremental: isIncremental)
    } catch {
      // What follows the codestream cannot take it away.
      guard error.code == .malformed, codestreamCount > 0 else { throw error }
    }
    guard codestreamCount > 0 else { throw .truncated("the file ends before its codestream", at: source.size) }
  }

  /// The markers SOC and SIZ.
  private static let codestreamStart: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]

  /// Reads the outermost boxes.
  private mutating func readBoxes(of source: SourceView, isIncremental: Bool) throws(CoderError) {
    var offset = JP2Header.signature.count
    while let box = try source.box(at: offset, before: source.size) {
      switch box.type {
      case .header where codestreamCount == 0: try readHeader(box, in: source)
      case .codestream:
        if codestreamCount == 0 { codestream = box.payload }
        codestreamCount += 1
        if isIncremental { return }
      case .uuid: try readUUID(box, in: source)
      case .jumbf: try readCredentials(box, in: source)
      default: break
      }
      offset = box.end
    }
  }

  /// Waits for the header box and reads it.
  private mutating func readHeader(_ box: Box, in source: SourceView) throws(CoderError) {
    if source.size == .max { _ = try source.bytes(at: box.end - 1, count: 1) }
    guard box.end <= source.size else {
      throw .truncated("the header box ends at \(box.end), the source at \(source.size)", at: source.size)
    }
    try readHeader(BoxReader(source.reader(in: box.payload, of: "the header box"), in: "the header box"))
  }

  /// Reads the boxes of the header (I.5.3).
  private mutating func readHeader(_ boxes: consuming BoxReader) throws(CoderError) {
    while let box = try boxes.next() {
      var content = try boxes.content(of: box, as: "a box of the header")
      switch box.type {
      // The first one that is understood counts (I.5.3.3); one with a model goes before one without.
      case .color where color?.model == nil:
        if let found = try ColorSpecification(parsing: &content), color == nil || found.model != nil {
          color = found
        }
      case .palette where palette == nil: palette = try Palette(parsing: &content)
      case .componentMapping where mapping.isEmpty: mapping = try Self.mapping(parsing: &content)
      case .channelDefinition where definitions.isEmpty: definitions = try Self.definitions(parsing: &content)
      case .resolution:
        do throws(CoderError) {
          // Some writers state sizes that are too large; the fields are there all the same.
          try readResolutions(BoxReader(content, in: "the resolution box", isCutOff: true))
        } catch {
          // A resolution that cannot be read costs no pixels.
          guard error.code == .malformed else { throw error }
        }
      default: break
      }
    }
    if let profile = color?.profile { metadata[.icc] = profile }
  }

  /// More channels than any picture has: components have numbers of 14 bits (I.5.3.5).
  private static let mostChannels = 16_384

  /// I.5.3.5.
  private static func mapping(parsing reader: inout ByteReader) throws(CoderError) -> [ChannelMap.Source] {
    var mapping: [ChannelMap.Source] = []
    for _ in 0..<min(reader.remaining / 4, mostChannels) {
      let component = Int(try reader.uint16("a component"))
      let type = try reader.uint8("a type of mapping")
      let column = Int(try reader.uint8("a column"))
      mapping.append(ChannelMap.Source(component: component, column: type == 1 ? column : nil))
    }
    return mapping
  }

  /// I.5.3.6.
  private static func definitions(parsing reader: inout ByteReader) throws(CoderError) -> [ChannelMap.Definition] {
    var definitions: [ChannelMap.Definition] = []
    try reader.skip(min(2, reader.remaining), "the number of definitions")
    for _ in 0..<min(reader.remaining / 6, mostChannels) {
      let channel = Int(try reader.uint16("a channel"))
      let type = Int(try reader.uint16("a type of channel"))
      definitions.append(
        ChannelMap.Definition(channel: channel, type: type, association: Int(try reader.uint16("an association"))))
    }
    return definitions
  }

  /// Reads capture and display resolution (I.5.3.7).
  private mutating func readResolutions(_ boxes: consuming BoxReader) throws(CoderError) {
    while let box = try boxes.next() {
      var content = try boxes.content(of: box, as: "a resolution")
      guard content.remaining >= Resolution.byteCount, let found = try Resolution(parsing: &content) else { continue }
      if box.type == .captureResolution { captureResolution = found }
      if box.type == .displayResolution { displayResolution = found }
    }
  }

  /// Notes metadata; the first of each kind counts, and a cut one counts as absent.
  private mutating func readUUID(_ box: Box, in source: SourceView) throws(CoderError) {
    guard box.end <= source.size, box.payload.count > BoxIdentifier.byteCount else { return }
    let range = box.payload.dropFirst(BoxIdentifier.byteCount)
    var reader = try source.reader(
      in: box.content..<min(range.lowerBound + Self.exifPrefix.count, box.end), of: "a uuid box")
    // Of an incomplete file, the end is known only when it is met: then there is no codestream either.
    guard reader.remaining >= BoxIdentifier.byteCount else { return }
    switch try reader.array(BoxIdentifier.byteCount, "the identifier") {
    case BoxIdentifier.exif, BoxIdentifier.adobeExif:
      guard metadata[.exif] == nil else { return }
      let prefix = try reader.array(reader.remaining)
      let payload = prefix == Self.exifPrefix ? range.dropFirst(prefix.count) : range
      if !payload.isEmpty { metadata[.exif] = payload }
    case BoxIdentifier.xmp:
      if metadata[.xmp] == nil { metadata[.xmp] = range }
    case BoxIdentifier.iptc:
      if metadata[.iptc] == nil { metadata[.iptc] = range }
    case BoxIdentifier.geoTIFF:
      if metadata[.geoTIFF] == nil { metadata[.geoTIFF] = range }
    default: break
    }
  }

  /// Notes a manifest store of C2PA.
  private mutating func readCredentials(_ box: Box, in source: SourceView) throws(CoderError) {
    guard metadata[.c2pa] == nil, box.end <= source.size else { return }
    let start = try source.bytes(at: box.start, count: min(48, box.end - box.start))
    if ContentCredentials.isStore(start) { metadata[.c2pa] = box.start..<box.end }
  }

  /// JPEG's prefix, which some writers leave before the TIFF header.
  private static let exifPrefix: [UInt8] = [0x45, 0x78, 0x69, 0x66, 0, 0]
}

/// Samples per metre (ISO/IEC 15444-1 I.5.3.7.1).
struct Resolution: Equatable {
  let x: Double
  let y: Double

  static let byteCount = 10

  /// - Returns: nil for one that is 0 or no number.
  init?(parsing reader: inout ByteReader) throws(CoderError) {
    let down = try Fraction(parsing: &reader)
    let across = try Fraction(parsing: &reader)
    let downPower = try reader.uint8("the vertical power")
    let acrossPower = try reader.uint8("the horizontal power")
    guard let y = down.value(power: downPower), let x = across.value(power: acrossPower) else { return nil }
    (self.x, self.y) = (x, y)
  }

  private struct Fraction {
    let numerator: UInt16
    let denominator: UInt16

    init(parsing reader: inout ByteReader) throws(CoderError) {
      numerator = try reader.uint16("a numerator")
      denominator = try reader.uint16("a denominator")
    }

    /// - Parameter power: Of ten, a signed number.
    func value(power: UInt8) -> Double? {
      guard denominator > 0 else { return nil }
      var value = Double(numerator) / Double(denominator)
      let power = Int(Int8(bitPattern: power))
      for _ in 0..<abs(power) { value = power < 0 ? value / 10 : value * 10 }
      return value > 0 && value.isFinite ? value : nil
    }
  }
}
