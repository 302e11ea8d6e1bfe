// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// One moment of an image's arrival.
struct StreamStep {
  let bytes: Int
  let status: IncrementalStatus
  let progress: IncrementalProgress
  /// Of the picture, or nil when nothing was written.
  let name: String?

  static func table(_ steps: [StreamStep]) -> Table {
    var table = Table(
      ["BYTES", "STATUS", "FRAMES", "ROWS", "PASS", "QUALITY", "PICTURE"], rightAligned: [0, 2, 3, 4, 5])
    for step in steps {
      table.add([
        "\(step.bytes)", "\(step.status)", "\(step.progress.framesComplete)", "\(step.progress.finalRows)",
        "\(step.progress.pass)", step.progress.quality.short, step.name ?? "",
      ])
    }
    return table
  }

  var json: JSON {
    .object([
      "bytes": .integer(Int64(bytes)), "status": .text("\(status)"),
      "frames_complete": .integer(Int64(progress.framesComplete)), "final_rows": .integer(Int64(progress.finalRows)),
      "pass": .integer(Int64(progress.pass)), "quality": .number(progress.quality), "picture": .optional(name),
    ])
  }
}

/// Hands a file to a decoder a few bytes at a time, and writes what can be seen.
final class StreamRun {
  private(set) var problem: CoderError?

  private let decoder: IncrementalDecoder
  private let source: OpenSource
  private let chunk: Int
  private var policy: PartialPicturePolicy
  private let folder: String?
  private var shown: [(caption: String, pixels: PixelBuffer)] = []
  private var count = 0

  init(_ decoder: IncrementalDecoder, source: OpenSource, chunk: Int, policy: PartialPicturePolicy, folder: String?) {
    self.decoder = decoder
    self.source = source
    self.chunk = chunk
    self.policy = policy
    self.folder = folder
  }

  /// Runs through the file. A step is a change of what can be seen, or of the status.
  func steps(_ registry: CoderRegistry, _ console: Console) throws(CoderError) -> [StreamStep] {
    if let folder { try Path.makeDirectory(folder) }
    var steps: [StreamStep] = []
    var offset = 0
    while offset < source.size {
      if console.cancellation.isCancelled { throw .cancelled }
      let bytes = try source.view(at: offset, count: chunk)
      try decoder.append(bytes)
      offset += bytes.count
      // The end shows itself below.
      if offset == source.size { break }
      let shows = policy.shows(decoder.progress, at: .milliseconds(offset))
      guard shows || steps.last?.status != decoder.status else { continue }
      let picture = shows ? try decoder.picture(blur: policy.blur) : nil
      steps.append(try step(offset, picture, registry, console))
    }
    let image = try decoder.finish()
    problem = image.problem
    steps.append(try step(offset, image, registry, console))
    try writeStrip(registry, console)
    return steps
  }

  private func step(
    _ bytes: Int, _ picture: Image?, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> StreamStep {
    var name: String?
    if let folder, let pixels = picture?.frames.last?.pixels {
      count += 1
      let number = "\(count)"
      let file = String(repeating: "0", count: max(0, 4 - number.count)) + number + ".png"
      try write(pixels, to: "\(folder)/\(file)", registry, console)
      let share = source.size == 0 ? 100 : 100 * bytes / source.size
      shown.append(("\(share) %", try pixels.resampled(to: Self.fit(pixels.size))))
      name = file
    }
    return StreamStep(bytes: bytes, status: decoder.status, progress: decoder.progress, name: name)
  }

  private func write(
    _ pixels: PixelBuffer, to path: String, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) {
    var options = EncodeOptions()
    options.cancellation = console.cancellation
    try NewFile.write(try registry.encode(Image(pixels), as: .png, options: options), to: path)
  }

  // MARK: The strip

  private static let cell = 200
  private static let margin = 8
  private static let most = 8

  private static func fit(_ size: Size) -> Size {
    Fit.plan(displayed: size, box: Size(width: cell, height: cell), mode: .fit).size
  }

  /// Some of the pictures side by side, the first and the last among them.
  private func writeStrip(_ registry: CoderRegistry, _ console: Console) throws(CoderError) {
    guard let folder, !shown.isEmpty else { return }
    let count = min(shown.count, Self.most)
    let chosen = (0..<count).map { shown[count == 1 ? 0 : $0 * (shown.count - 1) / (count - 1)] }
    let (cell, margin) = (Self.cell, Self.margin)
    let sheet = try Sheet(
      Size(width: count * (cell + margin) + margin, height: cell + 2 * margin + 20), background: Ink(0x202124))
    for (index, picture) in chosen.enumerated() {
      let size = picture.pixels.size
      let x = margin + index * (cell + margin) + (cell - size.width) / 2
      let y = margin + (cell - size.height) / 2
      sheet.checker(Rect(x: x, y: y, width: size.width, height: size.height), square: 8, Ink(0xFFFFFF), Ink(0xDDDDDD))
      try sheet.draw(picture.pixels, x: x, y: y)
      sheet.write(
        picture.caption, centredIn: cell, x: margin + index * (cell + margin), y: cell + margin + 6, scale: 1,
        Ink(0xE8EAED))
    }
    try write(sheet.pixels, to: "\(folder)/strip.png", registry, console)
  }
}
