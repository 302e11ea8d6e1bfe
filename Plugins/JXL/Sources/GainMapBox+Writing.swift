// SPDX-License-Identifier: Apache-2.0

import CJXL
import ImageCoderPlugin

extension GainMapBox {
  /// The content of a box with a map, as libjxl 0.11 and later write it.
  ///
  /// - Parameter codestream: The map.
  /// - Throws: ``CoderError/Code/invalidArgument`` for metadata of over 65,535 bytes; as ``CompressedProfile``.
  static func content(_ codestream: [UInt8], _ map: GainMapParts, host: CoderHost) throws(CoderError) -> [UInt8] {
    guard map.iso.count <= Int(UInt16.max) else {
      throw .invalidArgument("metadata of a gain map of \(map.iso.count) bytes; \(UInt16.max) are the most")
    }
    var color: [UInt8] = []
    if let points = map.alternateColors {
      if let encoding = points.encoding(isGray: false) {
        color = bytes(encoding)
      } else if map.alternateProfile == nil {
        host.log(
          "colors of \(points), to which the gain map leads, have no name in JPEG XL and are left out",
          severity: .warning)
      }
    }
    let profile = try map.alternateProfile.map { (profile) throws(CoderError) in
      try CompressedProfile.compress(profile, host: host)
    }
    var writer = ByteWriter()
    writer.put(UInt8(0))
    writer.put(UInt16(clamping: map.iso.count))
    writer.put(map.iso)
    writer.put(UInt8(clamping: color.count))
    writer.put(color)
    writer.put(UInt32(clamping: profile?.count ?? 0))
    writer.put(profile ?? [])
    writer.put(codestream)
    return writer.bytes
  }

  /// ISO/IEC 18181-1 §E.2, for colors that have names.
  private static func bytes(_ encoding: JxlColorEncoding) -> [UInt8] {
    var bits = BitPacker()
    let isSRGB =
      encoding.primaries == JXL_PRIMARIES_SRGB && encoding.transfer_function == JXL_TRANSFER_FUNCTION_SRGB
      && encoding.white_point == JXL_WHITE_POINT_D65
    bits.put(isSRGB ? 1 : 0, bits: 1)
    guard !isSRGB else { return bits.bytes }
    // No profile.
    bits.put(0, bits: 1)
    bits.putEnumeration(UInt32(JXL_COLOR_SPACE_RGB.rawValue))
    bits.putEnumeration(UInt32(encoding.white_point.rawValue))
    bits.putEnumeration(UInt32(encoding.primaries.rawValue))
    // No exponent.
    bits.put(0, bits: 1)
    bits.putEnumeration(UInt32(encoding.transfer_function.rawValue))
    bits.putEnumeration(UInt32(JXL_RENDERING_INTENT_RELATIVE.rawValue))
    return bits.bytes
  }
}

/// Puts gain maps into files of JPEG XL, in a `jhgm` box after the picture.
///
/// - Format: ISO/IEC 18181-2, amendment 1; ISO 21496-1:2025 annex C.
enum JXLGainMap {
  /// Writes a file with a map. The picture, its metadata and what else is in the file stay byte for byte.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a map that is no JPEG XL file; ``CoderError/Code/truncated``.
  static func attach(_ context: OperationContext, _ map: GainMapParts) throws(CoderError) {
    let source = context.source
    let codestream = try codestream(of: map.file)
    var box = ByteWriter()
    let content = try GainMapBox.content(codestream, map, host: context.host)
    box.box(.gainMap) { $0.put(content) }
    var file = FilePieces()
    if try BoxIndex(parsing: source).isContainer {
      try keepBoxes(of: source, in: &file)
    } else {
      var head = ByteWriter()
      head.put(BoxIndex.signature)
      head.box(FourCC("ftyp")) { writer in
        writer.put("jxl ")
        writer.put(UInt32(0))
        writer.put("jxl ")
      }
      putHeader(of: .codestream, contentBytes: source.size, in: &head)
      file.put(head.bytes)
      file.keep(0..<source.size)
    }
    file.put(box.bytes)
    try file.write(in: context)
  }

  /// Keeps all boxes but that of another map.
  private static func keepBoxes(of source: SourceView, in file: inout FilePieces) throws(CoderError) {
    var offset = 0
    while offset < source.size {
      let box = try source.box(at: offset, before: source.size)
      guard let box, !box.isCut, box.end <= source.size else {
        throw .truncated("a file whose last box is cut", at: source.size)
      }
      var reader = try source.reader(at: box.start, count: 4, of: "a box")
      if try reader.uint32("the size of a box") == 0 {
        // One that reaches to the end of the file, which it no longer does.
        var head = ByteWriter()
        putHeader(of: box.type, contentBytes: box.payload.count, in: &head)
        file.put(head.bytes)
        file.keep(box.payload)
      } else if try !isGainMap(box, in: source) {
        file.keep(box.start..<box.end)
      }
      offset = box.end
    }
  }

  private static func isGainMap(_ box: Box, in source: SourceView) throws(CoderError) -> Bool {
    guard box.type == .compressed, box.payload.count >= 4 else { return box.type == .gainMap }
    var reader = try source.reader(at: box.content, count: 4, of: "a compressed box")
    return try reader.fourCC("the type of its content") == .gainMap
  }

  private static func putHeader(of type: FourCC, contentBytes: Int, in writer: inout ByteWriter) {
    let isLarge = contentBytes + 8 > Int(UInt32.max)
    writer.put(isLarge ? 1 : UInt32(clamping: contentBytes + 8))
    writer.put(type)
    if isLarge { writer.put(UInt64(contentBytes + 16)) }
  }

  /// The codestream of a file: boxes have no place in a gain map.
  private static func codestream(of file: [UInt8]) throws(CoderError) -> [UInt8] {
    let copy = CopiedSource(file)
    return try withExtendedLifetime(copy) { () throws(CoderError) in
      let source = copy.view
      guard try BoxIndex(parsing: source).isContainer else { return file }
      var codestream: [UInt8] = []
      var offset = 0
      while offset < source.size, let box = try source.boxIfAny(at: offset) {
        guard box.end <= source.size, !box.isCut else { break }
        if box.type == .codestream { codestream += file[box.payload] }
        // A counter comes before each part.
        if box.type == .partialCodestream { codestream += file[box.payload].dropFirst(4) }
        offset = box.end
      }
      guard codestream.starts(with: BoxIndex.codestreamSignature) else {
        throw .invalidArgument("a gain map of \(file.count) bytes without a codestream")
      }
      return codestream
    }
  }
}
