// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The elements of a file, found without decoding any.
///
/// - Format: Apple Icon Image: `icns` and the file's length, then elements of a type code, a length that counts these
///   eight bytes too, and data; all numbers are big-endian.
struct IconFile {
  /// More of a name is nobody's.
  private static let longestName = 256

  private(set) var pages: [IconPage] = []
  /// The page that shows most: the largest, then the deepest, then the first.
  private(set) var primary = 0
  private(set) var hasContents = false
  private(set) var name: String?
  private(set) var version: Float?
  private(set) var infoLength: Int?
  /// Names of the variants that the file holds.
  private(set) var variants: [String] = []
  /// Whether the file is shorter than it says.
  private(set) var isTruncated = false
  /// Whether an element breaks the format's rules.
  private(set) var isDamaged = false

  private let bytes: UnsafeRawBufferPointer
  private let limits: Limits
  /// By the variant that they are in: each has its own.
  private var masks: [String: [FourCC: Range<Int>]] = [:]
  private var variantRanges: [(name: String, data: Range<Int>)] = []
  private var elementCount = 0

  init(parsing bytes: UnsafeRawBufferPointer, limits: Limits) throws(CoderError) {
    self.bytes = bytes
    self.limits = limits
    var reader = ByteReader(bytes.bytes, of: "the file header")
    let start = [UInt8](copying: try reader.bytes(at: 0, count: min(4, reader.count)))
    guard !start.isEmpty, start.elementsEqual(FourCC.file.bytes.prefix(start.count)) else {
      throw .wrongFormat("the file does not begin with \"icns\"", at: 0)
    }
    guard reader.count >= ElementHeader.size else {
      throw .truncated("\(bytes.count) bytes, the header has \(ElementHeader.size)", at: bytes.count)
    }
    let length = try ElementHeader(parsing: &reader).length
    guard length >= ElementHeader.size else {
      throw .malformed("a file length of \(length), at least \(ElementHeader.size) is needed", at: 4)
    }
    isTruncated = length > bytes.count
    try walk(ElementHeader.size..<min(length, bytes.count), isWhole: !isTruncated, variant: nil)
    if pages.isEmpty {
      // Old icons of folders hold their states alone. One deep: a variant in a variant is not looked at.
      for (name, data) in variantRanges {
        try walk(data, isWhole: !isTruncated || data.upperBound < bytes.count, variant: name)
      }
    }
    guard !pages.isEmpty else { throw emptiness }
    for index in pages.indices { pages[index].mask = mask(of: pages[index]) }
    primary = pages.indices.reduce(0) { best, index in
      let (one, other) = (pages[best], pages[index])
      return (other.size.pixelCount, other.depth) > (one.size.pixelCount, one.depth) ? index : best
    }
  }

  private var emptiness: CoderError {
    if isTruncated { return .truncated("no picture before the end", at: bytes.count) }
    if isDamaged { return .malformed("no picture among \(elementCount) elements, and at least one that is damaged") }
    return .unsupported("none of the \(elementCount) elements is a picture that is known")
  }

  /// Goes through elements.
  ///
  /// - Parameter isWhole: Whether the range ends where its length says, not where the file is cut.
  private mutating func walk(_ range: Range<Int>, isWhole: Bool, variant: String?) throws(CoderError) {
    let file = bytes
    var reader = ByteReader(file.bytes, of: "an element")
    var offset = range.lowerBound
    while range.upperBound - offset >= ElementHeader.size {
      try reader.seek(to: offset)
      let header = try ElementHeader(parsing: &reader)
      let (code, length) = (header.code, header.length)
      // A variant may begin with a file's header of its own.
      if code == .file, offset == range.lowerBound, variant != nil {
        offset += ElementHeader.size
        continue
      }
      guard length >= ElementHeader.size else {
        isDamaged = true
        return
      }
      let isLong = length > range.upperBound - offset
      let data = (offset + ElementHeader.size)..<(isLong ? range.upperBound : offset + length)
      // A length that leads out of a file that is all there lies.
      if isLong, isWhole { isDamaged = true }
      elementCount += 1
      try add(
        code, data: data, missing: isLong && !isWhole ? length - ElementHeader.size - data.count : 0, variant: variant)
      offset = data.upperBound
    }
  }

  private mutating func add(
    _ code: FourCC, data: Range<Int>, missing: Int, variant: String?
  ) throws(CoderError) {
    let file = bytes
    let element = try ByteReader(file.bytes, of: "an element").bytes(at: data.lowerBound, count: data.count)
    if let type = PictureType.all[code] {
      if masks[variant ?? "", default: [:]][code] == nil { masks[variant ?? "", default: [:]][code] = data }
      guard let page = try IconPage(type, element, at: data, missing: missing, variant: variant) else {
        isDamaged = true
        return
      }
      guard pages.count < limits.maxPages else {
        throw .limitExceeded(.maxPages, found: pages.count + 1, allowed: limits.maxPages, what: "a page count of")
      }
      pages.append(page)
    } else if PictureType.byteMasks[code] != nil {
      if masks[variant ?? "", default: [:]][code] == nil { masks[variant ?? "", default: [:]][code] = data }
    } else if let name = FourCC.variants[code], variant == nil {
      guard !variants.contains(name) else { return }
      variants.append(name)
      variantRanges.append((name, data))
    } else if code == .contents {
      hasContents = true
    } else if code == .name, name == nil {
      var text = ByteReader(element.extracting(first: Self.longestName))
      name = text.terminatedText()
    } else if code == .version, data.count >= 4 {
      version = Float(bitPattern: try ByteReader(element).uint32(at: 0))
    } else if code == .info {
      infoLength = data.count
    }
  }

  /// The mask of a picture: the first of the elements that its type names.
  private func mask(of page: IconPage) -> IconPage.Mask {
    guard page.mask == .absent, !page.isEmbedded, !page.type.masks.isEmpty else { return page.mask }
    for code in page.type.masks {
      guard let data = masks[page.variant ?? ""]?[code] else { continue }
      let count = page.type.size.pixelCount
      if PictureType.byteMasks[code] != nil {
        if data.count >= count || isTruncated { return .bytes(data) }
      } else if data.count >= count / 4 || isTruncated {
        // The second half of a `#` element.
        return .bits(min(data.lowerBound + count / 8, data.upperBound)..<data.upperBound)
      }
    }
    return isTruncated ? .lost : .absent
  }
}
