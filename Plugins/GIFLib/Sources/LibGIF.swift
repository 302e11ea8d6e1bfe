// SPDX-License-Identifier: Apache-2.0

import CGIF
import ImageCoderPlugin

/// giflib's decoder, one record or one row at a time.
///
/// `DGifSlurp` is not used: it allocates every image of a file before any limit is checked. The records are read
/// through a function of our own, so that the decoder can go back to an image.
///
/// - Lifetime: The bytes outlive it.
final class LibGIF {
  static let version = "giflib \(GIFLIB_MAJOR).\(GIFLIB_MINOR).\(GIFLIB_RELEASE)"

  /// The kinds of blocks that a file consists of.
  enum Record {
    case image, `extension`, trailer
  }

  /// What an image descriptor says.
  struct Descriptor {
    let x, y: Int
    let size: Size
    let isInterlaced: Bool
    /// Bits of the smallest codes.
    let codeSize: Int
  }

  /// A palette's colors, red in the low byte, alpha, 255, in the high one.
  typealias Palette = [UInt32]

  private let bytes: UnsafeRawBufferPointer
  private var file: UnsafeMutablePointer<GifFileType>?
  /// The next byte that giflib reads. Setting it to where an image descriptor was read before reads it again.
  var offset = 0

  /// Reads the header, the logical screen and the global palette.
  ///
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/truncated``; ``CoderError/Code/outOfMemory``.
  init(_ bytes: UnsafeRawBufferPointer) throws(CoderError) {
    self.bytes = bytes
    // giflib takes every version for one that it knows.
    guard
      bytes.count < 6 || bytes.prefix(6).elementsEqual("GIF87a".utf8) || bytes.prefix(6).elementsEqual("GIF89a".utf8)
    else { throw .wrongFormat("the file begins neither with GIF87a nor with GIF89a", at: 0) }
    var code: Int32 = 0
    file = DGifOpen(
      Unmanaged.passUnretained(self).toOpaque(),
      { file, target, count in
        guard let owner = file?.pointee.UserData, let target else { return 0 }
        return Unmanaged<LibGIF>.fromOpaque(owner).takeUnretainedValue().read(into: target, count)
      }, &code)
    guard file != nil else { throw error(code) }
  }

  deinit {
    var code: Int32 = 0
    // Closing frees everything whatever it returns; nothing was written that could be lost.
    if let file { _ = DGifCloseFile(file, &code) }
  }

  private func read(into target: UnsafeMutablePointer<UInt8>, _ wanted: Int32) -> Int32 {
    let count = max(0, min(Int(wanted), bytes.count - offset))
    if count > 0, let base = bytes.baseAddress {
      target.update(from: (base + offset).assumingMemoryBound(to: UInt8.self), count: count)
    }
    offset += count
    return Int32(count)
  }

  var isAtEnd: Bool { offset >= bytes.count }
  var canvas: Size { Size(width: Int(file?.pointee.SWidth ?? 0), height: Int(file?.pointee.SHeight ?? 0)) }
  /// GIF89a §18: the width of a pixel ÷ its height is (stored value + 15) ÷ 64; nil where none is stated, and for square ones.
  var pixelAspect: Double? {
    guard let stored = file?.pointee.AspectByte, stored != 0, stored != 49 else { return nil }
    return (Double(stored) + 15) / 64
  }
  var globalPalette: Palette? { colors(file?.pointee.SColorMap) }
  /// The palette of the image whose descriptor was read last.
  var localPalette: Palette? { colors(file?.pointee.Image.ColorMap) }

  func nextRecord() throws(CoderError) -> Record {
    var type = UNDEFINED_RECORD_TYPE
    try check { DGifGetRecordType($0, &type) }
    switch type {
    case IMAGE_DESC_RECORD_TYPE: return .image
    case EXTENSION_RECORD_TYPE: return .extension
    case TERMINATE_RECORD_TYPE: return .trailer
    default: throw .malformed("giflib: a block of a type that is not known", at: offset - 1)
    }
  }

  /// Reads an image descriptor, the local palette and the code size; what follows is the image data.
  func nextDescriptor() throws(CoderError) -> Descriptor {
    try check { DGifGetImageHeader($0) }
    guard let image = file?.pointee.Image else { throw error(D_GIF_ERR_NO_IMAG_DSCR) }
    return Descriptor(
      x: Int(image.Left), y: Int(image.Top), size: Size(width: Int(image.Width), height: Int(image.Height)),
      isInterlaced: image.Interlace, codeSize: bytes.indices.contains(offset - 1) ? Int(bytes[offset - 1]) : 0)
  }

  /// Passes over the image data after a descriptor.
  func skipImageData() throws(CoderError) {
    var size: Int32 = 0
    var block: UnsafeMutablePointer<UInt8>?
    try check { DGifGetCode($0, &size, &block) }
    while block != nil { try check { DGifGetCodeNext($0, &block) } }
  }

  /// Decodes the next `count` indexes of an image, at most a row.
  func nextRow(into indexes: UnsafeMutablePointer<UInt8>, count: Int) throws(CoderError) {
    try check { DGifGetLine($0, indexes, Int32(clamping: count)) }
  }

  /// Reads an extension, its first sub-block after the other, until `take` is false.
  ///
  /// - Parameter take: Is given the label and a sub-block; returns whether it wants the next one.
  func nextExtension(_ take: (_ label: UInt8, _ block: [UInt8]) -> Bool) throws(CoderError) {
    var label: Int32 = 0
    var block: UnsafeMutablePointer<UInt8>?
    try check { DGifGetExtension($0, &label, &block) }
    var isWanted = true
    while let bytes = block {
      if isWanted {
        // The first byte is the sub-block's length.
        let data = UnsafeBufferPointer(start: bytes + 1, count: Int(bytes.pointee))
        isWanted = take(UInt8(truncatingIfNeeded: label), [UInt8](data))
      }
      try check { DGifGetExtensionNext($0, &block) }
    }
  }

  /// What a Graphic Control Extension says, or nil when giflib does not understand it.
  static func control(_ block: [UInt8]) -> GraphicsControlBlock? {
    var control = GraphicsControlBlock()
    return DGifExtensionToGCB(block.count, block, &control) == GIF_OK ? control : nil
  }

  private func colors(_ map: UnsafeMutablePointer<ColorMapObject>?) -> Palette? {
    guard let map, let colors = map.pointee.Colors else { return nil }
    return UnsafeBufferPointer(start: colors, count: Int(map.pointee.ColorCount)).map {
      UInt32($0.Red) | UInt32($0.Green) << 8 | UInt32($0.Blue) << 16 | 0xFF00_0000
    }
  }

  private func check(_ call: (UnsafeMutablePointer<GifFileType>) -> Int32) throws(CoderError) {
    guard let file else { throw error(D_GIF_ERR_NOT_READABLE) }
    // Some failures leave the code of an earlier one.
    file.pointee.Error = 0
    guard call(file) == GIF_OK else { throw error(file.pointee.Error) }
  }

  private func error(_ code: Int32) -> CoderError { CoderError(giflib: code, at: offset, isAtEnd: isAtEnd) }
}

extension CoderError {
  /// What giflib's error codes are for the host; 0 is what giflib leaves when it cannot read a code size.
  ///
  /// - Parameters:
  ///   - offset: Where giflib stopped reading.
  ///   - isAtEnd: Whether that is the end of the file.
  init(giflib code: Int32, at offset: Int, isAtEnd: Bool) {
    let text = "giflib: \(GifErrorString(code).map { String(cString: $0) } ?? "error \(code)")"
    self =
      switch code {
      case D_GIF_ERR_NOT_GIF_FILE: .wrongFormat(text, at: 0)
      case D_GIF_ERR_NOT_ENOUGH_MEM: .outOfMemory(bytes: 0, for: "giflib's own tables")
      case 0, D_GIF_ERR_READ_FAILED, D_GIF_ERR_NO_SCRN_DSCR, D_GIF_ERR_EOF_TOO_SOON, D_GIF_ERR_IMAGE_DEFECT,
        D_GIF_ERR_WRONG_RECORD, D_GIF_ERR_NO_IMAG_DSCR, D_GIF_ERR_NO_COLOR_MAP, D_GIF_ERR_DATA_TOO_BIG:
        isAtEnd ? .truncated(text, at: offset) : .malformed(text, at: offset)
      default: .libraryFailure(text)
      }
  }
}
