// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Edits the metadata of GIF files. Images, palettes and the extensions that they depend on stay byte for byte.
///
/// - Format: GIF89a, Appendix B, GIF Grammar.
enum GIFMetadata {
  static func edit(_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) {
    for kind in [MetadataBlock.exif, .iptc] where edits.payloads[kind] != nil {
      throw .unsupported("GIF has no place for \(kind.rawValue)")
    }
    guard !(edits.payloads[.xmp]?.contains(0) ?? false) else {
      throw .unsupported("an XMP packet with zero bytes, GIF takes UTF-8 without them")
    }
    let source = context.source
    let bytes = try source.contents()
    var reader = ByteReader(bytes.bytes, order: .littleEndian, of: "a GIF file")
    let screen = try LogicalScreen(parsing: &reader)
    var file = FilePieces()
    var added = ByteWriter()
    if let profile = edits.payloads[.icc] {
      ApplicationExtension.write(ApplicationExtension.iccProfile, profile, to: &added)
    }
    if let packet = edits.payloads[.xmp] { ApplicationExtension.writeXMP(packet, to: &added) }
    var isAdded = added.count == 0
    var offset = min(LogicalScreen.size + 3 * screen.globalColorCount, bytes.count)
    // Extensions of applications are of version 89a.
    if !isAdded { file.put(Array("GIF89a".utf8)) }
    file.keep(isAdded ? 0..<offset : 6..<offset)
    while let block = Block(in: reader, at: offset) {
      // Some programs look for the loop count first.
      if !isAdded, !block.isLoop {
        file.put(added.bytes)
        isAdded = true
      }
      if block.kinds.isDisjoint(with: edits.removed) { file.keep(offset..<block.end) }
      offset = block.end
      if block.isLast { break }
    }
    if !isAdded { file.put(added.bytes) }
    if !edits.removed.contains(.other) || file.pieces.isEmpty { file.keep(offset..<bytes.count) }
    try file.write(in: context)
  }

  /// Names of extensions that belong to programs, and of texts that are drawn as pictures, which are not read.
  ///
  /// - Parameter bytes: From the start of the file on.
  static func applicationData(in bytes: RawSpan) throws(CoderError) -> [UInt8]? {
    var reader = ByteReader(bytes, order: .littleEndian, of: "a GIF file")
    let screen = try LogicalScreen(parsing: &reader)
    var data = ApplicationData()
    var offset = min(LogicalScreen.size + 3 * screen.globalColorCount, reader.count)
    while let block = Block(in: reader, at: offset) {
      if let name = block.applicationName { data.add(name) }
      if block.kinds == [.xmp] {
        data.note([UInt8](copying: try reader.bytes(at: offset, count: block.end - offset)), of: .xmp)
      }
      offset = block.end
      guard block.isLast else { continue }
      if offset < reader.count { data.add("\(reader.count - offset) bytes after the picture") }
      break
    }
    return data.payload
  }

  /// A block after the palette.
  private struct Block {
    /// The kinds of metadata that it holds: none for one that pictures need, or that is not known.
    private(set) var kinds: Set<MetadataBlock> = []
    /// Whether it says how often the animation is played.
    private(set) var isLoop = false
    private(set) var isLast = false
    /// What it is, if it belongs to a program or is not read.
    private(set) var applicationName: String?
    let end: Int

    /// - Returns: Nil where the bytes end, and for what is no block.
    init?(in file: borrowing ByteReader, at start: Int) {
      guard let introducer = try? file.uint8(at: start) else { return nil }
      switch introducer {
      case BlockIntroducer.trailer:
        isLast = true
        end = start + 1
      case BlockIntroducer.image:
        guard let flags = try? file.uint8(at: start + ImageDescriptor.size - 1) else { return nil }
        let palette = flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
        let data = start + ImageDescriptor.size + palette + 1
        // An image of no pixels may come without data.
        let code = (try? file.uint8(at: data - 1)) ?? 0
        end = BlockIntroducer.all.contains(code) ? data - 1 : Self.endOfSubBlocks(at: data, in: file)
      case BlockIntroducer.extension:
        guard let label = try? file.uint8(at: start + 1) else { return nil }
        end = Self.endOfSubBlocks(at: start + 2, in: file)
        if label == 0xFE { kinds = [.text] }
        if label == 0x01 { applicationName = "plain text" }
        guard label == ApplicationExtension.label else {
          if ![0x01, 0xFE, GraphicControl.label].contains(label) { applicationName = "extension \(label)" }
          return
        }
        let name = start + 3
        isLoop =
          file.has(ApplicationExtension.netscape, at: name)
          || file.has(ApplicationExtension.animationExtensions, at: name)
        if file.has(ApplicationExtension.xmp, at: name) {
          kinds = [.xmp]
        } else if file.has(ApplicationExtension.iccProfile, at: name) {
          kinds = [.icc]
        } else if file.has(ApplicationExtension.credentials, at: name) {
          kinds = [.c2pa, .other]
        } else if !isLoop {
          kinds = [.other]
          var bytes: [UInt8] = []
          for index in 0..<ApplicationExtension.nameSize { bytes.append((try? file.uint8(at: name + index)) ?? 0) }
          applicationName = "extension \(ApplicationData.printable(bytes))"
        }
      // A stray terminator.
      case 0: end = start + 1
      default: return nil
      }
    }

    private static func endOfSubBlocks(at start: Int, in file: borrowing ByteReader) -> Int {
      var offset = start
      while let length = try? Int(file.uint8(at: offset)) {
        offset += 1 + length
        if length == 0 { return offset }
      }
      return file.count
    }
  }
}
