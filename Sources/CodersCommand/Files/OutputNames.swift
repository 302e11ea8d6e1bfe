// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Names of the files that a run writes: one for each input, no two the same.
///
/// An output has its input's name with another extension. Where two inputs would get one name, the later one on the
/// command line gets a number, `photo-2.png`, so that a run is the same every time.
struct OutputNames {
  let paths: [String]

  /// - Parameters:
  ///   - target: What `-o` says.
  ///   - suffix: The outputs' extension.
  /// - Throws: ``CoderError/Code/io`` when a directory cannot be made; ``CoderError/Code/invalidArgument`` when an
  ///   output would take the place of an input.
  init(_ inputs: [String], in target: String, suffix: String) throws(CoderError) {
    guard target != "-" || inputs.count == 1 else {
      throw .invalidArgument("\(inputs.count) thumbnails do not fit into standard output")
    }
    if inputs.count == 1, !target.hasSuffix("/"), !Path.isDirectory(target) {
      paths = [target]
    } else {
      do throws(CoderError) { try Path.makeDirectory(target) } catch { throw error.concerning(target) }
      let folder = target.hasSuffix("/") ? target : target + "/"
      paths = Self.names(inputs.map { Path.base($0) }).map { "\(folder)\($0).\(suffix)" }
    }
    for (input, path) in zip(inputs, paths) where path != "-" {
      guard !inputs.contains(where: { Path.areSame($0, path) }) else {
        throw .invalidArgument(
          "the thumbnail of \(input.printable) would take the place of an input, \(path.printable)")
      }
    }
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

extension CoderError {
  /// The same error with what it concerns in front of its message.
  func concerning(_ name: String) -> CoderError {
    CoderError(code: code, message: "\(name.printable): \(message)", offset: offset, coder: coder)
  }
}
