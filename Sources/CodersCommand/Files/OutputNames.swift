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
  ///   - suffix: The extension of the outputs in a directory.
  /// - Throws: ``CoderError/Code/io`` when a directory cannot be made; ``CoderError/Code/invalidArgument`` when an
  ///   output would replace an input.
  init(_ inputs: [String], in target: String, suffix: String) throws(CoderError) {
    guard target != "-" || inputs.count == 1 else {
      throw .invalidArgument("standard output takes one thumbnail, not \(inputs.count)")
    }
    if Self.isFile(target, inputs: inputs.count) {
      paths = [target]
    } else {
      do throws(CoderError) { try Path.makeDirectory(target) } catch { throw error.inFile(target) }
      let folder = target.hasSuffix("/") ? target : target + "/"
      paths = Self.names(inputs.map { Path.base($0) }).map { "\(folder)\($0).\(suffix)" }
    }
    for (input, path) in zip(inputs, paths) where path != "-" {
      guard !inputs.contains(where: { Path.areSame($0, path) }) else {
        throw .invalidArgument(
          "the thumbnail of \(input.printable) would replace the input \(path.printable)")
      }
    }
  }

  /// Whether `-o` names one file; otherwise it names a directory.
  static func isFile(_ target: String, inputs: Int) -> Bool {
    inputs == 1 && !target.hasSuffix("/") && !Path.isDirectory(target)
  }

  private static func names(_ bases: [String]) -> [String] {
    var taken = Set(bases)
    var seen: Set<String> = []
    return bases.map { base in
      if seen.insert(base).inserted { return base }
      var number = 2
      while !taken.insert("\(base)-\(number)").inserted { number += 1 }
      return "\(base)-\(number)"
    }
  }
}
