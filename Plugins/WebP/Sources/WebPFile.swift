// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the chunks of a WebP file say, without any pixel.
///
/// Of an incremental file, chunks are walked as far as somebody asks for what they say.
///
/// - Format: RFC 9649 §2, all three layouts: simple lossy, simple lossless, extended.
/// - Not covered: chunks that RFC 9649 does not name; they are skipped.
struct WebPFile {
  /// The canvas: of an extended file what its VP8X chunk says, else the picture's size.
  private(set) var canvas = Size(width: 0, height: 0)
  private(set) var isAnimated = false
  /// At least one, unless the walk has not come so far.
  private(set) var pictures: [Picture] = []
  /// What all of them have in common.
  private(set) var common = PicturesInCommon()
  /// What the ANIM chunk says.
  private(set) var loopCount: LoopCount?
  private(set) var background: PixelColor?
  /// Where the raw payloads lie.
  private(set) var metadata: [MetadataKind: Range<Int>] = [:]
  /// Whether the file ends before what its sizes announce, or its animation breaks off at a frame that is no frame.
  private(set) var isTruncated = false
  /// Whether a frame breaks the format's rules after those that are kept.
  private(set) var isDamaged = false
  /// Whether all chunks have been looked at, and the end of the file is known.
  private(set) var isOver = false

  private let source: SourceView
  private let limits: Limits
  /// Where the RIFF chunk ends by its own size.
  private let announced: Int
  /// The flags of the VP8X chunk; none in a simple file.
  private var flags: ExtendedHeader.Flags = []
  /// Where the walk goes on, or nil when no chunk is left.
  private var next: Int?
  /// The ALPH chunk before the still's bitstream.
  private var alpha: Chunk?
  /// Whether a frame was no frame: those after it do not count.
  private var breaksOff = false

  /// Walks the chunks.
  ///
  /// - Parameter isIncremental: Stop where the canvas is known, and whether it has alpha; ``advance(toPicture:)`` and
  ///   ``advanceToTheEnd()`` go on.
  /// - Complexity: O(chunks); payloads are not looked at.
  /// - Throws: ``CoderError/Code/wrongFormat``, ``CoderError/Code/truncated`` when no picture's header is there,
  ///   ``CoderError/Code/malformed``, ``CoderError/Code/unsupported``, ``CoderError/Code/limitExceeded``.
  init(parsing source: SourceView, limits: Limits, isIncremental: Bool) throws(CoderError) {
    self.source = source
    self.limits = limits
    let start = try source.reader(at: 0, count: 12, order: .littleEndian, of: "the RIFF header")
    guard start.has("RIFF", at: 0) else { throw .wrongFormat("the file does not start with RIFF", at: 0) }
    guard start.count == 12 else { throw .truncated("the RIFF header needs 12 bytes, \(start.count) are there", at: 0) }
    guard start.has("WEBP", at: 8) else { throw .wrongFormat("the RIFF file is no WEBP", at: 8) }
    announced = Int(try start.uint32(at: 4, "the RIFF size")) + Chunk.headerSize
    guard announced >= 20 else { throw .malformed("a RIFF size of \(announced - 8), at least 12 is needed", at: 4) }

    guard let first = try Chunk(parsing: source, at: 12, before: end) else {
      throw .truncated("the first chunk's header needs 8 bytes", at: 12)
    }
    switch first.name {
    case .lossy, .lossless:
      let picture = try Picture(still: first, alpha: nil, in: source, before: end, announced: announced)
      canvas = picture.rect.size
      try limits.check(canvas: canvas)
      add(picture)
      // Signers append their chunk to simple files, too.
      next = first.next
    case .extended: try readExtended(first)
    default:
      throw .malformed("the first chunk is none of VP8, VP8L and VP8X", at: 12)
    }
    guard isIncremental else {
      try advanceToTheEnd()
      return
    }
    while next != nil, !isHeaderComplete { try readChunk() }
    if pictures.isEmpty, next == nil { throw try withoutPicture() }
  }

  /// Where the RIFF chunk ends, or the source, as far as that is known.
  ///
  /// RFC 9649 §2.4: data after the announced size is ignored. Writers that forget the last padding byte are common.
  private var end: Int { min(announced, source.size) }

  /// Whether the source ends before the RIFF chunk does, by more than a byte of padding.
  private var isCut: Bool { announced - 1 > source.size }

  /// Whether what is said of the file before its pixels is there. A VP8X chunk that states alpha is enough for a still;
  /// one that does not is no promise, because pixels may have it all the same.
  private var isHeaderComplete: Bool {
    !pictures.isEmpty || (isAnimated ? loopCount != nil : flags.contains(.alpha))
  }

  /// Looks at chunks until a picture's header is there, or no chunk is left.
  mutating func advance(toPicture index: Int) throws(CoderError) {
    while next != nil, !breaksOff, pictures.count <= index { try readChunk() }
    if pictures.isEmpty { throw try withoutPicture() }
  }

  /// Looks at the chunks that are left, of a file whose last byte is there.
  mutating func advanceToTheEnd() throws(CoderError) {
    guard !isOver else { return }
    while next != nil { try readChunk() }
    isOver = true
    isTruncated = isCut
    isDamaged = breaksOff && !isTruncated
    if pictures.isEmpty { throw try withoutPicture() }
    // A cut payload counts as absent.
    metadata = metadata.filter { $0.value.upperBound <= end }
  }

  /// Reads the VP8X chunk (RFC 9649 §2.7).
  private mutating func readExtended(_ chunk: Chunk) throws(CoderError) {
    guard chunk.size >= 10 else { throw .malformed("a VP8X chunk of \(chunk.size) bytes, 10 are needed", at: 16) }
    let count = ExtendedHeader.size
    var reader = try source.reader(at: chunk.payload, count: count, order: .littleEndian, of: "the VP8X chunk")
    guard reader.count == count, chunk.payload + count <= end else {
      throw .truncated("the VP8X chunk needs 10 bytes", at: chunk.payload)
    }
    let header = try ExtendedHeader(parsing: &reader)
    flags = header.flags
    canvas = header.canvas
    guard canvas.pixelCount <= UInt32.max else {
      throw .malformed("a canvas of \(canvas), 4294967295 pixels are allowed", at: chunk.payload + 4)
    }
    try limits.check(canvas: canvas)
    isAnimated = flags.contains(.animation)
    next = chunk.next
  }

  /// Looks at the next chunk.
  private mutating func readChunk() throws(CoderError) {
    guard let offset = next, let chunk = try Chunk(parsing: source, at: offset, before: end) else {
      next = nil
      return
    }
    switch chunk.name {
    // The first picture of a still counts, and the ALPH chunk before it (RFC 9649 §2.7.2).
    case .alpha where !isAnimated && pictures.isEmpty: alpha = chunk
    case .lossy where !isAnimated && pictures.isEmpty, .lossless where !isAnimated && pictures.isEmpty:
      let picture = try Picture(still: chunk, alpha: alpha, in: source, before: end, announced: announced)
      guard picture.rect.size == canvas else {
        throw .malformed("a picture of \(picture.rect.size) on a canvas of \(canvas)", at: picture.bytes.lowerBound)
      }
      add(picture)
    case .frame where isAnimated && !breaksOff: breaksOff = try !readFrame(chunk)
    case .animation where isAnimated && loopCount == nil: try readAnimation(chunk)
    // RFC 9649 §2.7.1: readers use the flags of VP8X and the first chunk of each kind, as libwebp does.
    case .colorProfile where flags.contains(.colorProfile): record(chunk, as: .icc)
    case .exif where flags.contains(.exif): record(chunk, as: .exif)
    case .xmp where flags.contains(.xmp): record(chunk, as: .xmp)
    case .credentials: record(chunk, as: .c2pa)
    default: break
    }
    next = chunk.next
  }

  private mutating func add(_ picture: Picture) {
    pictures.append(picture)
    common.add(picture)
  }

  /// The error of an extended file that has no picture. Waits until it is known whether it is cut.
  private func withoutPicture() throws(CoderError) -> CoderError {
    _ = try source.view(at: announced - 1, count: 1)
    let what = isAnimated ? "an animation without a frame" : "an extended file without a picture"
    return isCut ? .truncated(what, at: source.size) : .malformed(what, at: end)
  }

  /// Reads an ANMF chunk.
  ///
  /// - Returns: Whether the animation goes on after it. A broken or cut frame ends the animation when it is not the
  ///   first one: what can be shown is shown.
  private mutating func readFrame(_ chunk: Chunk) throws(CoderError) -> Bool {
    try limits.check(frames: pictures.count + 1)
    do throws(CoderError) {
      let picture = try Picture(frame: chunk, in: source, before: end, canvas: canvas)
      add(picture)
      return true
    } catch {
      let isCut = error.code == .truncated || error.code == .malformed
      guard isCut, !pictures.isEmpty else { throw error }
      return false
    }
  }

  /// Reads the ANIM chunk; one that is too short or cut says nothing.
  private mutating func readAnimation(_ chunk: Chunk) throws(CoderError) {
    let count = AnimationHeader.size
    var reader = try source.reader(at: chunk.payload, count: count, order: .littleEndian, of: "the ANIM chunk")
    guard chunk.size >= count, reader.count == count, chunk.end <= end else { return }
    let header = try AnimationHeader(parsing: &reader)
    let samples = header.background
    background = PixelColor(red: samples[2], green: samples[1], blue: samples[0], alpha: samples[3])
    loopCount = LoopCount(plays: UInt32(header.plays))
  }

  /// Notes where a raw payload lies.
  private mutating func record(_ chunk: Chunk, as kind: MetadataKind) {
    guard metadata[kind] == nil, chunk.size > 0, chunk.end <= end else { return }
    metadata[kind] = chunk.payload..<chunk.end
  }
}

/// What all pictures of a file have in common, kept while they come, as a header is asked for often.
struct PicturesInCommon {
  private(set) var areLossless = true
  private(set) var areLossy = true
  /// Whether each covers what it is drawn on, and stays.
  private(set) var areOpaqueAndKept = true

  fileprivate mutating func add(_ picture: Picture) {
    areLossless = areLossless && picture.kind == .lossless
    areLossy = areLossy && picture.kind == .lossy
    areOpaqueAndKept = areOpaqueAndKept && !picture.hasAlpha && picture.disposal == .keep
  }
}
