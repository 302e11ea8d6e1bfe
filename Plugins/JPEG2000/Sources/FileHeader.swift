// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the boxes of a file say, and where its codestream is.
///
/// - Format: ISO/IEC 15444-1 annex I, and what 15444-2 annex M adds to colour specification. A codestream without boxes
///   is a file as well.
struct FileHeader {
  /// Whether there are boxes.
  private(set) var isBoxed = true
  /// Of the first codestream; may end behind the source.
  private(set) var codestream: Range<Int>
  private(set) var codestreamCount = 1
  private(set) var colour: ColourSpecification?
  private(set) var palette: Palette?
  /// One for each channel when there is a palette.
  private(set) var mapping: [ChannelMap.Source] = []
  private(set) var definitions: [ChannelMap.Definition] = []
  private(set) var metadata: [MetadataKind: Range<Int>] = [:]
  /// Samples per metre.
  private(set) var captureResolution: (x: Double, y: Double)?
  private(set) var displayResolution: (x: Double, y: Double)?

  /// - Parameter isArriving: Whether what stands behind the codestream's beginning is not there yet; it is left out.
  /// - Complexity: O(boxes).
  init(parsing source: SourceView, isArriving: Bool) throws(CoderError) {
    let start = try source.view(at: 0, count: 12)
    if start.count >= 4, start.uint32(at: 0) == 0xFF4F_FF51 {
      isBoxed = false
      codestream = 0..<source.size
      return
    }
    guard start.count >= 4, start.starts(with: Box.signatureBytes.prefix(start.count)) else {
      throw .wrongFormat("the file starts neither with a JP2 signature box nor with SOC and SIZ", at: 0)
    }
    guard start.count == 12 else {
      throw .truncated("the signature box needs 12 bytes, \(start.count) are there", at: 0)
    }
    codestream = 0..<0
    codestreamCount = 0
    do throws(CoderError) {
      try readBoxes(of: source, isArriving: isArriving)
    } catch {
      // What follows the codestream cannot take it away.
      guard error.code == .malformed, codestreamCount > 0 else { throw error }
    }
    guard codestreamCount > 0 else { throw .truncated("the file ends before its codestream", at: source.size) }
    codestream = codestream.lowerBound..<max(codestream.lowerBound, codestream.upperBound)
  }

  /// Walks the outermost boxes.
  private mutating func readBoxes(of source: SourceView, isArriving: Bool) throws(CoderError) {
    var offset = 12
    while let box = try Box(parsing: source, at: offset, before: source.size) {
      switch box.type {
      case Box.header where codestreamCount == 0: try readHeader(box, in: source)
      case Box.codestream:
        if codestreamCount == 0 { codestream = box.contents }
        codestreamCount += 1
        if isArriving { return }
      case Box.uuid: try readUUID(box, in: source)
      default: break
      }
      offset = box.end
    }
  }

  /// Reads the boxes of the header (I.5.3).
  private mutating func readHeader(_ outer: Box, in source: SourceView) throws(CoderError) {
    if source.size == .max { _ = try source.view(at: outer.end - 1, count: 1) }
    guard outer.end <= source.size else {
      throw .truncated("the header box ends at \(outer.end), the source at \(source.size)", at: source.size)
    }
    var offset = outer.payload
    while let box = try Box(parsing: source, at: offset, before: outer.end) {
      guard box.end <= outer.end else {
        throw .malformed("a box up to \(box.end) in a header up to \(outer.end)", at: offset)
      }
      switch box.type {
      // The first one that is understood counts (I.5.3.3); one with a model goes before one without.
      case Box.colour where colour?.model == nil:
        if let found = try ColourSpecification(parsing: box, in: source), colour == nil || found.model != nil {
          colour = found
        }
      case Box.palette where palette == nil: palette = try Palette(parsing: box, in: source)
      case Box.componentMapping where mapping.isEmpty:
        let bytes = try Self.payload(of: box, in: source)
        for place in stride(from: 0, through: bytes.count - 4, by: 4) {
          mapping.append(
            ChannelMap.Source(
              component: bytes.uint16(at: place), column: bytes[place + 2] == 1 ? Int(bytes[place + 3]) : nil))
        }
      case Box.channelDefinition where definitions.isEmpty:
        let bytes = try Self.payload(of: box, in: source)
        for place in stride(from: 2, through: bytes.count - 6, by: 6) {
          definitions.append(
            ChannelMap.Definition(
              channel: bytes.uint16(at: place), type: bytes.uint16(at: place + 2),
              association: bytes.uint16(at: place + 4)))
        }
      case Box.resolution:
        do throws(CoderError) {
          try readResolution(box, in: source)
        } catch {
          // A resolution that cannot be read costs no pixels.
          guard error.code == .malformed else { throw error }
        }
      default: break
      }
      offset = box.end
    }
    if let profile = colour?.profile { metadata[.icc] = profile }
  }

  /// The payload of a small box.
  private static func payload(of box: Box, in source: SourceView) throws(CoderError) -> [UInt8] {
    // 16,384 channels of 6 bytes are the most that any of them holds.
    try source.bytes(at: box.payload, count: min(box.end - box.payload, 98_310), of: "a box of the header")
  }

  /// Reads capture and display resolution (I.5.3.7).
  private mutating func readResolution(_ outer: Box, in source: SourceView) throws(CoderError) {
    var offset = outer.payload
    while let box = try Box(parsing: source, at: offset, before: outer.end) {
      let bytes = try source.view(at: box.payload, count: 10)
      if box.end - box.payload >= 10, bytes.count == 10 {
        func value(_ place: Int, _ exponent: Int) -> Double? {
          let denominator = bytes.uint16(at: place + 2)
          guard denominator > 0 else { return nil }
          var value = Double(bytes.uint16(at: place)) / Double(denominator)
          let power = Int(Int8(bitPattern: bytes[exponent]))
          for _ in 0..<abs(power) { value = power < 0 ? value / 10 : value * 10 }
          return value > 0 && value.isFinite ? value : nil
        }
        if let y = value(0, 8), let x = value(4, 9) {
          if box.type == Box.captureResolution { captureResolution = (x, y) }
          if box.type == Box.displayResolution { displayResolution = (x, y) }
        }
      }
      offset = box.end
    }
  }

  /// Notes metadata; the first of each kind counts, and a cut one counts as absent.
  private mutating func readUUID(_ box: Box, in source: SourceView) throws(CoderError) {
    guard box.end <= source.size, box.end - box.payload > 16 else { return }
    let identifier = [UInt8](try source.view(at: box.payload, count: 16))
    var start = box.payload + 16
    switch identifier {
    case BoxIdentifier.exif, BoxIdentifier.adobeExif:
      guard metadata[.exif] == nil else { return }
      // JPEG's prefix, which some writers leave before the TIFF header.
      let prefix = try source.view(at: start, count: 6)
      if prefix.elementsEqual([0x45, 0x78, 0x69, 0x66, 0, 0]) { start += 6 }
      if start < box.end { metadata[.exif] = start..<box.end }
    case BoxIdentifier.xmp:
      if metadata[.xmp] == nil { metadata[.xmp] = start..<box.end }
    default: break
    }
  }
}
