// SPDX-License-Identifier: Apache-2.0

public import ImageCoders

/// What a contact sheet shows of one file.
public struct SheetItem: Sendable {
  /// The file's path.
  public let file: String
  /// The line below the name: size and format, or the code of the error.
  let caption: String
  /// One picture of a still, three of an animation, none when the file cannot be read.
  let pictures: [PixelBuffer]
  /// Why pictures or parts of them are missing, or nil.
  public let problem: CoderError?

  /// The file's name without its directory.
  var name: String { String(file.split(separator: "/").last ?? "") }
  var isAnimated: Bool { pictures.count > 1 }

  /// Reads a file: the first frame, and for an animation two more.
  ///
  /// - Parameter size: The box that pictures have to fit, in pixels.
  init(_ file: String, size: Int, registry: CoderRegistry) {
    self.file = file
    var options = DecodeOptions()
    options.size = .fitting(Size(width: size, height: size))
    var pictures: [PixelBuffer] = []
    var problem: CoderError?
    var caption = ""
    do throws(CoderError) {
      let decoder = try registry.open(.file(file), options: options)
      let header = decoder.header
      caption = "\(header.displayedSize) \(registry.name(of: header.format))"
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

  /// Reads files, several at a time.
  ///
  /// - Returns: One item for each file, in their order.
  public static func items(_ files: [String], size: Int, registry: CoderRegistry = .standard) async -> [SheetItem] {
    await withTaskGroup(of: (index: Int, item: SheetItem).self) { group in
      for (index, file) in files.enumerated() {
        group.addTask { (index, SheetItem(file, size: size, registry: registry)) }
      }
      var items: [(index: Int, item: SheetItem)] = []
      for await item in group { items.append(item) }
      return items.sorted { $0.index < $1.index }.map(\.item)
    }
  }
}
