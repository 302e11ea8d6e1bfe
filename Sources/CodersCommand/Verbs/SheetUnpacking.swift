// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import ImageSheets

/// Writes each frame of a sheet as a picture of its own: an atlas is not always an animation.
struct SheetUnpacking {
  let command: SheetCommand
  let registry: CoderRegistry
  let console: Console
  let failures: Failures

  /// - Parameter currentFile: Set to the file that an error concerns.
  func run(_ currentFile: inout String) throws(CoderError) {
    let (folder, input) = (command.output, command.files[0])
    let format = try registry.format(named: command.format ?? "png", output: folder)
    let coder = try registry.coderID(named: command.encoding.encoder)
    CurrentFiles.set(input: input, output: folder)
    var reading = try command.read.decodeOptions(registry, console, file: input)
    reading.isStrict = command.encoding.strict
    let source = try command.sheet.source(input, command.read, registry, options: reading, console, &currentFile)
    if let problem = source.image.problem { failures.add(problem, file: source.picture) }
    let suffix = registry.writer(of: format)?.preferredExtension(of: format) ?? format.rawValue
    let paths = try Self.paths(source.names, in: folder, suffix: suffix)
    let isQuiet = command.read.coders.isQuiet
    let progress = Progress(console, total: paths.count, isQuiet: isQuiet)
    defer { progress.finish() }
    for (index, path) in paths.enumerated() {
      if console.cancellation.isCancelled { throw .cancelled }
      currentFile = path
      try command.refuseInputs([input, source.picture], [path], console)
      let frame = try source.sheet.frame(at: index)
      var image = source.image
      image.frames = [frame]
      var options = try command.encoding.settings.options(as: format, registry, console, file: path, command.read)
      options.layout = source.sheet.picture.layout
      try Path.makeDirectory(Path.folder(path), console)
      let target = OutputFile(path, console)
      let encoder = try registry.makeEncoder(as: format, to: target.destination, options: options, coder: coder)
      try encoder.add(image)
      let made = try encoder.finish()
      try target.take(made, console)
      let file = EncodingReport(file: path, format: format, made: made, allowed: options.maxFileSize)
      file.printSize(console, isQuiet: isQuiet)
      if command.json {
        let report = SheetReport(file: file, frameCount: 1, frameSize: frame.pixels.size, written: nil)
        console.print(report.json.printed)
      } else if !isQuiet {
        console.print(path.printable)
      }
      progress.advance()
    }
  }

  /// Where frames are written. Names may have folders; an extension of a picture goes, and one that comes again gets a number.
  ///
  /// - Throws: ``CoderError/Code/malformed`` for a name that leads out of the folder, or is none.
  private static func paths(_ names: [String], in folder: String, suffix: String) throws(CoderError) -> [String] {
    var taken: Set<String> = []
    var numbers: [String: Int] = [:]
    var paths: [String] = []
    for (index, name) in names.enumerated() {
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }), !name.utf8.contains(where: { $0 < 0x20 })
      else {
        throw .malformed(
          "frame index \(index) is called \(name.quoted); the name of a file is allowed, or of one in a folder")
      }
      let base = isPicture(Path.suffix(name)) ? Path.withoutSuffix(name) : name
      var path = "\(base).\(suffix)"
      while !taken.insert(path).inserted {
        // Counting goes on where it ended: each number is tried once.
        let number = numbers[base, default: 1] + 1
        numbers[base] = number
        path = "\(base)-\(number).\(suffix)"
      }
      paths.append(folder + path)
    }
    return paths
  }

  /// Whether a name ends as that of a picture, and not as `walk.1` does.
  private static func isPicture(_ suffix: String?) -> Bool {
    let pictures = ["png", "webp", "jpg", "jpeg", "gif", "bmp", "tga", "ase", "aseprite"]
    return suffix.map { pictures.contains($0.lowercased()) } ?? false
  }
}
