// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// A file whose structure has been read: its boxes, a decoder over it, and what both say of the picture.
final class OpenedFile {
  let file: AVIFFile
  let picture: PictureDecoder
  /// A grid of the alpha of its tiles, as gray, where the file has no alpha of the whole.
  let tileAlpha: PictureDecoder?
  /// Decodes a still without libavif, unless the file is not as expected.
  let still: StillDecoder?
  let hasAlpha: Bool
  let presentation: Presentation
  let layout: PixelLayout
  let frameCount: Int
  let isTruncated: Bool
  /// Frames of a sequence, as they are shown: by the track's edit list; empty for a still.
  let steps: [EditedFrames.Step]
  let isLossless: Bool
  private var thumbnail: EmbeddedThumbnail?
  private var thumbnailPicture: PictureDecoder?

  /// - Parameter file: Whose picture is not derived in a way that libavif does not know.
  init(_ file: AVIFFile, host: CoderHost) throws(CoderError) {
    self.file = file
    try file.checkCodedSizes(host.limits)
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
    still = file.isPartial ? nil : StillDecoder(file, image, hasAlpha: picture.hasAlpha, host: host)
    try file.checkTrackSize(Size(width: Int(image.width), height: Int(image.height)), host.limits)
    presentation = Presentation(image)
    try host.limits.check(canvas: presentation.crop.size)
    let count = max(picture.imageCount, 1)
    try host.limits.check(frames: count)
    let whole = file.isCut && file.incremental == nil ? picture.wholeFrames(of: count) : count
    let stored = max(whole, 1)
    steps =
      file.isSequence
      ? try file.track.map { (track) throws(CoderError) in
        try track.steps(track.delays(of: stored, in: file.bytes), limits: host.limits)
      } ?? [] : []
    frameCount = steps.isEmpty ? stored : steps.count
    isTruncated = whole < count
    layout = PixelLayout(
      PixelFormat(
        isGray: image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400, hasAlpha: hasAlpha, isDeep: image.depth > 8),
      AlphaMode(hasAlpha: hasAlpha, isPremultiplied: image.alphaPremultiplied != AVIF_FALSE))
    isLossless = Self.isLossless(picture, in: file)
    thumbnail = EmbeddedThumbnail(in: file, of: image, presentation: presentation, hasAlpha: hasAlpha)
  }

  /// Checks that decoding can start at the first sample of a track: it is a key frame, which has a sequence header before it.
  ///
  /// - Throws: What libavif says of a sample that is none.
  func checkStart(_ host: CoderHost) throws(CoderError) {
    guard let place = file.track?.firstSample, place.upperBound <= file.bytes.count else { return }
    let bytes = file.bytes.bytes(in: place)
    var reader = ByteReader(bytes.bytes, at: place.lowerBound, of: "the first sample")
    if (try? AV1KeyFrame(parsing: &reader)) != nil { return }
    _ = try picture.decode(frame: 0, host: host)
  }

  /// Whether a still's colors are stored as they are.
  private static func isDirect(_ picture: PictureDecoder, in file: AVIFFile) -> Bool {
    let image = picture.image
    let isDirect =
      image.yuvFormat == AVIF_PIXEL_FORMAT_YUV400
      || (image.matrixCoefficients == 0 && image.yuvFormat == AVIF_PIXEL_FORMAT_YUV444)
    return isDirect && image.yuvRange == AVIF_RANGE_FULL && !file.isSequence
  }

  /// Whether only the pictures' own bytes tell whether they are compressed without loss.
  var needsPicture: Bool { Self.isDirect(picture, in: file) }

  /// Whether a still's colors are stored as they are, and color and alpha are compressed without loss.
  private static func isLossless(_ picture: PictureDecoder, in file: AVIFFile) -> Bool {
    guard isDirect(picture, in: file), let items = file.items else { return false }
    let alpha = picture.hasAlpha ? items.auxiliaries.prefix(1) : []
    return ([items.primary] + alpha).allSatisfy { item in
      guard items.type(of: item) == .av01, let place = items.place(of: item, in: file.bytes) else { return false }
      let bytes = UnsafeRawBufferPointer(rebasing: file.bytes.raw[place])
      var reader = ByteReader(bytes.bytes, at: place.lowerBound, of: "an AV1 item")
      // Headers that cannot be read say nothing about loss.
      return (try? AV1KeyFrame(parsing: &reader).isLossless) ?? false
    }
  }

  /// Primaries and transfer of 2 say nothing (ITU-T H.273 §8.1, §8.2).
  var points: CodingIndependentCodePoints? {
    let image = picture.image
    guard image.colorPrimaries != 2 || image.transferCharacteristics != 2 else { return nil }
    return CodingIndependentCodePoints(
      primaries: UInt8(clamping: image.colorPrimaries), transfer: UInt8(clamping: image.transferCharacteristics),
      matrix: UInt8(clamping: image.matrixCoefficients), isFullRange: image.yuvRange == AVIF_RANGE_FULL)
  }

  var subsampling: Subsampling? {
    switch picture.image.yuvFormat {
    case AVIF_PIXEL_FORMAT_YUV444: .s444
    case AVIF_PIXEL_FORMAT_YUV422: .s422
    case AVIF_PIXEL_FORMAT_YUV420: .s420
    case AVIF_PIXEL_FORMAT_YUV400: .s400
    default: nil
    }
  }

  /// Bytes that decoding takes: dav1d keeps a frame for each plane, in blocks of 128 × 128 pixels, a sequence up to eight
  /// more for reference (AV1 §7.20), and the tiles of a grid are put together in planes of their own.
  func memory(of size: Size, isSequence: Bool = false) -> Int {
    func rounded(_ side: Int) -> Int { (side + 127) / 128 * 128 }
    let pixels = rounded(size.width) * rounded(size.height)
    let channels =
      switch subsampling {
      case .s444?: 12
      case .s422?: 8
      case .s420?: 6
      default: 4
      }
    let quarters = (channels + (hasAlpha ? 4 : 0)) * (picture.image.depth > 8 ? 2 : 1)
    return pixels / 4 * quarters * (isSequence ? 10 : 2) + (1 << 20)
  }
}

extension OpenedFile {
  /// Decodes a frame.
  ///
  /// - Parameters:
  ///   - decoder: The picture's, or that of a thumbnail.
  ///   - frame: As it is shown.
  ///   - part: What is wanted of it; more may be decoded.
  /// - Returns: Its planes, with the alpha of its tiles, which live as long as the decoder's next picture.
  func decode(
    _ decoder: PictureDecoder, frame: Int, part: Rect, host: CoderHost
  ) throws(CoderError) -> DecodedPlanes {
    try file.checkArrivingSize(host.limits)
    if decoder === picture, let decoded = try still?.decode(picture.image, part: part) { return decoded }
    let stored = steps.indices.contains(frame) ? steps[frame].frame : frame
    let rows = try decoder.decode(frame: stored, isPatient: !file.isGrid, host: host)
    var image = decoder.image
    if let alpha = tileAlpha, decoder === picture { try add(alpha, rows: rows, to: &image, host: host) }
    return DecodedPlanes(image: image, rows: rows, origin: (0, 0))
  }

  /// Waits for the bytes that the last decode missed.
  ///
  /// - Returns: Whether decoding again gets further, or tells what is wrong.
  func waitForMissing(_ decoder: PictureDecoder) throws(CoderError) -> Bool {
    if decoder === picture, try still?.waitForMissing() ?? false { return true }
    return try decoder.waitForMissing()
  }

  /// The decoded thumbnail when it is large enough; one that does not decode is forgotten, and the picture taken.
  func thumbnail(covering wanted: Size, host: CoderHost) throws(CoderError) -> (picture: PictureDecoder, size: Size)? {
    guard let thumbnail, thumbnail.covers(wanted) else { return nil }
    try host.limits.check(memory: memory(of: thumbnail.size))
    if thumbnailPicture == nil { thumbnailPicture = try thumbnail.decoded(from: file, host: host) }
    guard let thumbnailPicture else {
      self.thumbnail = nil
      return nil
    }
    return (thumbnailPicture, thumbnail.size)
  }

  private func add(
    _ alpha: PictureDecoder, rows: Int, to image: inout avifImage, host: CoderHost
  ) throws(CoderError) {
    let there = try alpha.decode(frame: 0, host: host)
    let plane = alpha.image
    guard plane.width == image.width, plane.height == image.height, plane.depth == image.depth, there >= rows,
      plane.yuvRange == AVIF_RANGE_FULL
    else {
      throw .unsupported(
        "alpha tiles of \(plane.width)×\(plane.height) with \(plane.depth) bits for a grid of "
          + "\(image.width)×\(image.height) with \(image.depth) bits")
    }
    image.alphaPlane = plane.yuvPlanes.0
    image.alphaRowBytes = plane.yuvRowBytes.0
  }

  /// Writes all of a still as it is stored, cropped.
  func draw(into target: PixelTarget, host: CoderHost) throws(CoderError) {
    let decoded = try decode(picture, frame: 0, part: presentation.crop, host: host)
    let (image, rows) = (decoded.image, decoded.rows)
    guard rows >= Int(image.height) else {
      throw .truncated("\(rows) of \(image.height) rows are there", at: file.bytes.count)
    }
    let crop = try decoded.place(of: presentation.crop)
    try PictureRows(image, crop: crop, format: target.format, host: host).fill(target)
  }
}
