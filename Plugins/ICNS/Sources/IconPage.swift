// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// One picture of the file: an element, and the element that holds its mask.
struct IconPage {
  /// How the element at hand stores its pixels; the signature decides where the type leaves a choice.
  enum Content: Equatable {
    case bits
    case bitsAndMask
    case indexes(bits: Int)
    /// Packed planes: red, green and blue, or alpha before them.
    case planes(count: Int)
    case png
    case jpeg2000
  }

  /// Where alpha comes from.
  enum Mask: Equatable {
    /// Every pixel is opaque.
    case absent
    /// In the picture itself.
    case inside
    /// Bytes of alpha, or bits of a `#` element's second half.
    case bytes(Range<Int>)
    case bits(Range<Int>)
    /// The file is cut, and the mask may have been after the cut.
    case lost
  }

  let type: PictureType
  let content: Content
  /// The range of the pixels in the file, without what comes before them.
  let bytes: Range<Int>
  /// The size of the picture; a PNG says its own.
  let size: Size
  /// Whether the file ends inside the element.
  let isCut: Bool
  /// Whether the element is as long as planes that are not packed, which only its end could rule out.
  let mayBeUnpacked: Bool
  /// `dark`, `open`: the variant that the element was found in.
  let variant: String?
  var mask = Mask.absent

  /// - Parameters:
  ///   - element: The element's data, as far as it is there.
  ///   - data: Where that is in the file.
  ///   - missing: Bytes of it that are missing from a file that is cut.
  /// - Returns: Nil when it cannot be a picture of the type.
  init?(
    _ type: PictureType, _ element: RawSpan, at data: Range<Int>, missing: Int, variant: String?
  ) throws(CoderError) {
    self.type = type
    isCut = missing > 0
    self.variant = variant
    let shown = ByteReader(element, at: data.lowerBound, of: "an element")
    var (content, start, size) = (Content.bits, data.lowerBound, type.size)
    switch type.storage {
    case .bits: content = .bits
    case .bitsAndMask:
      content = .bitsAndMask
      mask = .inside
    case .indexes(let bits): content = .indexes(bits: bits)
    case .planes(let padding):
      content = .planes(count: 3)
      if try shown.starts(with: [UInt8](repeating: 0, count: padding)) { start += padding }
    case .fileOrPlanes:
      if try EmbeddedFile.isPNG(shown) {
        content = .png
        size = try EmbeddedFile.sizeOfPNG(shown) ?? size
      } else if try EmbeddedFile.isJPEG2000(shown) {
        content = .jpeg2000
      } else if shown.has("ARGB", at: 0) {
        content = .planes(count: 4)
        mask = .inside
        start += 4
      } else if !type.masks.isEmpty {
        content = .planes(count: 3)
      } else {
        return nil
      }
    }
    self.content = content
    self.size = size
    bytes = start..<data.upperBound
    mayBeUnpacked = content == .planes(count: 3) && bytes.count + missing == type.size.pixelCount * 3
    guard isCut || bytes.count >= shortest else { return nil }
  }

  /// Whether the element is a whole file of another format.
  var isEmbedded: Bool { content == .png || content == .jpeg2000 }

  /// How good a picture is beside another one of the same size.
  var depth: Int {
    switch content {
    case .bits: 1
    case .bitsAndMask: 2
    case .indexes(let bits): bits
    case .planes(let count): 8 * count
    case .jpeg2000: 33
    case .png: 34
    }
  }

  /// Bytes that the element has at least.
  private var shortest: Int {
    let count = type.size.pixelCount
    return switch content {
    case .bits: count / 8
    case .bitsAndMask: count / 4
    case .indexes(let bits): count * bits / 8
    // Two bytes stand for at most 130.
    case .planes(let planes): count * planes / 65
    case .png, .jpeg2000: 0
    }
  }
}

/// What is looked at in the files that an icon holds.
enum EmbeddedFile {
  /// PNG Third Edition §5.2.
  static func isPNG(_ reader: ByteReader) throws(CoderError) -> Bool {
    try reader.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  }

  /// The signature box of a JP2 file (ISO/IEC 15444-1 I.5.1), or a bare codestream's SOC and SIZ markers (A.4.1).
  static func isJPEG2000(_ reader: ByteReader) throws(CoderError) -> Bool {
    if try reader.starts(with: [0xFF, 0x4F, 0xFF, 0x51]) { return true }
    return try reader.starts(with: [0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A])
  }

  /// Width and height in the first chunk (PNG Third Edition §11.2.1), or nil when it says nothing usable.
  static func sizeOfPNG(_ reader: ByteReader) throws(CoderError) -> Size? {
    guard reader.count >= 24, try reader.uint32(at: 8) == 13, reader.has("IHDR", at: 12) else { return nil }
    let size = Size(width: Int(try reader.uint32(at: 16)), height: Int(try reader.uint32(at: 20)))
    return size.isEmpty ? nil : size
  }
}

extension ByteReader {
  /// Whether the bytes begin with these.
  fileprivate func starts(with expected: [UInt8]) throws(CoderError) -> Bool {
    guard count >= expected.count else { return false }
    return [UInt8](copying: try bytes(at: 0, count: expected.count)) == expected
  }
}
