// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// A file whose structure has been read: its boxes, a decoder over it, and what both say of the picture.
struct OpenedFile {
  let file: AVIFFile
  let picture: PictureDecoder
  /// A grid of the alpha of its tiles, as gray, where the file has no alpha of the whole.
  let tileAlpha: PictureDecoder?
  let hasAlpha: Bool
  let presentation: Presentation
  let layout: PixelLayout
  let frameCount: Int
  let isTruncated: Bool
  let delays: [UInt32]
  let isLossless: Bool
  let thumbnail: EmbeddedThumbnail?

  /// - Parameter isIncremental: Whether to wait for the boxes alone, where they come before the pixels.
  init(_ source: SourceView, isIncremental: Bool, host: CoderHost) throws(CoderError) {
    if isIncremental {
      do throws(CoderError) {
        if let file = try AVIFFile(incremental: source) {
          self = try OpenedFile(file, host: host)
          return
        }
      } catch {
        // Only the last byte tells whether the error is due to missing bytes; the brands tell at once whose file it is.
        guard error.code != .wrongFormat else { throw error }
      }
    }
    self = try OpenedFile(try AVIFFile(parsing: try source.contents()), host: host)
  }

  private init(_ file: AVIFFile, host: CoderHost) throws(CoderError) {
    self.file = file
    try Self.checkPrimaryItem(of: file)
    picture = try PictureDecoder(
      file, source: file.isSequence ? AVIF_DECODER_SOURCE_TRACKS : AVIF_DECODER_SOURCE_PRIMARY_ITEM,
      patches: file.isSequence ? file.trackPatches : file.itemPatches(),
      in: file.isSequence ? file.movie : file.items?.box, host: host)
    tileAlpha =
      file.tileAlpha == nil
      ? nil
      : try PictureDecoder(
        file, source: AVIF_DECODER_SOURCE_PRIMARY_ITEM, patches: file.itemPatches(showsAlpha: true),
        in: file.items?.box, host: host)
    hasAlpha = picture.hasAlpha || tileAlpha != nil
    let image = picture.image
    presentation = Presentation(image)
    try host.limits.check(canvas: presentation.crop.size)
    let count = max(picture.imageCount, 1)
    try host.limits.check(frames: count)
    let whole = file.isCut && file.incremental == nil ? picture.wholeFrames(of: count) : count
    frameCount = max(whole, 1)
    isTruncated = whole < count
    layout = PixelLayout(
      PixelFormat(
        isGray: image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400, hasAlpha: hasAlpha, isDeep: image.depth > 8),
      AlphaMode(hasAlpha: hasAlpha, isPremultiplied: image.alphaPremultiplied != AVIF_FALSE))
    delays = file.isSequence ? file.track?.delays(of: frameCount, in: file.bytes) ?? [] : []
    isLossless = Self.isLossless(picture, in: file)
    thumbnail = EmbeddedThumbnail(in: file, of: image, presentation: presentation, hasAlpha: hasAlpha)
  }

  /// Items that libavif does not derive pictures from are for another coder.
  private static func checkPrimaryItem(of file: AVIFFile) throws(CoderError) {
    guard !file.isSequence, let items = file.items, let type = items.type(of: items.primary) else { return }
    guard type == .av01 || type == .grid else {
      throw .unsupported("a primary item of type \(type), and libavif reads av01 and grid")
    }
  }

  /// Whether a still's colors are stored as they are, and color and alpha are compressed without loss.
  private static func isLossless(_ picture: PictureDecoder, in file: AVIFFile) -> Bool {
    let image = picture.image
    let isDirect =
      image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
      || (image.matrixCoefficients == 0 && image.yuvFormat == AVIF_PIXEL_FORMAT_YUV444)
    guard isDirect, image.yuvRange == AVIF_RANGE_FULL, !file.isSequence, let items = file.items else { return false }
    let alpha = picture.hasAlpha ? items.auxiliaries.prefix(1) : []
    return ([items.primary] + alpha).allSatisfy { item in
      guard items.type(of: item) == .av01, let place = items.place(of: item, in: file.bytes) else { return false }
      let bytes = UnsafeRawBufferPointer(rebasing: file.bytes.raw[place])
      var reader = ByteReader(bytes.bytes, at: place.lowerBound, of: "an AV1 item")
      // Headers that cannot be read say nothing about loss.
      return (try? AV1KeyFrame(parsing: &reader).isLossless) ?? false
    }
  }
}
