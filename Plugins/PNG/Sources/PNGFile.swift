// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What the chunks of a file say, all but the pixels.
///
/// The headers of all chunks are looked at, because Exif, text and frames may follow the image data; of image data
/// nothing but the chunk headers is read.
///
/// - Format: PNG Third Edition, W3C.
final class PNGFile {
  let source: SourceView
  let header: ImageHeaderChunk
  /// PLTE, cut to what the bit depth can index; empty when the image has no use for it.
  private(set) var palette: [UInt8] = []
  /// tRNS, or empty.
  private(set) var transparency: [UInt8] = []
  /// The data of the default image, or nil when the file ends before it.
  private(set) var imageData: ImageData?
  private(set) var animation: AnimationIndex
  private(set) var color = ColorChunks()
  private(set) var index = MetadataIndex()
  /// The file ends before IEND, or what follows is damaged and frames are lost.
  private(set) var isTruncated = false
  /// Whether the animation breaks a rule after the frames that are kept.
  private(set) var isDamaged = false

  let host: CoderHost
  /// Whether all chunks have been looked at. In an incremental file, the walk stops where it would have to wait.
  private(set) var isOver = false
  private var walk: ChunkWalk
  private let logLines = LogLines()
  private var isImageDataOver = false

  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// - Parameter isIncremental: Stop at the image data; ``advance(toFrame:)`` and ``advanceToTheEnd()`` go on.
  init(_ source: SourceView, host: CoderHost, isIncremental: Bool) throws(CoderError) {
    self.source = source
    self.host = host
    try Self.checkSignature(source)
    var walk = ChunkWalk(source, from: Self.signature.count)
    header = try Self.readHeader(&walk)
    self.walk = walk
    try host.limits.check(canvas: header.canvas)
    animation = AnimationIndex(canvas: header.canvas)
    try readChunks { (file) in isIncremental && file.imageData != nil }
    if !isOver { try checkPalette() }
  }

  /// Looks at chunks until a frame of the animation and the beginning of its data are known, or no chunk is left.
  func advance(toFrame index: Int) throws(CoderError) {
    try readChunks { (file) in file.animation.knowsFrame(index) }
  }

  /// Looks at the chunks that are left.
  func advanceToTheEnd() throws(CoderError) { try readChunks { _ in false } }

  private func endWalk() throws(CoderError) {
    isOver = true
    endImageData()
    if let reason = try animation.finish(isCut: isTruncated, limits: host.limits) {
      let outcome = animation.isAnimated ? "\(animation.frames.count) frames are kept" : "the still image is kept"
      host.log("animation: \(reason); \(outcome)", severity: .warning)
      isDamaged = animation.isAnimated && animation.problem != nil && !isTruncated
    }
  }

  /// Where the pixels of a frame lie, or those of the default image.
  func data(ofFrame index: Int) -> ImageData? {
    guard isPlayed else { return imageData }
    return animation.frame(index)?.data
  }

  /// Whether there is an animation, as far as is known.
  var isPlayed: Bool { isOver ? animation.isAnimated : animation.mayBeAnimated }

  /// Whether some pixel may be not opaque.
  var hasAlpha: Bool { header.colorType.hasAlpha || !transparency.isEmpty }

  /// Reads a chunk's data; nil, with a line in the log, when it is cut, damaged or over the limit.
  func data(of chunk: Chunk) throws(CoderError) -> [UInt8]? {
    switch try ChunkData(of: chunk, in: source, limit: host.limits.maxMetadata) {
    case .data(let data): return data
    case .cut: ignore(chunk, "the file ends inside it")
    case .damaged(let error): ignore(chunk, error.message)
    case .tooLong: ignore(chunk, "\(chunk.length) bytes are over the limit maxMetadata of \(host.limits.maxMetadata)")
    }
    return nil
  }

  /// Logs why a chunk has no effect.
  func ignore(_ chunk: Chunk, _ reason: @autoclosure () -> String) {
    guard logLines.take() else { return }
    host.log("\(chunk.name) at byte \(chunk.offset) is ignored: \(reason())", severity: .info)
  }

  /// How many more lines a file may put into the log: one of nothing but bad chunks would fill it.
  private final class LogLines {
    private var left = 32

    func take() -> Bool {
      left -= 1
      return left >= 0
    }
  }

  private static func checkSignature(_ source: SourceView) throws(CoderError) {
    let start = try source.view(at: 0, count: signature.count)
    guard start.elementsEqual(signature.prefix(start.count)), !start.isEmpty else {
      throw .wrongFormat("no PNG signature", at: 0)
    }
    guard start.count == signature.count else {
      throw .truncated("the signature needs 8 bytes, \(start.count) are there", at: start.count)
    }
  }

  private static func readHeader(_ walk: inout ChunkWalk) throws(CoderError) -> ImageHeaderChunk {
    let chunk: Chunk
    switch try walk.next() {
    case .chunk(let first): chunk = first
    case .end: throw .truncated("the file ends before IHDR", at: walk.source.size)
    case .damage(let error): throw error
    }
    guard chunk.name != .cgbi else {
      throw .unsupported("CgBI, a device-optimized variant that is not PNG", at: chunk.offset)
    }
    guard chunk.name == .ihdr, chunk.length == ImageHeaderChunk.length else {
      throw .malformed("\(chunk.name) of \(chunk.length) bytes comes first, IHDR of 13 is needed", at: chunk.offset)
    }
    switch try ChunkData(of: chunk, in: walk.source, limit: ImageHeaderChunk.length) {
    case .data(let data):
      var reader = ByteReader(data.span.bytes, at: chunk.dataOffset, of: "IHDR")
      return try ImageHeaderChunk(parsing: &reader)
    case .damaged(let error): throw error
    case .cut, .tooLong: throw .truncated("the file ends inside IHDR", at: walk.source.size)
    }
  }

  private func readChunks(until isEnough: (PNGFile) -> Bool) throws(CoderError) {
    while !isOver, !isEnough(self) {
      switch try walk.next() {
      case .end:
        isTruncated = true
        // Fewer bytes than a chunk header has may be the start of more image data.
        if imageData?.end == walk.offset { imageData?.end = source.size }
        try endChunks()
      case .damage(let error):
        // Before the image data this is the end; after it the pixels are still good.
        guard imageData != nil else { throw error }
        host.log("the rest of the file is ignored: \(error)", severity: .warning)
        animation.fail(error.message)
        try endChunks()
      case .chunk(let chunk) where chunk.name == .iend:
        guard imageData != nil else { throw .malformed("no IDAT before IEND", at: chunk.offset) }
        try endChunks()
      case .chunk(let chunk):
        if chunk.name != .idat { endImageData() }
        try visit(chunk)
        if chunk.end > source.size {
          isTruncated = true
          try endChunks()
        }
      }
    }
  }

  private func endChunks() throws(CoderError) {
    try checkPalette()
    try endWalk()
  }

  private func checkPalette() throws(CoderError) {
    guard imageData != nil, header.colorType == .palette, palette.isEmpty else { return }
    throw .malformed("a palette image without PLTE before the image data")
  }

  private func endImageData() {
    guard let imageData, !isImageDataOver else { return }
    isImageDataOver = true
    animation.endImageData(imageData)
  }

  private func visit(_ chunk: Chunk) throws(CoderError) {
    switch chunk.name {
    case .idat: addImageData(chunk)
    case .fdat: animation.addFrameData(chunk, end: min(chunk.end, source.size))
    case .actl: if let data = try animationData(of: chunk) { try animation.addControl(data) }
    case .fctl: if let data = try animationData(of: chunk) { try animation.addFrameControl(data, limits: host.limits) }
    case .plte: try readPalette(chunk)
    case .trns: try readTransparency(chunk)
    case .ihdr: throw .malformed("a second IHDR", at: chunk.offset)
    case _ where ColorChunks.names.contains(chunk.name):
      guard imageData == nil else { return ignore(chunk, "it follows the image data") }
      if let data = try data(of: chunk), let reason = try color.read(data, of: chunk.name) { ignore(chunk, reason) }
    case _ where MetadataIndex.names.contains(chunk.name):
      if chunk.end <= source.size { try index.note(chunk, in: source) }
    default:
      guard !chunk.name.isCritical || imageData != nil else {
        throw .unsupported("critical chunk \(chunk.name), which is not known", at: chunk.offset)
      }
    }
  }

  private func addImageData(_ chunk: Chunk) {
    let end = min(chunk.end, source.size)
    if imageData == nil {
      imageData = ImageData(name: .idat, start: chunk.offset, end: end)
      animation.beginImageData(ImageData(name: .idat, start: chunk.offset, end: end))
    } else if !isImageDataOver {
      imageData?.end = end
    } else {
      // IDAT chunks follow each other without others between them (§5.6).
      ignore(chunk, "other chunks lie between it and the image data")
    }
  }

  /// As ``data(of:)``; damage costs the animation.
  private func animationData(of chunk: Chunk) throws(CoderError) -> [UInt8]? {
    let data = try data(of: chunk)
    if data == nil, chunk.end <= source.size { animation.fail("\(chunk.name) at byte \(chunk.offset) is damaged") }
    return data
  }

  private func readPalette(_ chunk: Chunk) throws(CoderError) {
    guard header.colorType == .palette else { return }  // a suggestion for screens of few colors
    guard palette.isEmpty, imageData == nil else {
      guard imageData == nil else { return ignore(chunk, "it follows the image data") }
      throw .malformed("a second PLTE", at: chunk.offset)
    }
    guard chunk.length > 0, chunk.length <= 768, chunk.length % 3 == 0 else {
      throw .malformed("PLTE of \(chunk.length) bytes, multiples of 3 from 3 to 768 are allowed", at: chunk.offset)
    }
    switch try ChunkData(of: chunk, in: source, limit: 768) {
    case .data(let data): palette = [UInt8](data.prefix(3 << header.bitDepth))
    case .damaged(let error): throw error
    case .cut, .tooLong: return
    }
  }

  private func readTransparency(_ chunk: Chunk) throws(CoderError) {
    let allowed: ClosedRange<Int>
    switch header.colorType {
    case .gray: allowed = 2...2
    case .rgb: allowed = 6...6
    case .palette where !palette.isEmpty: allowed = 1...(palette.count / 3)
    default: return ignore(chunk, "it has no place in an image of color type \(header.colorType.rawValue)")
    }
    guard imageData == nil, transparency.isEmpty else { return ignore(chunk, "it comes too late") }
    guard allowed.contains(chunk.length) else {
      return ignore(chunk, "\(chunk.length) bytes, \(allowed.lowerBound) to \(allowed.upperBound) are allowed")
    }
    transparency = try data(of: chunk) ?? []
  }
}
