// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension FourCC {
  static let codestream = FourCC("jxlc")
  static let partialCodestream = FourCC("jxlp")
  static let reconstruction = FourCC("jbrd")
  static let level = FourCC("jxll")
  static let gainMap = FourCC("jhgm")
  static let compressed = FourCC("brob")
  static let exif = FourCC("Exif")
  static let xml = FourCC("xml ")
  /// ISO/IEC 19566-5.
  static let jumbf = FourCC("jumb")
}

extension Box {
  /// Whether its size is one of 64 bits.
  var isLarge: Bool { content - start == 16 }
}

extension SourceView {
  /// The box at an offset, or nil where none begins. What bytes that are no box mean is left to libjxl.
  func boxIfAny(at offset: Int) throws(CoderError) -> Box? {
    do throws(CoderError) { return try box(at: offset, before: size) } catch {
      guard error.code == .malformed else { throw error }
      return nil
    }
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
  /// The first whole box with a gain map; of a compressed one, the `brob` box.
  private(set) var gainMap: Box?
  private(set) var isTruncated = false
  /// The codestream, or the first part of it, as soon as a box begins it.
  private(set) var firstPart: Part?
  /// The codestream's level, 5 unless stated (ISO/IEC 18181-1 §M).
  private(set) var level = 5

  /// A part of the codestream.
  struct Part: Equatable {
    let range: Range<Int>
    /// Whether boxes after it may hold more of it.
    let mayContinue: Bool
  }

  /// The box that every container begins with.
  static let signature: [UInt8] = [0, 0, 0, 12, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]
  /// What a codestream begins with.
  static let codestreamSignature: [UInt8] = [0xff, 0x0a]

  /// - Parameter isIncremental: Whether to stop where the codestream begins, so that no byte after that is waited for.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated`` when the signature is cut.
  init(parsing source: SourceView, isIncremental: Bool = false) throws(CoderError) {
    guard try Self.isContainer(source) else {
      firstPart = Part(range: 0..<Int.max, mayContinue: false)
      return
    }
    isContainer = true
    var offset = Self.signature.count
    while offset < source.size {
      guard let box = try source.boxIfAny(at: offset) else {
        isTruncated = source.size - offset < 8
        return
      }
      try note(box, in: source)
      if isIncremental, firstPart != nil { return }
      guard !box.isCut else {
        isTruncated = true
        return
      }
      offset = box.end
    }
  }

  /// Tells a container from a codestream alone.
  private static func isContainer(_ source: SourceView) throws(CoderError) -> Bool {
    var start = [UInt8](copying: try source.bytes(at: 0, least: 2, most: signature.count))
    if start.starts(with: codestreamSignature) { return false }
    if start.count < signature.count {
      start = [UInt8](copying: try source.bytes(at: 0, count: signature.count))
    }
    guard start.count == signature.count else {
      guard signature.starts(with: start) || codestreamSignature.starts(with: start) else {
        throw .wrongFormat("a file of \(start.count) bytes that does not begin as JPEG XL")
      }
      throw .truncated("a file of \(start.count) bytes, the signature needs \(signature.count)", at: start.count)
    }
    guard start == signature else { throw .wrongFormat("neither a codestream of JPEG XL nor its container", at: 0) }
    return true
  }

  private mutating func note(_ box: Box, in source: SourceView) throws(CoderError) {
    if box.type == .codestream || box.type == .partialCodestream {
      guard firstPart == nil else { return }
      let payload = box.payload.clamped(to: 0..<source.size)
      if box.type == .codestream, box.isLarge { codestream = payload }
      let isPart = box.type == .partialCodestream
      firstPart = Part(range: isPart ? payload.dropFirst(4) : payload, mayContinue: isPart)
      return
    }
    guard !box.isCut else { return }
    var type = box.type
    if type == .compressed {
      guard box.payload.count >= 4 else { return }
      var reader = try source.reader(at: box.content, count: 4, of: "a compressed box")
      type = try reader.fourCC("the type of its content")
    }
    switch type {
    case .exif where metadata[.exif] == nil:
      if box.type == .compressed {
        metadata[.exif] = box
      } else {
        var reader = try source.reader(at: box.content, count: min(4, box.payload.count), of: "the Exif box")
        // Exif that is not there when it is asked for counts as none.
        if (try? ExifBox(parsing: &reader, contentBytes: box.payload.count)) != nil { metadata[.exif] = box }
      }
    case .xml where metadata[.xmp] == nil: metadata[.xmp] = box
    case .jumbf where metadata[.c2pa] == nil && box.type == .jumbf:
      let start = try source.bytes(at: box.start, count: min(48, box.end - box.start))
      if ContentCredentials.isStore(start) { metadata[.c2pa] = box }
    case .gainMap where gainMap == nil: gainMap = box
    case .reconstruction where box.type == .reconstruction: hasReconstruction = true
    case .level where box.payload.count == 1:
      let reader = try source.reader(at: box.content, count: 1, of: "the level box")
      // A file that ends before it has no image header either, which is said then.
      if !reader.isAtEnd { level = Int(try reader.uint8(at: 0, "the level")) }
    default: break
    }
  }
}

/// What an Exif box begins with (ISO/IEC 18181-2 §9.6): where the TIFF header is, counted from after these four bytes.
struct ExifBox: Equatable {
  /// Bytes of the content before the TIFF header.
  let prefix: Int

  /// - Parameter contentBytes: Of the box.
  /// - Throws: ``CoderError/Code/malformed`` when the TIFF header would lie outside; as the reader when there are not
  ///   even four bytes.
  init(parsing reader: inout ByteReader, contentBytes: Int) throws(CoderError) {
    let start = reader.offset
    let offset = Int(try reader.uint32("the offset of the TIFF header"))
    guard offset < contentBytes - 4 else {
      throw .malformed("a TIFF header at \(offset) of an Exif box that has \(contentBytes - 4) bytes for it", at: start)
    }
    prefix = 4 + offset
  }
}
