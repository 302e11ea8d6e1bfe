// SPDX-License-Identifier: Apache-2.0

import CGIF
import ImageCoderPlugin

/// giflib's encoder, for what stands around the images: the header, extensions and the trailer.
///
/// giflib reports errors as return values, so no C of our own is needed.
///
/// - Lifetime: The library's handle is closed with this object; what it then writes goes nowhere unless ``finish()``
///   was called.
final class LibGIF {
  static let version = "giflib \(GIFLIB_MAJOR).\(GIFLIB_MINOR).\(GIFLIB_RELEASE)"

  /// What giflib has written and nobody has taken.
  private var bytes: [UInt8] = []
  private var file: UnsafeMutablePointer<GifFileType>?

  init() throws(CoderError) {
    var code: Int32 = 0
    let owner = Unmanaged.passUnretained(self).toOpaque()
    file = EGifOpen(
      owner,
      { file, bytes, count in
        guard let owner = file?.pointee.UserData, let bytes, count >= 0 else { return 0 }
        let library = Unmanaged<LibGIF>.fromOpaque(owner).takeUnretainedValue()
        library.bytes.append(contentsOf: UnsafeBufferPointer(start: bytes, count: Int(count)))
        return count
      }, &code)
    guard let file else { throw Self.error(code) }
    // Without this giflib writes 87a, which has neither transparency nor delays.
    EGifSetGifVersion(file, true)
  }

  deinit {
    var code: Int32 = 0
    if let file { _ = EGifCloseFile(file, &code) }
  }

  /// Hands over what was written.
  func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Writes the header and the global palette.
  ///
  /// - Parameter palette: A power of two of colours from 2 on, or none.
  func putScreen(_ canvas: Size, palette: [UInt32]) throws(CoderError) {
    guard !palette.isEmpty else {
      return try check { EGifPutScreenDesc($0, Int32(canvas.width), Int32(canvas.height), 8, 0, nil) }
    }
    let colors = palette.map {
      GifColorType(
        Red: UInt8(truncatingIfNeeded: $0), Green: UInt8(truncatingIfNeeded: $0 >> 8),
        Blue: UInt8(truncatingIfNeeded: $0 >> 16))
    }
    guard let map = GifMakeMapObject(Int32(colors.count), colors) else {
      throw .outOfMemory(bytes: 3 * colors.count, for: "a palette")
    }
    defer { GifFreeMapObject(map) }
    try check { EGifPutScreenDesc($0, Int32(canvas.width), Int32(canvas.height), 8, 0, map) }
  }

  /// Writes an extension of one or more sub-blocks of up to 255 bytes each.
  func putExtension(_ label: UInt8, _ blocks: [ArraySlice<UInt8>]) throws(CoderError) {
    try check { EGifPutExtensionLeader($0, Int32(label)) }
    for block in blocks {
      try check { file in
        block.withUnsafeBytes { EGifPutExtensionBlock(file, Int32($0.count), $0.baseAddress) }
      }
    }
    try check { EGifPutExtensionTrailer($0) }
  }

  /// Writes bytes between two blocks as they are.
  func putBytes(_ raw: [UInt8]) { bytes += raw }

  /// Writes the trailer.
  func finish() throws(CoderError) {
    guard let file else { return }
    self.file = nil
    var code: Int32 = 0
    guard EGifCloseFile(file, &code) == GIF_OK else { throw Self.error(code) }
  }

  private func check(_ call: (UnsafeMutablePointer<GifFileType>) -> Int32) throws(CoderError) {
    guard let file else { throw .outOfOrder("the file is finished") }
    guard call(file) == GIF_OK else { throw Self.error(file.pointee.Error) }
  }

  /// What giflib's error codes are for the host.
  private static func error(_ code: Int32) -> CoderError {
    let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
    return switch code {
    case E_GIF_ERR_NOT_ENOUGH_MEM: .outOfMemory(bytes: 0, for: "giflib's own tables")
    case E_GIF_ERR_HAS_SCRN_DSCR, E_GIF_ERR_HAS_IMAG_DSCR, E_GIF_ERR_DATA_TOO_BIG: .outOfOrder("giflib: \(text)")
    default: .library("giflib: \(text)")
    }
  }
}
