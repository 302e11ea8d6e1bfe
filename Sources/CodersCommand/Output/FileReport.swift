// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The facts that `coders probe` prints about one file.
struct FileReport {
  let coder: String
  let header: ImageHeader
  let loopCount: LoopCount
  /// The size in bytes of each metadata block, or nil for a block that cannot be read.
  let metadata: [(kind: MetadataKind, bytes: Int?)]
  /// Who claims what in content credentials, of a file that has some that can be read.
  let claim: CredentialsClaim?
  let frames: [FrameHeader]
  let properties: Properties
  /// The colors in words, and what states them.
  let color: String
  let frameProperties: [Properties]
  /// How many seconds one play takes: as the file states, or the sum of all delays; nil if neither is known.
  let duration: Double?
  /// All frames, or nil if the file does not count them and nobody did.
  let frameCount: Int?
  /// Images that one still picture is composed of; 1 for all others.
  let images: Int
  /// Every page of a file that has more than one, or why it cannot be read.
  let pages: [Result<PageReport, CoderError>]
  /// The pictures that belong to the page.
  let auxiliary: [AuxiliaryPicture]
  /// What the file says of how bright its light is.
  let light: LightLevels
  /// What is decoded for a part of the page.
  let parts: PartLayout

  /// Collects the facts from an open file without decoding pixels.
  ///
  /// - Parameter counts: Whether frames are counted that the file itself does not count, by reading all of it.
  init(_ decoder: ImageDecoder, counts: Bool) throws(CoderError) {
    coder = decoder.coderID
    header = decoder.header
    loopCount = decoder.loopCount
    var metadata: [(kind: MetadataKind, bytes: Int?)] = []
    var claim: CredentialsClaim?
    for kind in MetadataKind.allCases where decoder.header.metadata.contains(kind) {
      // A damaged block is reported as unreadable; the rest of the report does not depend on it.
      do throws(CoderError) {
        let payload = try decoder.metadata(kind)
        metadata.append((kind, payload?.count))
        if kind == .c2pa { claim = payload.flatMap { CredentialsClaim(store: $0) } }
      } catch {
        metadata.append((kind, nil))
      }
    }
    self.metadata = metadata
    self.claim = claim
    properties = try decoder.properties()
    color = decoder.colorDescription
    light = decoder.storedColor.light
    // A page that cannot be decoded is reported all the same.
    parts = (try? decoder.partLayout()) ?? .whole
    var frames: [FrameHeader] = []
    var frameProperties: [Properties] = []
    var duration = Duration()
    let isCounted = header.sequence.isCounted || counts
    let stored = isCounted ? header.sequence.isCounted ? header.frameCount : decoder.frameCount : nil
    // Without delays, images are parts of one picture.
    images = header.isAnimated ? 1 : max(1, header.frameCount)
    if images > 1 {
      frames = [FrameHeader(rect: Rect(covering: header.canvas), hasAlpha: header.alpha != .opaque)]
      frameProperties = [Properties()]
    }
    frameCount = images > 1 ? 1 : stored
    for index in frames.count..<max(frames.count, frameCount ?? header.frameCount) {
      let frame = try decoder.frameHeader(at: index)
      frames.append(frame)
      frameProperties.append(try decoder.properties(frame: index))
      if let delay = frame.delay { duration.add(delay) }
    }
    pages =
      decoder.header.pageCount == 1
      ? []
      : (0..<decoder.header.pageCount).map { index in
        Result { () throws(CoderError) in try PageReport(decoder.page(index)) }
      }
    do throws(CoderError) {
      auxiliary = try decoder.auxiliaryPictures()
    } catch {
      // A list that cannot be read costs nothing else.
      auxiliary = []
    }
    self.frames = frames
    self.frameProperties = frameProperties
    self.duration = header.sequence.duration ?? (isCounted ? duration.seconds : nil)
  }

  /// Whether the file has several pages and is not an animation.
  var showsPages: Bool { header.pageCount > 1 && !header.isAnimated }

  /// Words for special properties of the file, as people read them: the number of pages comes first.
  var notes: [String] { (header.pageCount > 1 ? ["\(header.pageCount) pages"] : []) + flags }

  /// The words for special properties of the file.
  var flags: [String] {
    var words: [String] = []
    if header.isProgressive { words.append("progressive") }
    if header.isLossless { words.append("lossless") }
    if header.standsIn { words.append("stands-in") }
    if header.hasPalette { words.append("palette") }
    if header.isTruncated { words.append("truncated") }
    return words
  }
}

/// The facts that are printed about one of several pages.
struct PageReport {
  let header: ImageHeader
  let properties: Properties

  init(_ decoder: ImageDecoder) throws(CoderError) {
    header = decoder.header
    properties = try decoder.properties()
  }
}

extension FileReport {
  /// A sum of delays. It is exact as long as the common denominator fits into 64 bits.
  struct Duration {
    private var numerator: UInt64 = 0
    private var denominator: UInt64 = 1
    private var rest = 0.0

    mutating func add(_ delay: FrameDelay) {
      let (own, other) = (denominator, UInt64(delay.denominator))
      let divisor = Self.greatestCommonDivisor(own, other)
      let (common, first) = own.multipliedReportingOverflow(by: other / divisor)
      let (left, second) = numerator.multipliedReportingOverflow(by: other / divisor)
      let (right, third) = UInt64(delay.numerator).multipliedReportingOverflow(by: own / divisor)
      let (sum, fourth) = left.addingReportingOverflow(right)
      guard !first, !second, !third, !fourth else {
        rest += delay.seconds
        return
      }
      (numerator, denominator) = (sum, common)
    }

    var seconds: Double { Double(numerator) / Double(denominator) + rest }

    private static func greatestCommonDivisor(_ a: UInt64, _ b: UInt64) -> UInt64 {
      var (a, b) = (a, b)
      while b != 0 { (a, b) = (b, a % b) }
      return max(a, 1)
    }
  }
}

extension FrameHeader.Disposal {
  /// The word in JSON and tables.
  var word: String {
    switch self {
    case .keep: "keep"
    case .restoreBackground: "restoreBackground"
    case .restorePrevious: "restorePrevious"
    }
  }
}

extension FrameHeader.Blend {
  var word: String {
    switch self {
    case .source: "source"
    case .over: "over"
    }
  }
}

extension Double {
  /// The value with at most three decimals and no trailing zeros.
  var short: String {
    guard magnitude < 1e12 else { return "\(self)" }
    let thousandths = Int64((self * 1000).rounded())
    var digits = "\(thousandths.magnitude)"
    digits = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    var fraction = digits.suffix(3)
    while fraction.last == "0" { fraction.removeLast() }
    return (thousandths < 0 ? "-" : "") + digits.dropLast(3) + (fraction.isEmpty ? "" : ".\(fraction)")
  }
}
