// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization

/// The size of a thumbnail on the command line: a box, or the name of a size that file managers share.
enum ThumbnailSizeArgument: DescribedArgument {
  case box(PictureBox)
  case named(FreedesktopThumbnails.Size)

  init?(argument: String) {
    if let size = FreedesktopThumbnails.Size.allCases.first(where: { $0.name == argument }) {
      self = .named(size)
    } else if let box = PictureBox(argument: argument) {
      self = .box(box)
    } else {
      return nil
    }
  }

  static func allowed(for text: String) -> String { PictureBox.allowed(for: text) }

  /// The pixels of the longest side, or nil for a share of a picture.
  var side: Int? {
    switch self {
    case .box(let box): box.size.map { max($0.width, $0.height) }
    case .named(let size): size.rawValue
    }
  }
}

/// `coders thumbnail --freedesktop`.
struct FreedesktopRun: Sendable {
  let command: ThumbnailCommand
  let console: Console

  func run() throws(CoderError) -> ExitStatus {
    guard let side = command.size == nil ? FreedesktopThumbnails.Size.normal.rawValue : command.size?.side else {
      throw .invalidArgument("--freedesktop takes a size in pixels, or normal, large, x-large or xx-large")
    }
    let registry = command.read.registry(console)
    let failures = Failures(console)
    let inputs = try command.input.inputs(registry, console, read: command.read, failures).map(\.path)
    guard !inputs.contains("-") else { throw .invalidArgument("--freedesktop takes files, not standard input") }
    if let output = command.output {
      try OutputFile(output, console).refuseTerminal(console)
      return write(inputs, side, output, registry, failures)
    }
    guard let thumbnails = FreedesktopThumbnails.standard(environment: console.environment) else {
      throw .io("neither XDG_CACHE_HOME nor HOME is set: there is no folder of thumbnails")
    }
    let size = FreedesktopThumbnails.Size(pixels: side)
    let results = Mutex([Outcome](repeating: Outcome(), count: inputs.count))
    let progress = Progress(console, total: inputs.count, isQuiet: command.read.coders.isQuiet)
    ThreadPool.shared.run(inputs.count, jobs: command.batch.jobs ?? ThreadPool.processors) { index in
      do throws(CoderError) {
        if console.cancellation.isCancelled { throw .cancelled }
        let made = try thumbnails.thumbnail(
          of: location(inputs[index]), size, registry,
          options: try command.read.decodeOptions(registry, console, file: inputs[index])
        )
        results.withLock { $0[index].thumbnail = made }
      } catch {
        results.withLock { $0[index].error = error }
        failures.add(error, file: inputs[index], order: index)
      }
      progress.advance()
    }
    progress.finish()
    report(inputs, results.withLock { $0 }, thumbnails, size)
    return failures.status
  }

  private func location(_ name: String) -> String {
    let place = console.location(of: name)
    return Path.workingDirectory().map { Path.absolute(place, in: $0) } ?? place
  }

  /// What became of one input.
  private struct Outcome {
    var thumbnail: FreedesktopThumbnails.Thumbnail?
    var error: CoderError?
  }

  private func report(
    _ inputs: [String], _ outcomes: [Outcome], _ thumbnails: FreedesktopThumbnails, _ size: FreedesktopThumbnails.Size
  ) {
    guard command.batch.json else {
      guard !command.read.coders.isQuiet else { return }
      for case let thumbnail? in outcomes.map(\.thumbnail) { console.print(thumbnail.path.printable) }
      return
    }
    let files = zip(inputs, outcomes).map { input, outcome -> JSONValue in
      var members: [String: JSONValue] = ["input": .text(input)]
      if let thumbnail = outcome.thumbnail {
        members["file"] = .text(thumbnail.path)
        members["status"] = .text(thumbnail.isNew ? "written" : "up_to_date")
        if thumbnail.isNew {
          let made = EncodedFile(format: .png, bytes: [], byteCount: thumbnail.byteCount, frameCount: 1)
          members.merge(EncodingReport(file: thumbnail.path, format: .png, made: made, allowed: nil).members) { $1 }
        }
      } else {
        members["file"] = .text((try? thumbnails.path(of: location(input), size)) ?? input)
        members["status"] = .text("failed")
        members["error"] = outcome.error.map { JSONValue($0) } ?? .null
      }
      return .object(members)
    }
    console.print(JSONValue.object(["schema": .integer(1), "files": .list(files)]).printed)
  }

  /// As a thumbnailer of a file manager: one file, which is stored nowhere else.
  private func write(
    _ inputs: [String], _ side: Int, _ output: String, _ registry: CoderRegistry, _ failures: Failures
  ) -> ExitStatus {
    for (index, input) in inputs.enumerated() {
      do throws(CoderError) {
        let bytes = try FreedesktopThumbnails.bytes(
          of: location(input), side: side, uri: command.inputURI, registry,
          options: try command.read.decodeOptions(registry, console, file: input))
        try OutputFile(output, console).write(bytes, to: console)
      } catch {
        failures.add(error, file: input, order: index)
      }
    }
    return failures.status
  }
}
