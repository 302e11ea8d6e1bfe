// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// What a contact sheet shows of one file.
struct SheetItem: Sendable {
  /// The file's name without its directory.
  let name: String
  /// The line below the name.
  let caption: String
  /// One picture of a still, three of an animation, none when the file cannot be read.
  let pictures: [PixelBuffer]
  /// Why pictures are missing, or nil.
  let problem: CoderError?

  var isAnimated: Bool { pictures.count > 1 }

  /// Reads a file: the first frame, and for an animation two more.
  ///
  /// - Parameter size: The box that pictures have to fit.
  init(_ file: String, size: Int, registry: CoderRegistry, coder: String?, options: DecodeOptions) {
    name = Path.name(file)
    var options = options
    options.thumbnailSize = Size(width: size, height: size)
    var pictures: [PixelBuffer] = []
    var problem: CoderError?
    var caption = ""
    do throws(CoderError) {
      let decoder = try registry.open(.file(file), options: options, coder: coder)
      let header = decoder.header
      let format = registry.catalog.name(of: header.format)
      caption = "\(header.displayedSize) \(format)"
      if header.isAnimated, header.frameCount > 1 { caption += " \(header.frameCount) frames" }
      let count = header.isAnimated ? min(3, decoder.frameCount) : 1
      for index in 0..<count {
        let frame = try decoder.frame(at: index * decoder.frameCount / count)
        problem = problem ?? frame.problem
        pictures.append(frame.pixels)
      }
    } catch {
      problem = error
      if pictures.isEmpty { caption = "\(error.code)" }
    }
    self.caption = caption
    self.pictures = pictures
    self.problem = problem
  }
}
