// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import PhotoshopResources

/// Where a JPEG file has facts that are no Exif, XMP or ICC profile: IPTC, comments, content credentials.
struct JPEGFacts {
  /// Segments with Photoshop's resources.
  private(set) var resources: [Range<Int>] = []
  /// Comments with a text.
  private(set) var comments: [Range<Int>] = []
  private var parts: [BoxPart] = []

  /// Looks at the first bytes of segments.
  init(_ segments: [(marker: UInt8, payload: Range<Int>)], in source: SourceView) throws(CoderError) {
    for (marker, payload) in segments {
      let start = try source.view(at: payload.lowerBound, count: min(payload.count, FileHeader.Prefix.longest))
      let reader = ByteReader(start.bytes, at: payload.lowerBound, of: "a segment")
      switch marker {
      case 0xEB: if let part = BoxPart(reader, payload) { parts.append(part) }
      case 0xED where reader.has(PhotoshopSegments.prefix, at: 0): resources.append(payload)
      case 0xFE where start.contains(where: { $0 != 0 }): comments.append(payload)
      default: break
      }
    }
  }

  /// The parts of the manifest store, in order; none if one is missing.
  private var store: [BoxPart] {
    guard let first = parts.first(where: \.isStore) else { return [] }
    let parts = self.parts.filter { $0.box == first.box }.sorted { $0.number < $1.number }
    return parts.enumerated().allSatisfy { $1.number == parts[0].number &+ UInt32($0) } ? parts : []
  }

  var hasCredentials: Bool { !store.isEmpty }

  /// The manifest store of C2PA: each part repeats the head of the box, ISO/IEC 19566-5 §D.2.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded``.
  func credentials(in source: SourceView, host: CoderHost) throws(CoderError) -> [UInt8]? {
    let store = store
    guard let first = store.first else { return nil }
    try host.limits.check(metadata: store.reduce(0) { $0 + $1.bytes.count })
    var box = try source.bytes(at: first.bytes.lowerBound, count: first.bytes.count, of: "content credentials")
    for part in store.dropFirst() {
      let start = min(part.bytes.lowerBound + first.headCount, part.bytes.upperBound)
      box += try source.bytes(at: start, count: part.bytes.upperBound - start, of: "content credentials")
    }
    return box
  }

  /// Whether there is an IPTC-IIM block. Resources that are too many to be looked through have none.
  func hasIPTC(in source: SourceView, host: CoderHost) throws(CoderError) -> Bool {
    guard resources.count > 1 else {
      guard let only = resources.first else { return false }
      let start = only.lowerBound + PhotoshopSegments.prefix.utf8CodeUnitCount
      let reader = try source.reader(at: start, count: only.upperBound - start, of: "image resources")
      return !(PhotoshopResources.places(of: [PhotoshopResources.iptc], in: reader).values.allSatisfy(\.isEmpty))
    }
    do throws(CoderError) { return try iptc(in: source, host: host) != nil } catch {
      guard error.code == .limitExceeded else { throw error }
      host.log("IPTC is passed over: \(error.message)", severity: .warning)
      return false
    }
  }

  func iptc(in source: SourceView, host: CoderHost) throws(CoderError) -> [UInt8]? {
    guard !resources.isEmpty else { return nil }
    return try PhotoshopSegments.resources(resources, source, host.limits).iptc
  }

  /// The comments, a payload of ``MetadataKind/text``.
  func texts(in source: SourceView, host: CoderHost) throws(CoderError) -> [UInt8]? {
    guard !comments.isEmpty else { return nil }
    try host.limits.check(metadata: comments.reduce(0) { $0 + $1.count })
    var texts: [ContainerText] = []
    for comment in comments {
      texts.append(
        ContainerText(decoding: try source.bytes(at: comment.lowerBound, count: comment.count, of: "a comment")))
    }
    let payload = ContainerText.payload(texts)
    try host.limits.check(metadata: payload.count)
    return payload
  }

  /// Names of segments that belong to programs, and of Photoshop's resources.
  static func applicationData(in source: SourceView, limits: Limits) throws(CoderError) -> [UInt8]? {
    let header = try HeaderSegments(parsing: source)
    var data = ApplicationData()
    for (index, segment) in header.segments.enumerated() where !segment.isExtendedXMP && !segment.continuesExif {
      guard let kind = segment.kind.block?.kind, [.exif, .xmp].contains(kind) else { continue }
      let parts = kind == .exif ? header.parts(ofExifAt: index) : [segment.content]
      data.note(try HeaderSegments.joined(parts, in: source), of: kind)
    }
    for segment in header.segments where segment.kind == .application {
      let start = try source.bytes(
        at: segment.payload.lowerBound, count: min(segment.payload.count, 16), of: "a segment of an application")
      data.add("APP\(segment.marker & 15) \(ApplicationData.printable(start))")
    }
    if !header.photoshop.isEmpty {
      let resources = try PhotoshopSegments.resources(header.photoshop, source, limits).bytes
      try PhotoshopResources.name(all: ByteReader(resources.span.bytes, of: "image resources"), in: &data)
    }
    return data.payload
  }

  /// Where the last picture of a file ends.
  ///
  /// - Parameters:
  ///   - first: Where the first one ends.
  ///   - pictures: Those after the first.
  static func end(of pictures: [Range<Int>], after first: Int, in source: SourceView) throws(CoderError) -> Int {
    var end = first
    for picture in pictures where picture.upperBound > end {
      // Some indices state lengths that are too small.
      let stop = try HeaderSegments.endOfPicture(in: source, from: picture.lowerBound + 2)
      end = max(end, stop == source.size ? picture.upperBound : max(stop, picture.upperBound))
    }
    return min(end, source.size)
  }

  /// What follows the last picture, unless it is nothing but zeros.
  ///
  /// - Parameter pictures: Those after the first.
  /// - Throws: ``CoderError/Code/limitExceeded``.
  static func trailer(
    of source: SourceView, pictures: [Range<Int>], host: CoderHost
  ) throws(CoderError) -> [UInt8]? {
    let first = try HeaderSegments(parsing: source).endOfPicture(in: source)
    let end = try end(of: pictures, after: first, in: source)
    guard end < source.size, source.size < .max else { return nil }
    try host.limits.check(metadata: source.size - end)
    let bytes = try source.bytes(at: end, count: source.size - end, of: "what follows the picture")
    return bytes.allSatisfy { $0 == 0 } ? nil : bytes
  }
}

/// One of the segments that a JUMBF box is in: ISO/IEC 19566-5 §D.2.
struct BoxPart {
  /// Which box it is a part of.
  let box: UInt16
  let number: UInt32
  /// Bytes of the box's length and type.
  let headCount: Int
  /// Whether it begins a manifest store of C2PA.
  let isStore: Bool
  /// From the length of the box on.
  let bytes: Range<Int>

  /// - Parameter reader: Of the first bytes of the segment.
  init?(_ reader: borrowing ByteReader, _ payload: Range<Int>) {
    guard reader.has("JP", at: 0), let box = try? reader.uint16(at: 2), let number = try? reader.uint32(at: 4),
      let length = try? reader.uint32(at: 8)
    else { return nil }
    self.box = box
    self.number = number
    headCount = length == 1 ? 16 : 8
    bytes = payload.lowerBound + 8..<payload.upperBound
    var isStore = false
    if let box = try? reader.bytes(at: 8, count: reader.count - 8) { isStore = ContentCredentials.isStore(box) }
    self.isStore = isStore
  }
}

extension FileHeader.Density {
  /// 1/64 to 64, or nil for square pixels and for what cannot be meant.
  var pixelAspect: Double? {
    guard x > 0, y > 0, x != y else { return nil }
    let aspect = Double(y) / Double(x)
    return (1.0 / 64...64).contains(aspect) ? aspect : nil
  }

  /// Pixels per inch from left to right.
  var resolution: Double? {
    guard x > 0, y > 0, x == y || pixelAspect != nil else { return nil }
    switch unit {
    case 1: return Double(x)
    case 2: return Double(x) * 2.54
    default: return nil
    }
  }

  /// That of a header, in the unit in which it is nearest to whole numbers.
  init?(_ header: ImageHeader) {
    let aspect = header.pixelAspect ?? 1
    guard let resolution = header.resolution else {
      guard aspect > 0, aspect != 1 else { return nil }
      let scale = 1000 / max(1, aspect)
      self.init(unit: 0, x: max(1, Int(scale.rounded())), y: max(1, Int((scale * aspect).rounded())))
      return
    }
    func error(_ number: Double) -> Double { abs(number - number.rounded()) / number }
    func error(per inches: Double) -> Double { error(resolution / inches) + error(resolution * aspect / inches) }
    let isTooFine = max(resolution, resolution * aspect) >= 65_535
    let usesCentimetres = isTooFine || error(per: 2.54) < error(per: 1)
    let (across, down) = (resolution / (usesCentimetres ? 2.54 : 1), resolution * aspect / (usesCentimetres ? 2.54 : 1))
    guard across >= 0.5, down >= 0.5, across < 65_535, down < 65_535 else { return nil }
    self.init(unit: usesCentimetres ? 2 : 1, x: Int(across.rounded()), y: Int(down.rounded()))
  }
}
