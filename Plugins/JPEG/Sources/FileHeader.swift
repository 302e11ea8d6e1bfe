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
  /// Whether one scan does not hold all channels at full precision, so that libjpeg keeps all coefficients.
  let hasSeveralScans: Bool
  private(set) var density: Density?
  /// From the TIFF header on.
  private(set) var exif: Range<Int>?
  /// StandardXMP.
  private(set) var xmp: Range<Int>?
  /// Segments of ExtendedXMP, as they come, from the digest on.
  private(set) var extendedXMP: [Range<Int>] = []
  /// As they come.
  private(set) var profile: [ProfilePart] = []

  /// Walks over the markers; entropy-coded data is not looked at.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat`` without an SOI marker; ``CoderError/Code/truncated`` when the source ends
  ///   before the first scan; ``CoderError/Code/malformed``; ``CoderError/Code/unsupported``.
  init(parsing source: SourceView) throws(CoderError) {
    var input = MarkerInput(source)
    try Self.checkSignature(of: source)
    input.move(to: 2)
    var frame: FrameParameters?
    var application: [(marker: UInt8, payload: Range<Int>)] = []
    var scan: Int?
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
        guard frame == nil else { throw .malformed("a second frame header", at: payload.lowerBound) }
        frame = try FrameParameters(parsing: &input, marker: marker, payload: payload)
      case 0xDA: scan = payload.isEmpty ? 0 : Int(try input.byte())
      case 0xE0...0xE2: application.append((marker, payload))
      default: break
      }
      input.move(to: payload.upperBound)
    }
    guard let frame, let scan else { throw .malformed("a scan before any frame header", at: input.offset) }
    self.frame = frame
    hasSeveralScans = frame.isProgressive || scan < frame.channels.count
    for segment in application { try add(segment.marker, segment.payload, from: &input) }
  }

  /// Takes what an application segment holds; of Exif, XMP and JFIF, the first one counts.
  private mutating func add(
    _ marker: UInt8, _ payload: Range<Int>, from input: inout MarkerInput
  ) throws(CoderError) {
    input.move(to: payload.lowerBound)
    switch marker {
    case 0xE0:
      guard density == nil, payload.count >= 12, try input.skip(Prefix.jfif, in: payload) else { return }
      input.move(to: input.offset + 2)  // the version
      density = Density(unit: Int(try input.byte()), x: try input.uint16(), y: try input.uint16())
    case 0xE1:
      if try input.skip(Prefix.exif, in: payload) {
        if exif == nil { exif = input.offset..<payload.upperBound }
      } else if try input.skip(Prefix.xmp, in: payload) {
        if xmp == nil { xmp = input.offset..<payload.upperBound }
      } else if try input.skip(Prefix.extendedXMP, in: payload) {
        extendedXMP.append(input.offset..<payload.upperBound)
      }
    default:
      guard payload.count >= Prefix.icc.count + 2, try input.skip(Prefix.icc, in: payload) else { return }
      let number = Int(try input.byte())
      let count = Int(try input.byte())
      profile.append(ProfilePart(number: number, count: count, bytes: input.offset..<payload.upperBound))
    }
  }

  private static func checkSignature(of source: SourceView) throws(CoderError) {
    let signature: [UInt8] = [0xFF, 0xD8, 0xFF]
    let start = try source.view(at: 0, count: signature.count)
    guard !start.isEmpty, zip(start, signature).allSatisfy({ $0 == $1 }) else {
      throw .wrongFormat("the source does not begin with the bytes FF D8 FF", at: 0)
    }
    guard start.count == signature.count else {
      throw .truncated("the source has \(start.count) bytes, the signature takes 3", at: start.count)
    }
  }

  /// What application segments begin with.
  enum Prefix {
    /// Exif 2.32 §4.7.2.
    static let exif = Array("Exif\0\0".utf8)
    /// XMP part 3 §1.1.3.
    static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    /// XMP part 3 §1.1.3.1.
    static let extendedXMP = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
    /// ICC.1:2022 §B.4.
    static let icc = Array("ICC_PROFILE\0".utf8)
    /// T.871 §10.1.
    static let jfif = Array("JFIF\0".utf8)
  }
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
