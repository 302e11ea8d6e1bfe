// SPDX-License-Identifier: Apache-2.0

import CAVIF
import ISOBaseMediaFile
import ImageCoderPlugin

/// libavif's decoder over one file: parsed when it is made, and with the picture that was decoded last.
///
/// - Threads: One at a time. libavif is told to use no threads of its own.
final class PictureDecoder {
  private let input: DecoderInput
  private let decoder: UnsafeMutablePointer<avifDecoder>
  private let limits: Limits
  private let isCut: Bool
  private let end: Int

  /// - Throws: What is wrong with the file's boxes.
  init(
    _ file: AVIFFile, source: avifDecoderSource, patches: [Patch] = [], in box: Box? = nil,
    host: CoderHost
  ) throws(CoderError) {
    limits = host.limits
    isCut = file.isCut
    end = file.bytes.count
    input = try DecoderInput(file, patches: patches, in: box, host: host)
    _ = LibAVIF.isQuiet
    guard let decoder = avifDecoderCreate() else {
      throw .outOfMemory(bytes: MemoryLayout<avifDecoder>.size, for: "libavif's decoder")
    }
    self.decoder = decoder
    decoder.pointee.maxThreads = 1
    decoder.pointee.requestedSource = source
    decoder.pointee.allowProgressive = AVIF_FALSE
    decoder.pointee.allowIncremental = AVIF_TRUE
    // Files of old writers lack what the checks ask for, and decode well.
    decoder.pointee.strictFlags = avifStrictFlags(AVIF_STRICT_DISABLED.rawValue)
    // What a clean aperture leaves of a larger picture is the canvas; its limits are checked when it is known.
    let isCropped = file.isCropped && !file.isSequence
    decoder.pointee.imageSizeLimit = UInt32(isCropped ? Self.maxPixels : min(max(limits.maxPixels, 1), Self.maxPixels))
    decoder.pointee.imageDimensionLimit = UInt32(clamping: isCropped ? Self.maxSide : max(limits.maxSide, 1))
    decoder.pointee.imageCountLimit = UInt32(clamping: max(limits.maxFrames, 1))
    if file.incremental != nil {
      // They may lie after the picture, and are read when all is there.
      decoder.pointee.ignoreExif = AVIF_TRUE
      decoder.pointee.ignoreXMP = AVIF_TRUE
    }
    avifDecoderSetIO(decoder, input.io)
    let result = avifDecoderParse(decoder)
    guard result == AVIF_RESULT_OK, decoder.pointee.image != nil else {
      let failure = failure(result, of: "the file's structure")
      if failure.code == .limitExceeded, failure.limit == nil { try checkSize() }
      throw failure
    }
  }

  deinit { avifDecoderDestroy(decoder) }

  /// Checks the size of a picture that libavif refused: it does not say which of the two limits it is over.
  private func checkSize() throws(CoderError) {
    decoder.pointee.imageSizeLimit = UInt32(Self.maxPixels)
    decoder.pointee.imageDimensionLimit = UInt32(Self.maxSide)
    guard avifDecoderParse(decoder) == AVIF_RESULT_OK, let image = decoder.pointee.image?.pointee else { return }
    try limits.check(canvas: Size(width: Int(image.width), height: Int(image.height)))
  }

  /// The largest picture that libavif agrees to.
  private static let maxPixels = 16_384 * 16_384
  private static let maxSide = 65_536

  /// What is known of the picture; its planes are those of the frame that was decoded last.
  var image: avifImage { decoder.pointee.image.pointee }
  var imageCount: Int { Int(decoder.pointee.imageCount) }
  var hasAlpha: Bool { decoder.pointee.alphaPresent != AVIF_FALSE }
  var isProgressive: Bool { decoder.pointee.progressiveState == AVIF_PROGRESSIVE_STATE_AVAILABLE }

  /// Decodes a frame: from the nearest key frame on, or from the frame that was decoded last.
  ///
  /// - Parameter isPatient: Whether to wait for all rows of an incomplete file.
  /// - Returns: Rows that are there; fewer than all when a grid's last tiles are cut or not there yet.
  func decode(frame index: Int, isPatient: Bool = true, host: CoderHost) throws(CoderError) -> Int {
    input.isPatient = isPatient
    defer { input.isPatient = true }
    guard let target = UInt32(exactly: index) else { throw .invalidArgument("frame \(index)") }
    let current = Int(decoder.pointee.imageIndex)
    var next = Int(avifDecoderNearestKeyframe(decoder, target))
    if current < index, current >= next { next = current + 1 }
    while next < index {
      if host.isCancelled { throw .cancelled }
      let result = avifDecoderNthImage(decoder, UInt32(next))
      guard result == AVIF_RESULT_OK else { throw failure(result, of: "frame \(next), before frame \(index),") }
      next += 1
    }
    if host.isCancelled { throw .cancelled }
    let result = avifDecoderNthImage(decoder, target)
    if result == AVIF_RESULT_WAITING_ON_IO {
      let rows = Int(avifDecoderDecodedRowCount(decoder))
      if rows > 0 || input.isWaiting { return rows }
    }
    guard result == AVIF_RESULT_OK else { throw failure(result, of: index == 0 ? "the picture" : "frame \(index)") }
    return Int(image.height)
  }

  /// Waits for the bytes that the last decode missed.
  ///
  /// - Returns: Whether they are there.
  func waitForMissing() throws(CoderError) -> Bool { try input.waitForMissing() }

  /// How many of the frames, from the first on, have all their bytes in the file.
  func wholeFrames(of count: Int) -> Int {
    var whole = 0..<count + 1
    while whole.count > 1 {
      let middle = whole.lowerBound + whole.count / 2
      if isWhole(middle - 1) { whole = middle..<whole.upperBound } else { whole = whole.lowerBound..<middle }
    }
    return whole.lowerBound
  }

  private func isWhole(_ frame: Int) -> Bool {
    var extent = avifExtent()
    guard avifDecoderNthImageMaxExtent(decoder, UInt32(clamping: frame), &extent) == AVIF_RESULT_OK else {
      return false
    }
    let last = extent.offset.addingReportingOverflow(UInt64(extent.size))
    return !last.overflow && last.partialValue <= UInt64(end)
  }

  private func failure(_ result: avifResult, of what: String) -> CoderError {
    input.failure
      ?? CoderError(decoding: result, decoder.pointee.diag, what: what, isCut: isCut, end: end, limits: limits)
  }
}
