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
  /// The source's bytes, taken again whenever they may have moved.
  private var bytes: UnsafeRawBufferPointer
  /// Where they begin in the file. What lies before is not needed any more.
  private var start = 0
  private var end: Int { start + bytes.count }
  private let limits: Limits
  private let stopsAfterFirstImage: Bool
  private var offset = 0
  /// Where the sub-blocks of the last image start when they are still to be skipped.
  private var imageDataStart: Int?
  private var isCanvasSettled = false
  /// What the last Graphic Control Extension says; it holds for the one block that follows.
  private var control = GraphicControl()

  /// Comments kept of one file; the rest are skipped.
  private static let maxComments = 1_024

  /// Reads the logical screen.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated``.
  init(_ source: GIFBytes, limits: Limits, stopsAfterFirstImage: Bool) throws(CoderError) {
    self.source = source
    self.limits = limits
    self.stopsAfterFirstImage = stopsAfterFirstImage
    bytes = source.available
    structure = GIFStructure(screen: LogicalScreen(canvas: Size(width: 0, height: 0), globalColorCount: 0))
    structure = try logicalScreen()
  }

  /// Walks on until the image `index` and the first byte of its data are there, or to the end.
  ///
  /// - Throws: ``CoderError/Code/truncated`` when the bytes end before the first image's data;
  ///   ``CoderError/Code/malformed``; ``CoderError/Code/limitExceeded``.
  mutating func advance(toImage index: Int) throws(CoderError) {
    guard !isOver, structure.images.count <= index else { return }
    try source.refresh()
    bytes = source.available
    start = 0
    while !isOver, structure.images.count <= index { try nextBlock() }
    if isOver { structure.isWhole = true }
    try settleCanvas()
  }

  /// Whether the file has `count` bytes; waits until that is known.
  private mutating func has(_ count: Int) throws(CoderError) -> Bool {
    guard count > end else { return true }
    if let part = try source.part(at: offset, count: count - offset, after: bytes.count) {
      (bytes, start) = (part, part.isEmpty ? source.size : offset)
    } else {
      bytes = try source.wait(for: count)
    }
    return count <= end
  }

  /// GIF89a §17, Header; §18, Logical Screen Descriptor; §19, Global Color Table.
  private mutating func logicalScreen() throws(CoderError) -> GIFStructure {
    _ = try has(LogicalScreen.size)
    let file = bytes
    var reader = ByteReader(file.bytes, order: .littleEndian, of: "the logical screen descriptor")
    var structure = GIFStructure(screen: try LogicalScreen(parsing: &reader))
    // The palette is kept in view for its background color.
    let paletteEnd = LogicalScreen.size + 3 * structure.screen.globalColorCount
    guard try has(paletteEnd) else {
      throw .truncated(
        "a global palette of \(structure.screen.globalColorCount) colors, \(end - LogicalScreen.size) bytes are left",
        at: end)
    }
    offset = paletteEnd
    structure.background = try background(of: structure.screen)
    return structure
  }

  /// The color that the logical screen descriptor names, when the global palette has it.
  private func background(of screen: LogicalScreen) throws(CoderError) -> PixelColor? {
    let index = Int(screen.backgroundIndex)
    guard index < screen.globalColorCount else { return nil }
    let file = bytes
    var reader = ByteReader(file.bytes, of: "the global palette")
    try reader.seek(to: LogicalScreen.size + 3 * index)
    let (red, green, blue) = (try reader.uint8(), try reader.uint8(), try reader.uint8())
    return PixelColor(red: red, green: green, blue: blue)
  }

  /// Walks over one block, or over the data of the last image.
  private mutating func nextBlock() throws(CoderError) {
    if let start = imageDataStart {
      imageDataStart = nil
      offset = start
      try skipSubBlocks()
      return try stopAfterFirstImage()
    }
    guard try has(offset + 1) else { return cut() }
    let introducer = try byte(at: offset)
    switch introducer {
    case BlockIntroducer.image:
      guard try image() else { return cut() }
    case BlockIntroducer.extension:
      guard try extensionBlock() else { return cut() }
    case BlockIntroducer.trailer:
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

  private mutating func stopAfterFirstImage() throws(CoderError) {
    // Images without delay and loop are parts of one still picture, which needs them all.
    guard stopsAfterFirstImage, structure.hasTiming else { return }
    structure.isTruncated = try !has(offset + 1)
    if !structure.isTruncated { structure.hasUnseenBlocks = try byte(at: offset) != BlockIntroducer.trailer }
    isOver = true
  }

  /// GIF89a §20, Image Descriptor, to the beginning of its data.
  ///
  /// - Returns: False when the bytes end inside.
  private mutating func image() throws(CoderError) -> Bool {
    guard try has(offset + ImageDescriptor.size) else { return false }
    let file = bytes
    var reader = ByteReader(file.bytes, order: .littleEndian, at: start, of: "an image descriptor")
    try reader.seek(to: offset - start)
    let descriptor = try ImageDescriptor(parsing: &reader)
    var image = GIFImageBlock(
      descriptor: descriptor, control: control, dataOffset: reader.offset + 3 * descriptor.localColorCount)
    control = GraphicControl()
    guard try has(image.dataOffset + 1) else {
      // An image of no pixels may come without data, and without the palette that it announces.
      guard image.size.isEmpty else { return false }
      offset += ImageDescriptor.size
      image.descriptor.dropPalette()
      image.dataOffset = offset
      try append(image)
      try stopAfterFirstImage()
      return true
    }
    // A code size is at most 12; an introducer in its place shows that an image of no pixels has no data at all.
    image.minimumCodeSize = try byte(at: image.dataOffset)
    if image.size.isEmpty, BlockIntroducer.all.contains(image.minimumCodeSize) {
      image.minimumCodeSize = 0
      try append(image)
      offset = image.dataOffset
      try stopAfterFirstImage()
      return true
    }
    // With the first byte of data missing there is nothing of the image to show.
    guard try has(image.dataOffset + 2) else { return false }
    try append(image)
    imageDataStart = image.dataOffset + 1
    return true
  }

  private mutating func append(_ image: GIFImageBlock) throws(CoderError) {
    try limits.check(frames: structure.images.count + 1)
    structure.append(image)
  }

  /// GIF89a §23 to §26, the extensions.
  ///
  /// - Returns: False when the bytes end inside.
  private mutating func extensionBlock() throws(CoderError) -> Bool {
    guard try has(offset + 3) else { return false }
    let (label, size) = (try byte(at: offset + 1), Int(try byte(at: offset + 2)))
    let data = offset + 3
    offset += 2
    guard try has(data + size) else { return false }
    let file = bytes
    var reader = ByteReader(file.bytes, order: .littleEndian, at: start, of: "an extension")
    try reader.seek(to: data - start)
    switch label {
    case GraphicControl.label where size >= 4:
      control = try GraphicControl(parsing: &reader)
    case 0x01:
      // Plain text is a graphic rendering block, which uses the control extension up. It is not rendered.
      control = GraphicControl()
    case 0xFE where size > 0:
      if structure.commentOffsets.count < Self.maxComments { structure.commentOffsets.append(offset) }
    case ApplicationExtension.label where size == ApplicationExtension.nameSize:
      try application(at: data)
    default: break
    }
    return try skipSubBlocks()
  }

  /// GIF89a §26, Application Extension, of those applications that matter.
  private mutating func application(at name: Int) throws(CoderError) {
    let data = name + ApplicationExtension.nameSize
    // The longest of what is looked at: a sub-block of three bytes. At the end of the file there may be less.
    _ = try has(data + 4)
    let bytes = bytes
    var reader = ByteReader(bytes.bytes, order: .littleEndian, at: start, of: "an application extension")
    guard data < end else { return }
    try reader.seek(to: data - start)
    let length = try reader.uint8()
    let place = name - start
    if reader.has(ApplicationExtension.netscape, at: place)
      || reader.has(ApplicationExtension.animationExtensions, at: place)
    {
      // Sub-block 1 holds the loop; sub-block 2 a buffer size that nobody needs.
      guard length >= 3, reader.remaining >= 3, try reader.uint8() & 7 == 1 else { return }
      structure.repetitions = try reader.uint16("the number of repetitions")
    } else if reader.has(ApplicationExtension.xmp, at: place) {
      // An empty packet is nothing but the magic trailer, which starts with 1 and 255; no text does.
      guard length != 0, reader.remaining > 0, (length, try reader.uint8()) != (1, 255) else { return }
      structure.xmpOffset = structure.xmpOffset ?? data
    } else if reader.has(ApplicationExtension.iccProfile, at: place), length != 0 {
      structure.iccOffset = structure.iccOffset ?? data
    } else if reader.has(ApplicationExtension.credentials, at: place), length != 0 {
      structure.credentialsOffset = structure.credentialsOffset ?? data
    }
  }

  /// Hops over sub-blocks and their terminator.
  ///
  /// - Returns: False when the bytes end before it; then the offset is the end.
  @discardableResult
  private mutating func skipSubBlocks() throws(CoderError) -> Bool {
    while try has(offset + 1) {
      // Every 255 bytes there is one to look at, and each place is known to be there.
      let bytes = bytes
      var place = offset - start
      while place < bytes.count {
        // Nearly all have 255 bytes. A next place that does not depend on the byte lets the processor look ahead.
        while place < bytes.count, bytes[place] == 255 { place += 256 }
        guard place < bytes.count else { break }
        let length = Int(bytes[place])
        place += 1 + length
        guard length > 0 else {
          offset = start + place
          return true
        }
      }
      offset = start + place
    }
    offset = end
    return false
  }

  /// Checks the canvas, and that there is something to show on it.
  private mutating func settleCanvas() throws(CoderError) {
    guard !isCanvasSettled else { return }
    isCanvasSettled = true
    // Some writers leave the logical screen at 0×0; browsers then take the first image's extent.
    if let first = structure.images.first?.descriptor {
      if structure.canvas.width == 0 { structure.canvas.width = Int(first.x) + Int(first.width) }
      if structure.canvas.height == 0 { structure.canvas.height = Int(first.y) + Int(first.height) }
    }
    try limits.check(canvas: structure.canvas)
    guard structure.images.isEmpty else { return }
    guard !structure.isTruncated else {
      throw .truncated("the file ends before the data of its first image", at: end)
    }
    // A file of a canvas and no image shows an empty canvas.
    try limits.check(frames: 1)
    structure.append(.empty)
  }

  private func byte(at place: Int) throws(CoderError) -> UInt8 {
    let bytes = bytes
    return try ByteReader(bytes.bytes, at: start, of: "the blocks").uint8(at: place - start)
  }
}
