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
  /// Frames that are there, in the order in which they are shown.
  let presentation: EditedFrames
  var frameCount: Int { presentation.steps.count }
  /// Whether samples lie after the end of the file.
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
      // Other coders know sequences in AV1.
      if problem == nil, let other = tracks.first(where: \.isShown), other.format != .av01 {
        throw .unsupported("a track of pictures in \(other.format)", at: movie.offset)
      }
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
    let movieTimescale = try Self.timescale(of: movie)
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
        ? .truncated("the first picture lies after the end of the file", at: source.size)
        : .malformed("no chunk holds the first picture")
    }
    let timescale = movieTimescale ?? pictures.timescale
    // What is shown of a cut file is where the whole file begins: pictures are not stored in the order in which they are
    // shown, and edits may begin with the last.
    var shown = try pictures.presentation(movieTimescale: timescale, limits: limits)
    if isTruncated {
      let every = pictures
      pictures.keep(whole)
      let kept = pictures.framesBySample
      shown.keepFirst { kept[every.sample(of: $0)] }
    } else {
      pictures.keep(whole)
      if isDamaged { shown = try pictures.presentation(movieTimescale: timescale, limits: limits) }
    }
    presentation = shown
    alpha?.keep(whole)
    try limits.check(frames: presentation.steps.count)
    guard !presentation.steps.isEmpty else {
      throw isTruncated
        ? .truncated("the first picture that is shown lies after the end of the file", at: source.size)
        : .unsupported("a track of which no picture is shown")
    }
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

  /// ISO/IEC 14496-12 §8.2.2: in units of which edits are measured, or nil when the movie does not say.
  private static func timescale(of movie: BoxBytes) throws(CoderError) -> UInt32? {
    guard let header = try movie.child(.movieHeader) else { return nil }
    let timescale = try header.uint32(at: try header.uint8(at: 0) == 1 ? 20 : 12)
    return timescale > 0 ? timescale : nil
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
      guard let box = try source.box(at: place, before: source.size) else {
        throw .truncated("a box's header needs 8 bytes, or 16", at: source.size)
      }
      guard index > 0 || box.type == .fileType else { throw .wrongFormat("the file does not start with ftyp", at: 4) }
      switch box.type {
      case .fileType where index == 0: isSequence = try readBrands(box, in: source)
      case .meta: hasItems = true
      case .mediaData: hasData = true
      case .movie:
        let bytes = try source.view(at: box.content, count: box.payload.count)
        guard bytes.count == box.payload.count else {
          throw .truncated("the movie needs \(box.payload.count) bytes, \(bytes.count) are there", at: source.size)
        }
        return BoxBytes(type: .movie, offset: box.content, bytes: bytes)
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
  private static func readBrands(_ box: Box, in source: SourceView) throws(CoderError) -> Bool {
    // More brands than any file names.
    let count = min(box.payload.count, 1_024)
    let bytes = try source.view(at: box.content, count: count)
    guard bytes.count == count else { throw .truncated("the box ftyp needs \(count) bytes", at: source.size) }
    let brands = BoxBytes(type: .fileType, offset: box.content, bytes: bytes)
    for place in stride(from: 0, through: count - 4, by: 4) where place != 4 {
      let brand = try brands.fourCC(at: place)
      // hevc, hevx, hevm, hevs
      if brand == .imageSequence || [0x63, 0x78, 0x6D, 0x73].contains(where: { brand.rawValue == 0x6865_7600 | $0 }) {
        return place == 0
      }
    }
    throw .wrongFormat("none of the file's brands is one of HEVC image sequences", at: box.content)
  }
}
