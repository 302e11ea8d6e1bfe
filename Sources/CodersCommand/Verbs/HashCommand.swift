// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoders
import ImageProcessing

/// `coders hash`: perceptual hashes, and the pictures that are nearly the same.
struct HashCommand: ReadingVerb {
  static let configuration = CommandConfiguration(
    commandName: "hash",
    abstract: "Print hashes that are alike for pictures that look alike, or find such pictures.",
    usage: "coders hash [<options>] [<file> ...]",
    discussion: """
      The hash has 64 bits: a picture that was scaled, compressed or slightly recolored keeps nearly all of them. Of \
      pictures that have nothing to do with each other, about 32 bits differ. Mirrored, turned and cropped pictures have \
      other hashes. Of animations, the first frame is hashed.

      With --near, the pairs of files are printed of whose hashes at most so many bits differ, the nearest first: 0 finds \
      copies, 4 what was made of the same picture, 10 also what only looks like it.

      Examples:
        coders hash photo.jpg photo.webp
        coders hash -r photos/ >hashes.txt
        coders hash --near 4 -r photos/
      """)

  @Option(
    help: ArgumentHelp("Print the pairs of files that differ in at most this many bits, 0 to 64.", valueName: "bits"))
  var near: Int?

  @Flag(help: "Print JSON.")
  var json = false

  @OptionGroup var input: InputOptions
  @OptionGroup(title: "Reading") var reading: ReadOptions

  func validate() throws {
    if let near, !(0...64).contains(near) { throw ValidationError("--near is \(near); 0 to 64 bits are allowed") }
  }

  /// Two files that look alike.
  private struct Pair {
    let first: Int
    let second: Int
    let distance: Int
  }

  func run(_ console: Console) throws(CoderError) -> ExitStatus {
    let registry = read.registry(console)
    let failures = Failures(console)
    let files = try input.inputs(registry, console, read: read, failures).map(\.path)
    let hashes = PictureReading.run(files, side: 256, read, registry, failures, console) {
      (pixels) throws(CoderError) in try PerceptualHash(pixels)
    }
    let pairs = near.map { Self.pairs(hashes, atMost: $0) }
    if json {
      console.print(document(files, hashes, pairs).printed)
    } else if let pairs {
      for pair in pairs {
        console.print("\(pair.distance)  \(files[pair.first].printable)  \(files[pair.second].printable)")
      }
    } else {
      for case (let file, let hash?) in zip(files, hashes) { console.print("\(hash)  \(file.printable)") }
    }
    return failures.status
  }

  private static func pairs(_ hashes: [PerceptualHash?], atMost bits: Int) -> [Pair] {
    let known = hashes.enumerated().compactMap { index, hash in hash.map { (index, $0) } }
    var pairs: [Pair] = []
    for (place, (first, hash)) in known.enumerated() {
      for (second, other) in known[(place + 1)...] {
        let distance = hash.distance(to: other)
        if distance <= bits { pairs.append(Pair(first: first, second: second, distance: distance)) }
      }
    }
    return pairs.sorted { ($0.distance, $0.first, $0.second) < ($1.distance, $1.first, $1.second) }
  }

  private func document(_ files: [String], _ hashes: [PerceptualHash?], _ pairs: [Pair]?) -> JSONValue {
    let listed = zip(files, hashes).map { file, hash in
      JSONValue.object(["file": .text(file), "hash": hash.map { .text($0.description) } ?? .null])
    }
    let near = pairs.map { pairs in
      JSONValue.list(
        pairs.map {
          .object([
            "first": .text(files[$0.first]), "second": .text(files[$0.second]), "distance": .integer($0.distance),
          ])
        })
    }
    return .object(["schema": .integer(1), "files": .list(listed), "near": near ?? .null])
  }
}
