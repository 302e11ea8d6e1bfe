// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Writes the frames of an animation as PNG files, one after the other.
struct FrameExtraction {
  private let decoder: ImageDecoder
  private let registry: CoderRegistry
  private let console: Console
  private let input: String
  private let isRaw: Bool

  init(_ decoder: ImageDecoder, registry: CoderRegistry, console: Console, input: String, isRaw: Bool) {
    self.decoder = decoder
    self.registry = registry
    self.console = console
    self.input = input
    self.isRaw = isRaw
  }

  /// Writes all frames. A frame that cannot be had ends the run; one with rows missing does not.
  ///
  /// - Returns: The files that were written.
  func run(into directory: String, _ failures: Failures) -> [String] {
    var written: [String] = []
    var concerned = directory
    do throws(CoderError) {
      try Path.makeDirectory(directory)
      let folder = directory.hasSuffix("/") ? directory : directory + "/"
      let digits = max(4, "\(decoder.frameCount)".count)
      for index in 0..<decoder.frameCount {
        let number = "\(index + 1)"
        concerned = "\(input): frame \(number)"
        let frame = try isRaw ? decoder.rawFrame(at: index) : decoder.frame(at: index)
        if let problem = frame.problem { failures.add(problem, file: concerned) }
        let path = "\(folder)\(String(repeating: "0", count: digits - number.count))\(number).png"
        concerned = path
        var options = EncodeOptions()
        options.cancellation = console.cancellation
        let bytes = try registry.encode(Image(frame.pixels), as: .png, options: options)
        try OutputFile(path).write(bytes, to: console)
        written.append(path)
      }
    } catch {
      failures.add(error, file: concerned)
    }
    return written
  }
}
