// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// All that stands before the entropy-coded data of a JPEG file, from SOI to the first SOS.
struct FileHeader {
  /// The density of JFIF's APP0, ITU-T T.871 §10.1.
  struct Density {
    /// 0: an aspect ratio, 1: per inch, 2: per centimetre.
    let unit: Int
    let x: Int
    let y: Int
  }

  /// A part of an ICC profile, ICC.1:2022 §B.4.
  struct ProfilePart {
    /// From 1.
    let number: Int
    /// How many parts there are, as this one says.
    let count: Int
    let bytes: Range<Int>
  }

  let frame: FrameParameters
  /// Where the frame header has a height of 0, which a DNL marker after the first scan gives; else 0.
  private(set) var heightPlace = 0
  /// Whether one scan does not hold all channels at full precision, so that libjpeg keeps all coefficients.
  let hasSeveralScans: Bool
  private(set) var density: Density?
  /// From the TIFF header on, in one segment or in several that follow each other.
  private(set) var exif: [Range<Int>] = []
  /// StandardXMP.
  private(set) var xmp: Range<Int>?
  /// Segments of ExtendedXMP, as they come, from the digest on.
  private(set) var extendedXMP: [Range<Int>] = []
  /// Whether there is the index of a multi-picture file, CIPA DC-007 §5.2.
  private(set) var hasIndex = false
  /// Comments, and segments of applications but the first three.
  private(set) var others: [(marker: UInt8, payload: Range<Int>)] = []
  /// As they come.
  private(set) var profile: [ProfilePart] = []

  /// Walks over the markers; entropy-coded data is not looked at, unless the frame header leaves the height to what is after it.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` without an SOI marker; ``CoderError/Code/truncated`` when the source ends
  ///   before the first scan; ``CoderError/Code/malformed``; ``CoderError/Code/unsupported``.
  init(parsing source: SourceView, host: CoderHost? = nil) throws(CoderError) {
    let head = try source.view(at: 0, least: Self.signature.count, most: MarkerInput.headBytes)
    try Self.checkSignature(head)
    var input = MarkerInput(source, offset: Self.signature.count - 1, head: head)
    var frame: FrameParameters?
    var application: [(marker: UInt8, payload: Range<Int>)] = []
    var scan: Int?
    var unfinished: (marker: UInt8, payload: Range<Int>)?
    while scan == nil {
      let marker = try input.marker()
      switch marker {
      case 0x01, 0xD0...0xD7: continue  // TEM and RSTn have no segment.
      case 0xD8: throw .malformed("a second SOI marker before the first scan", at: input.offset - 2)
      case 0xD9: throw .malformed("an EOI marker before the first scan, the file has no picture", at: input.offset - 2)
      default: break
      }
      let payload = try input.segment(marker)
      switch marker {
      case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF, 0xDE:
        guard frame == nil, unfinished == nil else {
          throw .malformed("a second frame header", at: payload.lowerBound)
        }
        let bytes = try input.view(at: payload.lowerBound, count: payload.count)
        var reader = ByteReader(bytes.bytes, at: payload.lowerBound, of: "the frame header")
        if reader.count >= 6, try reader.uint16(at: 1) == 0 {
          unfinished = (marker, payload)
        } else {
          frame = try FrameParameters(parsing: &reader, marker: marker)
        }
      case 0xDA:
        let bytes = try input.view(at: payload.lowerBound, count: payload.count)
        var reader = ByteReader(bytes.bytes, at: payload.lowerBound, of: "the scan header")
        scan = payload.isEmpty ? 0 : Int(try reader.uint8("the number of channels"))
      case 0xE0...0xE2: application.append((marker, payload))
      case 0xEB, 0xED, 0xFE: others.append((marker, payload))
      default: break
      }
    }
    if let (marker, payload) = unfinished {
      let lines = try Self.lines(after: input.offset, in: source, host: host)
      let bytes = try source.view(at: payload.lowerBound, count: payload.count)
      var reader = ByteReader(RawSpan(_unsafeBytes: bytes), at: payload.lowerBound, of: "the frame header")
      frame = try FrameParameters(parsing: &reader, marker: marker, lines: lines)
      heightPlace = payload.lowerBound + 1
      // Its view of the source ended with the ones above.
      input = MarkerInput(source, offset: input.offset)
    }
    guard let frame, let scan else { throw .malformed("a scan before any frame header", at: input.offset) }
    self.frame = frame
    hasSeveralScans = frame.isProgressive || scan < frame.channels.count
    for segment in application {
      let start = segment.payload.lowerBound
      let bytes = try input.view(at: start, count: min(Prefix.longest, segment.payload.count))
      var reader = ByteReader(bytes.bytes, at: start, of: "a segment")
      try add(segment.marker, parsing: &reader, to: segment.payload.upperBound)
    }
  }

  /// The height that a DNL marker after the first scan gives (T.81 B.2.5), or 0 if another marker follows.
  ///
  /// - Parameter start: Where the entropy-coded data of the scan begins.
  private static func lines(after start: Int, in source: SourceView, host: CoderHost?) throws(CoderError) -> Int {
    let end = try MarkerInput.end(ofScanAt: start, in: source, host: host)
    let segment = try source.view(at: end, count: 6)
    if segment.count < 2 || segment.count < 6 && segment[1] == 0xDC {
      throw .truncated("the file ends before the DNL marker that gives its height", at: end + segment.count)
    }
    return segment.count == 6 && segment[1] == 0xDC ? Int(segment[4]) << 8 | Int(segment[5]) : 0
  }

  /// Takes what an application segment holds; of Exif, XMP and JFIF, the first one counts.
  ///
  /// - Parameters:
  ///   - reader: Of the payload's first bytes.
  ///   - end: Where the payload ends in the file.
  private mutating func add(
    _ marker: UInt8, parsing reader: inout ByteReader, to end: Int
  ) throws(CoderError) {
    let start = reader.offset
    func rest(after prefix: StaticString) -> Range<Int> { start + prefix.utf8CodeUnitCount..<end }
    switch marker {
    case 0xE0:
      guard density == nil, reader.count >= 12, reader.has(Prefix.jfif, at: 0) else { return }
      try reader.seek(to: Prefix.jfif.utf8CodeUnitCount + 2)  // the version
      density = Density(
        unit: Int(try reader.uint8("the unit")), x: Int(try reader.uint16("x")), y: Int(try reader.uint16("y")))
    case 0xE1:
      let prefix = ExifPayload.start(in: reader.bytes)
      if prefix > 0 {
        let isNext = exif.last?.upperBound == start - Prefix.head && reader.continuesExif
        if exif.isEmpty || isNext { exif.append(start + prefix..<end) }
      } else if reader.has(Prefix.xmp, at: 0) {
        if xmp == nil { xmp = rest(after: Prefix.xmp) }
      } else if reader.has(Prefix.extendedXMP, at: 0) {
        extendedXMP.append(rest(after: Prefix.extendedXMP))
      }
    default:
      if reader.has(Prefix.multiPicture, at: 0) { hasIndex = true }
      let place = Prefix.icc.utf8CodeUnitCount
      guard reader.count >= place + 2, reader.has(Prefix.icc, at: 0) else { return }
      let (number, count) = (Int(try reader.uint8(at: place)), Int(try reader.uint8(at: place + 1)))
      profile.append(ProfilePart(number: number, count: count, bytes: start + place + 2..<end))
    }
  }

  /// SOI, and what every marker begins with.
  private static let signature: [UInt8] = [0xFF, 0xD8, 0xFF]

  private static func checkSignature(_ head: UnsafeRawBufferPointer) throws(CoderError) {
    guard !head.isEmpty, zip(head, signature).allSatisfy({ $0 == $1 }) else {
      throw .wrongFormat("the source does not begin with the bytes FF D8 FF", at: 0)
    }
    guard head.count >= signature.count else {
      throw .truncated("the source has \(head.count) bytes, the signature takes 3", at: head.count)
    }
  }

  /// What application segments begin with, beside ``ExifPayload/prefix`` (Exif 2.32 §4.7.2).
  enum Prefix {
    /// XMP part 3 §1.1.3.
    static let xmp: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    /// XMP part 3 §1.1.3.1.
    static let extendedXMP: StaticString = "http://ns.adobe.com/xmp/extension/\0"
    /// ICC.1:2022 §B.4.
    static let icc: StaticString = "ICC_PROFILE\0"
    /// CIPA DC-007 §5.2.1.
    static let multiPicture: StaticString = "MPF\0"
    /// T.871 §10.1.
    static let jfif: StaticString = "JFIF\0"

    /// A marker and the length of a segment.
    static let head = 4

    /// Bytes that decide what a segment is, and what stands right after them.
    static let longest = 64
  }
}

extension ByteReader {
  /// Whether a segment goes on with the Exif of the one before: no TIFF header follows the name. Exif 2.32 has no place for
  /// more than one segment holds; exiftool writes it so.
  var continuesExif: Bool { has("Exif\0\0", at: 0) && !has("MM\0*", at: 6) && !has("II*\0", at: 6) }
}

extension [FileHeader.ProfilePart] {
  /// The parts in order, or what is wrong with them.
  var inOrder: Result<[FileHeader.ProfilePart], FaultyProfile> {
    guard let count = first?.count else { return .success([]) }
    if let other = first(where: { $0.count != count }) {
      return .failure(FaultyProfile("parts that speak of \(count) and of \(other.count) parts"))
    }
    if self.count != count { return .failure(FaultyProfile("\(self.count) parts of \(count)")) }
    let sorted = self.sorted { $0.number < $1.number }
    for (index, part) in sorted.enumerated() where part.number != index + 1 {
      return .failure(FaultyProfile("no part \(index + 1) or more than one, of \(count)"))
    }
    return .success(sorted)
  }
}

/// Why the parts of an ICC profile do not make one.
struct FaultyProfile: Error {
  let message: String
  init(_ message: String) { self.message = message }
}
