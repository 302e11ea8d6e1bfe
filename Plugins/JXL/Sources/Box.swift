// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The name of a box, four bytes as they lie in the file.
struct BoxType: Equatable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// - Parameter text: Four ASCII characters.
  init(_ text: StaticString) {
    rawValue = text.withUTF8Buffer { bytes in bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
  }

  static let codestream = BoxType("jxlc")
  static let partialCodestream = BoxType("jxlp")
  static let reconstruction = BoxType("jbrd")
  static let level = BoxType("jxll")
  static let compressed = BoxType("brob")
  static let exif = BoxType("Exif")
  static let xml = BoxType("xml ")
}

/// Where a box lies (ISO/IEC 14496-12 §4.2): a 32-bit size, a name, and a 64-bit size where the first is 1.
struct Box {
  let type: BoxType
  /// Of the size.
  let offset: Int
  let payload: Range<Int>
  /// Whether the source holds all of it.
  let isWhole: Bool

  /// Whether its size is one of 64 bits.
  var isLarge: Bool { payload.lowerBound - offset == 16 }

  /// Reads a box's header.
  ///
  /// - Returns: nil when no whole header is left, or the size is smaller than the header.
  init?(parsing source: SourceView, at offset: Int) throws(CoderError) {
    let end = source.size
    guard offset <= end - 8 else { return nil }
    var bytes = try source.view(at: offset, least: 8, most: 16)
    guard bytes.count >= 8 else { return nil }
    self.offset = offset
    type = BoxType(rawValue: bytes.bigEndian32(at: 4))
    var header = 8
    var size = Int(bytes.bigEndian32(at: 0))
    switch size {
    case 0: size = end - offset  // to the end of the file
    case 1:
      if bytes.count < 16 { bytes = try source.view(at: offset, count: 16) }
      guard bytes.count == 16 else { return nil }
      header = 16
      let high = Int(bytes.bigEndian32(at: 8))
      let low = Int(bytes.bigEndian32(at: 12))
      // Sizes of 2^56 bytes and more are behind the end of every source.
      size = high < 1 << 24 ? high << 32 | low : .max
    default: break
    }
    guard size >= header else { return nil }
    isWhole = size <= end - offset
    payload = offset + header..<(isWhole ? offset + size : end)
  }
}

extension UnsafeRawBufferPointer {
  /// A big-endian number; the caller has checked that its bytes are there.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }
}

/// The boxes of a file that matter beside its codestream (ISO/IEC 18181-2 §9).
struct BoxIndex {
  /// Whether there are boxes at all, and not a codestream alone.
  private(set) var isContainer = false
  /// The first whole box of each kind of metadata; of a compressed one, the `brob` box.
  private(set) var metadata: [MetadataKind: Box] = [:]
  /// Where the codestream lies, when it is in one box that libjxl 0.7 does not find: one with a size of 64 bits.
  private(set) var codestream: Range<Int>?
  /// Whether the file can be turned back into the JPEG that it was made of.
  private(set) var hasReconstruction = false
  private(set) var isTruncated = false
  /// The codestream, or the first part of it, as soon as a box begins it.
  private(set) var firstPart: Part?
  /// The codestream's level, 5 unless stated (ISO/IEC 18181-1 §M).
  private(set) var level = 5

  /// A part of the codestream.
  struct Part {
    let range: Range<Int>
    /// Whether boxes behind it may hold more of it.
    let mayContinue: Bool
  }

  /// The box that every container begins with, and the codestream's own signature.
  private static let signature: [UInt8] = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]
  private static let codestreamSignature: [UInt8] = [0xff, 0x0a]

  /// - Parameter isArriving: Whether boxes behind the beginning of the codestream are left out: no byte behind it is
  ///   asked for.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated`` when the signature is cut.
  init(parsing source: SourceView, isArriving: Bool = false) throws(CoderError) {
    var start = try source.view(at: 0, least: 2, most: Self.signature.count)
    if start.count >= 2, start.prefix(2).elementsEqual(Self.codestreamSignature) {
      firstPart = Part(range: 0..<Int.max, mayContinue: false)
      return
    }
    if start.count < Self.signature.count { start = try source.view(at: 0, count: Self.signature.count) }
    guard start.count == Self.signature.count else {
      guard
        start.elementsEqual(Self.signature.prefix(start.count))
          || start.elementsEqual(Self.codestreamSignature.prefix(1))
      else { throw .wrongFormat("a file of \(start.count) bytes that does not begin as JPEG XL") }
      throw .truncated("a file of \(start.count) bytes, the signature needs \(Self.signature.count)", at: start.count)
    }
    guard start.elementsEqual(Self.signature) else {
      throw .wrongFormat("neither a codestream of JPEG XL nor its container", at: 0)
    }
    isContainer = true
    var offset = Self.signature.count
    while offset < source.size {
      guard let box = try Box(parsing: source, at: offset) else {
        // Bytes that are no box: what libjxl makes of them counts.
        isTruncated = source.size - offset < 8
        return
      }
      try note(box, in: source)
      if isArriving, firstPart != nil { return }
      guard box.isWhole else {
        isTruncated = true
        return
      }
      offset = box.payload.upperBound
    }
  }

  private mutating func note(_ box: Box, in source: SourceView) throws(CoderError) {
    if box.type == .codestream || box.type == .partialCodestream {
      guard firstPart == nil else { return }
      if box.type == .codestream, box.isLarge { codestream = box.payload }
      let isPart = box.type == .partialCodestream
      firstPart = Part(range: isPart ? box.payload.dropFirst(4) : box.payload, mayContinue: isPart)
      return
    }
    guard box.isWhole else { return }
    var type = box.type
    if type == .compressed {
      let bytes = try source.view(at: box.payload.lowerBound, count: min(4, box.payload.count))
      guard bytes.count == 4 else { return }
      type = BoxType(rawValue: bytes.bigEndian32(at: 0))
    }
    switch type {
    case .exif where metadata[.exif] == nil:
      let payload = box.type == .compressed ? box.payload : try ExifBox.payload(of: box, in: source)
      if payload != nil { metadata[.exif] = box }
    case .xml where metadata[.xmp] == nil: metadata[.xmp] = box
    case .reconstruction where box.type == .reconstruction: hasReconstruction = true
    case .level where box.payload.count == 1:
      if let value = try source.view(at: box.payload.lowerBound, count: 1).first { level = Int(value) }
    default: break
    }
  }
}

/// The content of an Exif box (ISO/IEC 18181-2 §9.6): where the TIFF header is, counted behind these four bytes.
enum ExifBox {
  /// Where the payload lies in the file, or nil when the offset points outside.
  static func payload(of box: Box, in source: SourceView) throws(CoderError) -> Range<Int>? {
    let bytes = try source.view(at: box.payload.lowerBound, count: min(4, box.payload.count))
    return start(in: bytes, count: box.payload.count).map { box.payload.lowerBound + $0..<box.payload.upperBound }
  }

  /// Where the payload begins in the content, or nil when the offset points outside.
  static func start(in content: UnsafeRawBufferPointer, count: Int) -> Int? {
    guard content.count >= 4 else { return nil }
    let start = 4 + Int(content.bigEndian32(at: 0))
    return start < count ? start : nil
  }
}
