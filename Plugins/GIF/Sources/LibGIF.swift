// SPDX-License-Identifier: Apache-2.0

import CGIF
import ImageCoderPlugin

/// giflib's encoder: writes blocks and compresses rows of indexes.
///
/// giflib reports errors as return values, so no C of our own is needed. It writes colours three bytes at a time; they
/// are gathered here before they reach the host.
///
/// - Lifetime: The library's handle is closed with this object; what it then writes goes nowhere unless ``finish()``
///   was called.
final class LibGIF {
  static let version = "giflib \(GIFLIB_MAJOR).\(GIFLIB_MINOR).\(GIFLIB_RELEASE)"

  /// What one call hands to the host.
  private static let bufferSize = 65_536

  private let output: ByteOutput
  private var file: UnsafeMutablePointer<GifFileType>?
  private var buffer: [UInt8] = []
  /// What the host answered to a write inside giflib.
  private var refusal: CoderError?

  init(_ output: ByteOutput) throws(CoderError) {
    self.output = output
    buffer.reserveCapacity(Self.bufferSize + 1_024)
    var code: Int32 = 0
    let owner = Unmanaged.passUnretained(self).toOpaque()
    file = EGifOpen(
      owner,
      { file, bytes, count in
        guard let owner = file?.pointee.UserData, let bytes, count >= 0 else { return 0 }
        let library = Unmanaged<LibGIF>.fromOpaque(owner).takeUnretainedValue()
        return library.append(UnsafeBufferPointer(start: bytes, count: Int(count))) ? count : 0
      }, &code)
    guard let file else { throw Self.error(code) }
    // Without this giflib writes 87a, which has neither transparency nor delays.
    EGifSetGifVersion(file, true)
  }

  deinit {
    // Without ``finish()`` nobody wants the trailer that giflib writes.
    refusal = .cancelled
    var code: Int32 = 0
    if let file { _ = EGifCloseFile(file, &code) }
  }

  /// Writes the header and the global palette.
  func putScreen(_ canvas: Size, palette: [UInt32]) throws(CoderError) {
    try withMap(palette) { (file, map) in
      EGifPutScreenDesc(file, Int32(canvas.width), Int32(canvas.height), 8, 0, map)
    }
  }

  /// Writes an image descriptor; its rows follow.
  ///
  /// - Parameter palette: The local palette, or nil for the global one.
  func putImage(_ rect: Rect, isInterlaced: Bool, palette: [UInt32]?) throws(CoderError) {
    try withMap(palette) { (file, map) in
      EGifPutImageDesc(
        file, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height), isInterlaced, map)
    }
  }

  /// Compresses one row. giflib masks the indexes in place.
  func putRow(_ indexes: UnsafeMutablePointer<UInt8>, count: Int) throws(CoderError) {
    try check { EGifPutLine($0, indexes, Int32(count)) }
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
  func putBytes(_ bytes: [UInt8]) throws(CoderError) {
    guard bytes.withUnsafeBufferPointer({ append($0) }) else { throw refusal ?? .io("the output takes no more bytes") }
  }

  /// Writes the trailer and all that was gathered.
  func finish() throws(CoderError) {
    guard let file else { return }
    self.file = nil
    var code: Int32 = 0
    guard EGifCloseFile(file, &code) == GIF_OK else { throw refusal ?? Self.error(code) }
    try output.write(buffer)
    buffer = []
  }

  private func append(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard refusal == nil else { return false }
    buffer.append(contentsOf: bytes)
    guard buffer.count >= Self.bufferSize else { return true }
    do throws(CoderError) {
      try output.write(buffer)
      buffer.removeAll(keepingCapacity: true)
      return true
    } catch {
      refusal = error
      return false
    }
  }

  private func check(_ call: (UnsafeMutablePointer<GifFileType>) -> Int32) throws(CoderError) {
    guard let file else { throw .outOfOrder("the file is finished") }
    guard call(file) == GIF_OK else { throw refusal ?? Self.error(file.pointee.Error) }
  }

  /// Calls giflib with a palette, which it copies.
  private func withMap(
    _ palette: [UInt32]?, _ call: (UnsafeMutablePointer<GifFileType>, UnsafePointer<ColorMapObject>?) -> Int32
  ) throws(CoderError) {
    guard let palette else { return try check { call($0, nil) } }
    // giflib takes powers of two only, from 2 on.
    var count = 2
    while count < palette.count { count *= 2 }
    var colors = palette.prefix(256).map {
      GifColorType(
        Red: UInt8(truncatingIfNeeded: $0), Green: UInt8(truncatingIfNeeded: $0 >> 8),
        Blue: UInt8(truncatingIfNeeded: $0 >> 16))
    }
    colors.append(contentsOf: repeatElement(GifColorType(), count: count - colors.count))
    guard let map = GifMakeMapObject(Int32(count), colors) else {
      throw .outOfMemory(bytes: 3 * count, for: "a palette")
    }
    defer { GifFreeMapObject(map) }
    try check { call($0, map) }
  }

  /// What giflib's error codes are for the host.
  private static func error(_ code: Int32) -> CoderError {
    let text = GifErrorString(code).map { String(cString: $0) } ?? "error \(code)"
    return switch code {
    case E_GIF_ERR_WRITE_FAILED, E_GIF_ERR_DISK_IS_FULL, E_GIF_ERR_CLOSE_FAILED: .io("giflib: \(text)")
    case E_GIF_ERR_NOT_ENOUGH_MEM: .outOfMemory(bytes: 0, for: "giflib's own tables")
    case E_GIF_ERR_HAS_SCRN_DSCR, E_GIF_ERR_HAS_IMAG_DSCR, E_GIF_ERR_DATA_TOO_BIG: .outOfOrder("giflib: \(text)")
    default: .library("giflib: \(text)")
    }
  }
}
