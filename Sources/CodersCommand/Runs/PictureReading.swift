// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization

/// Looks at pictures, several at a time. An error in one file does not stop the others.
final class PictureReading<Value: Sendable>: Sendable {
  private let results: Mutex<[Value?]>

  private init(_ count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

  /// - Parameters:
  ///   - side: Pictures are decoded no larger than this, as far as their format does it by itself.
  ///   - body: Gets the first frame, upright, in sRGB.
  /// - Returns: A value for each file, nil where there was an error.
  static func run(
    _ files: [String], side: Int, _ read: ReadSettings, _ registry: CoderRegistry, _ failures: Failures,
    _ console: Console, _ body: @escaping @Sendable (PixelBuffer) throws(CoderError) -> Value
  ) -> [Value?] {
    let reading = PictureReading(files.count)
    ThreadPool.shared.run(files.count, jobs: files.count == 1 ? 1 : ThreadPool.processors) { index in
      let file = files[index]
      CurrentFiles.set(input: file)
      do throws(CoderError) {
        if console.cancellation.isCancelled { throw .cancelled }
        var options = try read.decodeOptions(registry, console, file: file)
        options.firstFrameOnly = true
        options.size = .fitting(Size(width: side, height: side))
        options.color = .convert(to: .sRGB)
        let image = try read.decode(try read.source(file, registry, console), registry, options: options)
        let value = try body(image.pixels)
        reading.results.withLock { $0[index] = value }
        if let problem = image.problem { failures.add(problem, file: file, order: index) }
      } catch {
        failures.add(error, file: file, order: index)
      }
    }
    return reading.results.withLock { $0 }
  }
}
