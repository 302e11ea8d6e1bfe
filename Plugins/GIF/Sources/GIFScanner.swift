// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Walks over the blocks of a file once, without decoding any pixel, as far as it is asked to.
///
/// - Format: GIF89a, Appendix B, GIF Grammar.
/// - Complexity: Linear in the number of sub-blocks.
struct GIFScanner {
  /// The blocks that were walked over.
  private(set) var structure: GIFStructure
  /// Whether the walk is at its end.
  private(set) var isOver = false

  private let source: GIFBytes
  /// The source's bytes, taken anew whenever they may have moved.
  private var bytes: UnsafeRawBufferPointer
  private let limits: Limits
  private let stopsBehindFirstImage: Bool
  private var offset = 0
  /// Where the sub-blocks of the last image start when they are still to be skipped.
  private var imageDataStart: Int?
  private var isCanvasSettled = false
  /// What the last Graphic Control Extension says; it holds for the one block that follows.
  private var control = GIFImageBlock.empty

  /// Comments kept of one file; the rest are skipped.
  private static let maxComments = 1_024

  /// Reads the logical screen.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated``.
  init(_ source: GIFBytes, limits: Limits, stopsBehindFirstImage: Bool) throws(CoderError) {
    self.source = source
    self.limits = limits
    self.stopsBehindFirstImage = stopsBehindFirstImage
    bytes = source.arrived
    structure = GIFStructure(version: "", canvas: Size(width: 0, height: 0))
    structure = try logicalScreen()
  }

  /// Walks on until the image `index` and the first byte of its data are there, or to the end.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when the bytes end before the first image's data;
  ///   ``CoderError/Code/malformed``; ``CoderError/Code/limitExceeded``.
  mutating func advance(toImage index: Int) throws(CoderError) {
    guard !isOver, structure.images.count <= index else { return }
    try source.refresh()
    bytes = source.arrived
    while !isOver, structure.images.count <= index { try nextBlock() }
    if isOver { structure.isWhole = true }
    try settleCanvas()
  }

  /// Whether there are `count` bytes; waits until that is known.
  private mutating func has(_ count: Int) throws(CoderError) -> Bool {
    if count > bytes.count { bytes = try source.wait(for: count) }
    return count <= bytes.count
  }

  /// GIF89a §17, Header; §18, Logical Screen Descriptor; §19, Global Color Table.
  private mutating func logicalScreen() throws(CoderError) -> GIFStructure {
    _ = try has(6)
    let signature = [UInt8](bytes.prefix(6))
    guard signature == Array("GIF87a".utf8) || signature == Array("GIF89a".utf8) else {
      // What is there of a cut signature may still be right.
      guard signature.isEmpty || signature.count == 6 || !"GIF8".utf8.starts(with: signature.prefix(4)) else {
        throw .truncated("the signature needs 6 bytes, \(signature.count) are there", at: signature.count)
      }
      throw .wrongFormat("the first bytes are \(signature), GIF87a or GIF89a is needed", at: 0)
    }
    guard try has(13) else {
      throw .truncated("the logical screen descriptor needs 13 bytes, \(bytes.count) are there", at: bytes.count)
    }
    var structure = GIFStructure(
      version: signature[4] == 0x37 ? "87a" : "89a",
      canvas: Size(width: Int(word(at: 6)), height: Int(word(at: 8))))
    let flags = bytes[10]
    structure.backgroundIndex = Int(bytes[11])
    structure.aspectRatio = Int(bytes[12])
    offset = 13
    if flags & 0x80 != 0 {
      let count = 2 << Int(flags & 7)
      guard try has(offset + 3 * count) else {
        throw .truncated(
          "a global palette of \(count) colours, \(bytes.count - offset) bytes are left", at: bytes.count)
      }
      structure.globalPaletteOffset = offset
      structure.globalColorCount = count
      offset += 3 * count
    }
    return structure
  }

  /// Walks over one block, or over the data of the last image.
  private mutating func nextBlock() throws(CoderError) {
    if let start = imageDataStart {
      imageDataStart = nil
      offset = start
      try skipSubBlocks()
      return try stopBehindFirstImage()
    }
    guard try has(offset + 1) else { return cut() }
    let introducer = bytes[offset]
    switch introducer {
    case 0x2C:
      guard try image() else { return cut() }
    case 0x21:
      guard try extensionBlock() else { return cut() }
    case 0x3B:
      isOver = true
    case 0:
      // Stray terminators between blocks are frequent and harmless.
      offset += 1
    default:
      // What follows cannot be told from garbage. Browsers take it for the end of the file, once there is an image.
      guard !structure.images.isEmpty else {
        throw .malformed("block introducer \(introducer), 33, 44 and 59 are known", at: offset)
      }
      isOver = true
    }
  }

  private mutating func cut() {
    structure.isTruncated = true
    isOver = true
  }

  private mutating func stopBehindFirstImage() throws(CoderError) {
    // Images without delay and loop are parts of one still picture, which needs them all.
    guard stopsBehindFirstImage, structure.hasTiming else { return }
    structure.isTruncated = try !has(offset + 1)
    structure.hasUnseenBlocks = !structure.isTruncated && bytes[offset] != 0x3B
    isOver = true
  }

  /// GIF89a §20, Image Descriptor, to the beginning of its data.
  ///
  /// - Returns: False when the bytes end inside.
  private mutating func image() throws(CoderError) -> Bool {
    guard try has(offset + 10) else { return false }
    var image = control
    control = .empty
    image.x = word(at: offset + 1)
    image.y = word(at: offset + 3)
    image.width = word(at: offset + 5)
    image.height = word(at: offset + 7)
    let flags = bytes[offset + 9]
    image.isInterlaced = flags & 0x40 != 0
    image.localColorCount = flags & 0x80 == 0 ? 0 : UInt16(2) << UInt16(flags & 7)
    image.dataOffset = offset + 10 + 3 * Int(image.localColorCount)
    guard try has(image.dataOffset + 1) else {
      // An image of no pixels may come without data, and without the palette that it announces.
      guard image.size.isEmpty else { return false }
      image.localColorCount = 0
      try append(image)
      offset += 10
      try stopBehindFirstImage()
      return true
    }
    // A code size is at most 12; an introducer in its place shows that an image of no pixels has no data at all.
    if image.size.isEmpty, [0x21, 0x2C, 0x3B].contains(bytes[image.dataOffset]) {
      try append(image)
      offset = image.dataOffset
      try stopBehindFirstImage()
      return true
    }
    image.minimumCodeSize = bytes[image.dataOffset]
    // With the first byte of data missing there is nothing of the image to show.
    guard try has(image.dataOffset + 2) else { return false }
    try append(image)
    imageDataStart = image.dataOffset + 1
    return true
  }

  private mutating func append(_ image: GIFImageBlock) throws(CoderError) {
    try limits.check(frames: structure.images.count + 1)
    structure.images.append(image)
  }

  /// GIF89a §23 to §26, the extensions.
  ///
  /// - Returns: False when the bytes end inside.
  private mutating func extensionBlock() throws(CoderError) -> Bool {
    guard try has(offset + 3) else { return false }
    let label = bytes[offset + 1]
    let size = Int(bytes[offset + 2])
    let data = offset + 3
    offset += 2
    guard try has(data + size) else { return false }
    switch label {
    case 0xF9 where size >= 4:
      control.disposalMethod = bytes[data] >> 2 & 7
      control.delay = word(at: data + 1)
      control.transparentIndex = bytes[data] & 1 == 0 ? -1 : Int16(bytes[data + 3])
    case 0x01:
      // Plain text is a graphic rendering block, which uses the control extension up. It is not rendered.
      control = .empty
    case 0xFE:
      if structure.commentOffsets.count < Self.maxComments { structure.commentOffsets.append(offset) }
    case 0xFF where size == 11:
      try application(at: data)
    default: break
    }
    return try skipSubBlocks()
  }

  /// GIF89a §26, Application Extension, of those applications that matter.
  private mutating func application(at start: Int) throws(CoderError) {
    let name = [UInt8](bytes[start..<start + 11])
    let data = start + 11
    if name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8) {
      // Sub-block 1 holds the loop; sub-block 2 a buffer size that nobody needs.
      guard try has(data + 4), bytes[data] >= 3, bytes[data + 1] & 7 == 1 else { return }
      structure.repetitions = word(at: data + 2)
    } else if name.elementsEqual("XMP DataXMP".utf8) {
      // An empty packet is nothing but the magic trailer, which starts with 1 and 255; no text does.
      guard try has(data + 2), bytes[data] != 0, (bytes[data], bytes[data + 1]) != (1, 255) else { return }
      structure.xmpOffset = structure.xmpOffset ?? data
    } else if name.elementsEqual("ICCRGBG1012".utf8) {
      guard try has(data + 1), bytes[data] != 0 else { return }
      structure.iccOffset = structure.iccOffset ?? data
    }
  }

  /// Hops over sub-blocks to behind their terminator.
  ///
  /// - Returns: False when the bytes end before it; then the offset is the end.
  @discardableResult
  private mutating func skipSubBlocks() throws(CoderError) -> Bool {
    while try has(offset + 1) {
      let length = Int(bytes[offset])
      offset += 1 + length
      if length == 0 { return true }
    }
    offset = bytes.count
    return false
  }

  /// Checks the canvas, and that there is something to show on it.
  private mutating func settleCanvas() throws(CoderError) {
    guard !isCanvasSettled else { return }
    isCanvasSettled = true
    // Some writers leave the logical screen at 0×0; browsers then take the first image's extent.
    if let first = structure.images.first {
      if structure.canvas.width == 0 { structure.canvas.width = Int(first.x) + Int(first.width) }
      if structure.canvas.height == 0 { structure.canvas.height = Int(first.y) + Int(first.height) }
    }
    try limits.check(canvas: structure.canvas)
    guard structure.images.isEmpty else { return }
    guard !structure.isTruncated else {
      throw .truncated("the file ends before the data of its first image", at: bytes.count)
    }
    // A file of a canvas and no image shows an empty canvas.
    try limits.check(frames: 1)
    structure.images.append(.empty)
  }

  private func word(at offset: Int) -> UInt16 {
    UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }
}
