// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization

/// Makes thumbnails of several files on several threads. An error in one file does not stop the others.
final class ThumbnailRun: Sendable {
  let failures: Failures

  private let registry: CoderRegistry
  private let format: ImageFormat
  private let size: Size
  private let mode: ThumbnailMode
  private let read: ReadOptions
  private let encoding: EncodingOptions
  private let console: Console

  init(
    registry: CoderRegistry, format: ImageFormat, size: Size, mode: ThumbnailMode, read: ReadOptions,
    encoding: EncodingOptions, console: Console
  ) {
    self.registry = registry
    self.format = format
    self.size = size
    self.mode = mode
    self.read = read
    self.encoding = encoding
    self.console = console
    failures = Failures(console)
  }

  /// Makes the thumbnails.
  ///
  /// - Returns: The written outputs, in the order of the inputs.
  func make(_ files: [(input: String, output: String)], jobs: Int) -> [String] {
    let progress = Progress(console, total: files.count, isQuiet: read.coders.quiet)
    let written = Written(files.count)
    ThreadPool.shared.run(files.count, jobs: jobs) { index in
      if self.make(files[index].input, files[index].output, order: index) { written.add(index) }
      progress.advance()
    }
    progress.finish()
    return written.indices.map { files[$0].output }
  }

  private func make(_ input: String, _ output: String, order: Int) -> Bool {
    var currentFile = input
    do throws(CoderError) {
      if console.cancellation.isCancelled { throw .cancelled }
      var options = read.decodeOptions(console, file: input)
      options.thumbnailSize = size
      options.thumbnailMode = mode
      options.firstFrameOnly = true
      let image = try registry.decode(try read.source(input, console), options: options, coder: read.coder)
      currentFile = output
      let writing = try encoding.encodeOptions(as: format, registry, console, file: output, read)
      let target = OutputFile(output)
      let encoder = try registry.makeEncoder(
        as: format, to: target.destination, options: writing, coder: encoding.encoder)
      try encoder.add(image)
      let made = try encoder.finish()
      try target.take(made, console)
      EncodingReport(file: output, format: format, made: made, allowed: writing.maxFileSize)
        .print(console, json: false, isQuiet: read.coders.quiet)
      if let problem = image.problem { failures.add(problem, file: input, order: order) }
      return true
    } catch {
      failures.add(error, file: currentFile, order: order)
      return false
    }
  }

  /// Which files were written.
  private final class Written: Sendable {
    private let flags: Mutex<[Bool]>

    init(_ count: Int) { flags = Mutex(Array(repeating: false, count: count)) }

    func add(_ index: Int) { flags.withLock { $0[index] = true } }

    var indices: [Int] { flags.withLock { flags in flags.indices.filter { flags[$0] } } }
  }
}
