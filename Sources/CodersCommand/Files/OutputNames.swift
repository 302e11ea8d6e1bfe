// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// The paths of the files that a run writes: one for each input, all different.
///
/// An output has its input's name with another extension. If two inputs have the same name, the later one on the command
/// line gets a number, `photo-2.png`. The names do not depend on what an earlier run wrote.
struct OutputNames {
  let paths: [String]

  /// - Parameters:
  ///   - target: The value of `-o`.
  ///   - suffixes: The extension of the outputs in a directory; with several, outputs get any of them, files that are named
  ///     as well, and the paths have the first. Without one, each output has that of its input.
  /// - Throws: ``CoderError/Code/io`` when a directory cannot be made; ``CoderError/Code/invalidArgument`` when an
  ///   output would replace an input.
  init(_ inputs: [InputFile], in target: String, isFile: Bool, suffixes: [String], _ console: Console)
    throws(CoderError)
  {
    guard target != "-" || inputs.count == 1 else {
      throw .invalidArgument("standard output takes one picture, not \(inputs.count)")
    }
    if isFile {
      paths = suffixes.count > 1 && target != "-" ? ["\(target).\(suffixes[0])"] : [target]
    } else {
      let folder = target.hasSuffix("/") ? target : target + "/"
      paths = zip(Self.names(inputs.map { $0.subfolder + Path.base($0.path) }), inputs).map { name, input in
        (suffixes.first ?? Path.suffix(input.path)).map { "\(folder)\(name).\($0)" } ?? folder + name
      }
      do throws(CoderError) {
        try Path.makeDirectory(target, console)
        // Few directories hold many files.
        for subfolder in Set(inputs.map(\.subfolder)).sorted() where !subfolder.isEmpty {
          try Path.makeDirectory(folder + subfolder, console)
        }
      } catch {
        throw error.annotated(file: target)
      }
    }
    var known: [Path.Identity: String] = [:]
    for input in inputs where input.path != "-" {
      if let identity = Path.Identity(console.location(of: input.path)) { known[identity] = input.path }
    }
    for (input, path) in zip(inputs, paths) where path != "-" {
      let others = suffixes.dropFirst().map { "\(path.dropLast(suffixes[0].count))\($0)" }
      for path in [path] + others {
        guard let identity = Path.Identity(console.location(of: path)), let replaced = known[identity] else { continue }
        throw .invalidArgument(
          "the output of \(input.path.printable) would replace the input \(replaced.printable)")
      }
    }
  }

  /// Whether `-o` names one file; otherwise it names a directory.
  ///
  /// - Parameter isOneInput: Whether one file is named, and neither a directory nor a list.
  static func isFile(_ target: String, isOneInput: Bool, _ console: Console) -> Bool {
    target == "-"
      || isOneInput && !target.hasSuffix("/") && !Path.isDirectory(console.location(of: target))
  }

  private static func names(_ bases: [String]) -> [String] {
    var taken = Set(bases)
    var seen: Set<String> = []
    // The number that was tried last for each name: with many equal names, each is tried once.
    var numbers: [String: Int] = [:]
    return bases.map { base in
      if seen.insert(base).inserted { return base }
      var number = numbers[base, default: 1] + 1
      while !taken.insert("\(base)-\(number)").inserted { number += 1 }
      numbers[base] = number
      return "\(base)-\(number)"
    }
  }
}
