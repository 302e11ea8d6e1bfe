// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Writes the frames of an animation, or the pages of a file, as PNG files.
struct FrameExtraction {
  private let decoder: ImageDecoder
  private let registry: CoderRegistry
  private let console: Console
  private let input: String
  private let isRaw: Bool
  private let showsPages: Bool

  /// - Parameter pages: Whether to write pages if the file has several and is not an animation.
  init(
    _ decoder: ImageDecoder, registry: CoderRegistry, console: Console, input: String, isRaw: Bool, pages: Bool
  ) {
    showsPages = pages && decoder.header.pageCount > 1 && !decoder.header.isAnimated
    self.decoder = decoder
    self.registry = registry
    self.console = console
    self.input = input
    self.isRaw = isRaw
  }

  /// A frame of the animation, or the picture of a page. Nil for a page that cannot be decoded; others can still be.
  private func frame(_ index: Int, _ name: String, _ failures: Failures) throws(CoderError) -> Frame? {
    guard showsPages else { return try isRaw ? decoder.rawFrame(at: index) : decoder.frame(at: index) }
    do throws(CoderError) {
      let page = try decoder.page(index)
      return try isRaw ? page.rawFrame(at: 0) : page.frame(at: 0)
    } catch {
      guard error.code.group == .file || error.code.group == .unsupported else { throw error }
      failures.add(error, file: name)
      return nil
    }
  }

  /// Writes all frames. The run ends at a frame that cannot be decoded at all; a frame with missing rows is written.
  ///
  /// - Returns: The paths of the written files.
  func run(into directory: String, _ failures: Failures) -> [String] {
    var written: [String] = []
    var currentFile = directory
    do throws(CoderError) {
      try Path.makeDirectory(directory, console)
      let folder = directory.hasSuffix("/") ? directory : directory + "/"
      let count = showsPages ? decoder.header.pageCount : decoder.frameCount
      let digits = max(4, "\(count)".count)
      for index in 0..<count {
        let number = "\(index + 1)"
        currentFile = "\(input): \(showsPages ? "page" : "frame") \(number)"
        guard let frame = try frame(index, currentFile, failures) else { continue }
        if let problem = frame.problem { failures.add(problem, file: currentFile) }
        let path = "\(folder)\(String(repeating: "0", count: digits - number.count))\(number).png"
        currentFile = path
        CurrentFiles.set(input: input, output: path)
        var options = EncodeOptions()
        options.cancellation = console.cancellation
        let bytes = try registry.encode(Image(frame.pixels), as: .png, options: options)
        try OutputFile(path, console).write(bytes, to: console)
        written.append(path)
      }
    } catch {
      failures.add(error, file: currentFile)
    }
    return written
  }
}
