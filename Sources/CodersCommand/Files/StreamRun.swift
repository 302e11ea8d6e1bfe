// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// One step of an incremental decode.
struct StreamStep {
  /// Bytes that were given so far.
  let bytes: Int
  let status: IncrementalStatus
  let progress: IncrementalProgress
  /// The name of the picture that was written, or nil.
  let name: String?

  /// The columns of a step. Their widths are known beforehand, so that each line is printed at once.
  static let table = Table(
    ["     BYTES", "STATUS       ", "FRAMES", " ROWS", "PASS", "QUALITY", "PICTURE"], rightAligned: [0, 2, 3, 4, 5])

  var row: [String] {
    [
      "\(bytes)", "\(status)", "\(progress.framesComplete)", "\(progress.finalRows)", "\(progress.pass)",
      progress.quality.short, name ?? "",
    ]
  }

  var json: JSONValue {
    .object([
      "bytes": .integer(Int64(bytes)), "status": .text("\(status)"),
      "frames_complete": .integer(Int64(progress.framesComplete)), "final_rows": .integer(Int64(progress.finalRows)),
      "pass": .integer(Int64(progress.pass)), "quality": .number(progress.quality), "picture": .optional(name),
    ])
  }
}

/// Where the bytes of an incremental decode come from.
protocol ChunkSource {
  /// The next bytes, at most `most`; none at the end.
  func next(_ most: Int) throws(CoderError) -> [UInt8]
}

/// Standard input: what has arrived is given at once.
struct PipeChunks: ChunkSource {
  let cancellation: Cancellation

  func next(_ most: Int) throws(CoderError) -> [UInt8] { try StandardInput.next(most, cancellation) }
}

/// A file, in chunks of one size.
final class FileChunks: ChunkSource {
  private let source: OpenSource
  private var offset = 0

  init(_ source: OpenSource) { self.source = source }

  func next(_ most: Int) throws(CoderError) -> [UInt8] {
    let bytes = [UInt8](try source.view(at: offset, count: most))
    offset += bytes.count
    return bytes
  }
}

/// Gives a file to an incremental decoder in chunks, and writes each picture that it shows.
final class StreamRun {
  /// Why the last picture is incomplete, or nil.
  private(set) var problem: CoderError?

  private let decoder: IncrementalDecoder
  private let source: any ChunkSource
  private let chunk: Int
  private var policy: PartialPicturePolicy
  private let folder: String?
  /// The pictures that were written, small.
  private var shown: [PixelBuffer] = []

  /// - Parameters:
  ///   - chunk: Bytes that the decoder gets at a time.
  ///   - folder: Where pictures are written, or nil for nowhere.
  init(
    _ decoder: IncrementalDecoder, source: any ChunkSource, chunk: Int, policy: PartialPicturePolicy, folder: String?
  ) {
    self.decoder = decoder
    self.source = source
    self.chunk = chunk
    self.policy = policy
    self.folder = folder
  }

  /// Decodes the whole file.
  ///
  /// - Parameter show: Called with a step for each change of the picture or of the status, as it happens.
  func run(
    _ registry: CoderRegistry, _ console: Console, show: (StreamStep) -> Void
  ) throws(CoderError) {
    if let folder {
      do throws(CoderError) { try Path.makeDirectory(folder, console) } catch { throw error.annotated(file: folder) }
    }
    var last: IncrementalStatus?
    var offset = 0
    while true {
      if console.cancellation.isCancelled { throw .cancelled }
      let bytes = try source.next(chunk)
      if bytes.isEmpty { break }
      try decoder.append(bytes)
      offset += bytes.count
      // The last step comes from finish() below.
      if decoder.status == .complete { continue }
      let shows = policy.shows(decoder.progress, at: .milliseconds(offset))
      guard shows || last != decoder.status else { continue }
      last = decoder.status
      let picture = shows ? try decoder.picture(blur: policy.blur) : nil
      show(try step(offset, picture, registry, console))
    }
    let image = try decoder.finish()
    problem = image.problem
    show(try step(offset, image, registry, console))
    try writeStrip(registry, console)
  }

  private func step(
    _ bytes: Int, _ picture: Image?, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> StreamStep {
    var name: String?
    if let folder, let pixels = picture?.frames.last?.pixels {
      shown.append(try pixels.resampled(to: Self.small(pixels.size)))
      let number = "\(shown.count)"
      let file = String(repeating: "0", count: max(0, 4 - number.count)) + number + ".png"
      try write(pixels, to: "\(folder)/\(file)", registry, console)
      name = file
    }
    return StreamStep(bytes: bytes, status: decoder.status, progress: decoder.progress, name: name)
  }

  private func write(
    _ pixels: PixelBuffer, to path: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) {
    var options = EncodeOptions()
    options.cancellation = console.cancellation
    let bytes = try registry.encode(Image(pixels), as: .png, options: options)
    try OutputFile(path, console).write(bytes, to: console)
  }

  // MARK: The strip

  /// The longest side of a picture in the strip, in pixels.
  private static let smallSide = 200
  /// Pictures in the strip at most.
  private static let stripCount = 8

  private static func small(_ size: Size) -> Size {
    Fit.plan(displayed: size, box: Size(width: smallSide, height: smallSide), mode: .fit).size
  }

  /// Writes some of the pictures side by side, among them the first and the last.
  private func writeStrip(_ registry: CoderRegistry, _ console: Console) throws(CoderError) {
    guard let folder, !shown.isEmpty else { return }
    let count = min(shown.count, Self.stripCount)
    let chosen = (0..<count).map { shown[count == 1 ? 0 : $0 * (shown.count - 1) / (count - 1)] }
    try write(try PictureRow.drawn(chosen), to: "\(folder)/strip.png", registry, console)
  }
}
