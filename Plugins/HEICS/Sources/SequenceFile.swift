// SPDX-License-Identifier: Apache-2.0

import HEVCBitstream
import ISOBaseMediaFile
import ImageCoderPlugin
import SharedPlanes

/// What the boxes of a file say of its image sequence, without any pixel.
///
/// - Format: ISO/IEC 23008-12 §7 on ISO/IEC 14496-12: one track of pictures in HEVC, and one of alpha planes.
/// - Not covered: items of the `meta` box, other tracks, fragments of movies.
struct SequenceFile {
  private(set) var pictures: PictureTrack
  private(set) var alpha: PictureTrack?
  /// Whether colors are multiplied by alpha (ISO/IEC 23008-12 §7.5.3.2, `prem`).
  let isPremultiplied: Bool
  let orientation: Orientation
  /// Plays in all, or nil when the file does not say.
  let loopCount: LoopCount?
  /// What is shown of each picture.
  let window: Rect
  /// Frames that are there.
  var frameCount: Int { pictures.order.count }
  /// Whether samples lie behind the end of the file.
  let isTruncated: Bool
  /// Whether the tables do not say where all samples lie.
  let isDamaged: Bool

  /// More boxes than any file has beside each other.
  private static let maxBoxes = 65_536
  /// Types of auxiliary tracks that are alpha (ISO/IEC 23008-12 §6.5.8, ISO/IEC 23091-2).
  private static let alphaTypes = [
    "urn:mpeg:hevc:2015:auxid:1", "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha",
  ]

  init(parsing source: SourceView, limits: Limits) throws(CoderError) {
    let movie = try Self.movie(of: source)
    var problem: CoderError?
    var tracks: [Track] = []
    for box in try movie.children() where box.type == .track {
      // A track that cannot be read may be one that does not matter.
      do throws(CoderError) { tracks.append(try Track(parsing: box)) } catch { problem = problem ?? error }
    }
    let candidates = tracks.filter { $0.isShown && $0.isHEVC }
    guard let track = candidates.first(where: \.isEnabled) ?? candidates.first else {
      throw problem ?? .wrongFormat("the file has no track of pictures in HEVC", at: movie.offset)
    }
    var pictures = try PictureTrack(track, limits: limits)
    var alpha: PictureTrack?
    var isPremultiplied = false
    for other in tracks where other.isHEVC && other.refers(to: track.identifier, as: .auxiliary) {
      let candidate = try PictureTrack(other, limits: limits)
      guard let type = candidate.auxiliaryType, Self.alphaTypes.contains(type) else { continue }
      alpha = candidate
      isPremultiplied = track.refers(to: other.identifier, as: .premultiplied)
      break
    }
    orientation = track.orientation
    loopCount = track.loopCount
    self.isPremultiplied = isPremultiplied

    // From here on the movie's bytes are no longer looked at: other views of the source take its place.
    try Self.check(alpha, beside: pictures)
    let announced = pictures.announced
    let located = min(pictures.samples.count, alpha?.samples.count ?? .max)
    let whole = min(
      located, pictures.wholeSamples(in: source.size), alpha?.wholeSamples(in: source.size) ?? .max)
    isTruncated = whole < located
    isDamaged = !isTruncated && whole < announced
    guard whole > 0 else {
      throw isTruncated
        ? .truncated("the first picture lies behind the end of the file", at: source.size)
        : .malformed("no chunk holds the first picture")
    }
    pictures.keep(whole)
    alpha?.keep(whole)
    try pictures.complete(from: source)
    try alpha?.complete(from: source)
    self.pictures = pictures
    self.alpha = alpha
    window = try pictures.window()
    try limits.check(canvas: window.size)
    try pictures.sequence?.checkCodedSize()
    try alpha?.sequence?.checkCodedSize()
    guard alpha == nil || alpha?.sequence?.size == pictures.sequence?.size else {
      throw .unsupported("alpha planes of another size than the pictures")
    }
    _ = try ColorMatrix(pictures.points)
  }

  private static func check(_ alpha: PictureTrack?, beside pictures: PictureTrack) throws(CoderError) {
    guard let alpha, alpha.announced != pictures.announced else { return }
    throw .malformed("\(alpha.announced) alpha planes for \(pictures.announced) pictures")
  }

  /// Finds the movie. Nothing is said here of files with none of the brands: other coders know them.
  private static func movie(of source: SourceView) throws(CoderError) -> BoxBytes {
    var place = 0
    var (hasItems, hasData, isSequence) = (false, false, false)
    for index in 0..<maxBoxes {
      guard place < source.size else { break }
      let box = try TopLevelBox(at: place, in: source)
      guard index > 0 || box.type == .fileType else { throw .wrongFormat("the file does not start with ftyp", at: 4) }
      switch box.type {
      case .fileType where index == 0: isSequence = try readBrands(box, in: source)
      case .meta: hasItems = true
      case .mediaData: hasData = true
      case .movie:
        let bytes = try source.view(at: box.payload, count: box.end - box.payload)
        guard bytes.count == box.end - box.payload else {
          throw .truncated("the movie needs \(box.end - box.payload) bytes, \(bytes.count) are there", at: source.size)
        }
        return BoxBytes(type: .movie, offset: box.payload, bytes: bytes)
      default: break
      }
      guard box.end <= source.size else {
        throw .truncated("a box \(box.type) ends at \(box.end), the file at \(source.size)", at: source.size)
      }
      place = box.end
    }
    // A still picture may name the brands of sequences beside its own. A file that is a sequence before anything else,
    // or has no picture at all, is cut.
    if hasItems, hasData || !isSequence { throw .wrongFormat("the file has items and no movie", at: source.size) }
    throw .truncated("the file ends before its movie", at: source.size)
  }

  /// ISO/IEC 23008-12 §10.3, annex B: brands of sequences, and of sequences in HEVC.
  ///
  /// - Returns: Whether the major brand is one of them.
  private static func readBrands(_ box: TopLevelBox, in source: SourceView) throws(CoderError) -> Bool {
    // More brands than any file names.
    let count = min(box.end - box.payload, 1_024)
    let bytes = try source.view(at: box.payload, count: count)
    guard bytes.count == count else { throw .truncated("the box ftyp needs \(count) bytes", at: source.size) }
    let brands = BoxBytes(type: .fileType, offset: box.payload, bytes: bytes)
    for place in stride(from: 0, through: count - 4, by: 4) where place != 4 {
      let brand = try brands.fourCC(at: place)
      // hevc, hevx, hevm, hevs
      if brand == .imageSequence || [0x63, 0x78, 0x6D, 0x73].contains(where: { brand.rawValue == 0x6865_7600 | $0 }) {
        return place == 0
      }
    }
    throw .wrongFormat("none of the file's brands is one of HEVC image sequences", at: box.payload)
  }
}

/// Where a box lies that is in no other.
private struct TopLevelBox {
  let type: FourCC
  let payload: Int
  /// Behind the box, by its own size; maybe behind the end of the source.
  let end: Int

  init(at offset: Int, in source: SourceView) throws(CoderError) {
    var bytes = try source.view(at: offset, least: 8, most: 16)
    guard bytes.count >= 8 else { throw .truncated("a box's header needs 8 bytes", at: source.size) }
    if FileBoxHeader(bytes) == nil { bytes = try source.view(at: offset, count: 16) }
    guard let header = FileBoxHeader(bytes) else { throw .truncated("a box's header needs 16 bytes", at: source.size) }
    type = header.type
    let size = header.size ?? UInt64(source.size - offset)
    guard size >= UInt64(header.length), size < 1 << 62 else {
      throw .malformed("a box \(type) of \(size) bytes", at: offset)
    }
    payload = offset &+ header.length
    end = offset &+ Int(size)
  }
}
