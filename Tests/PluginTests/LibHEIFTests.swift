// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderModel
import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// The HEIF coder over libheif: what it reads by itself, and that it agrees with our own.
@Suite struct LibHEIFTests {
  static let own = "org.imagecoders.heif"
  static let libheif = "org.imagecoders.heif.libheif"

  /// What libheif 1.15, or this coder, does not read of our own coder's test pictures, and why.
  static let refused = [
    "grid.heic": "a grid without ispe", "grid-trimmed.heic": "a grid without ispe",
    "grid-rotated.heic": "a grid without ispe", "grid-of-rotated.heic": "a grid without ispe",
    "identity.heic": "an identity picture without ispe", "overlay.heic": "an overlay",
    "hidden-primary.heic": "a hidden primary item",
  ]

  static let validNames = names("valid")
  static let readNames = validNames.filter { refused[$0] == nil }
  static let invalidNames = names("invalid")
  static let avifNames = names("valid", of: "avif").filter { !$0.hasPrefix("sequence") }

  private static func names(_ kind: String, of format: String = "heif") -> [String] {
    Command.run("cd '\(StagedTree.fixtures(format))/\(kind)' && ls").output.split(separator: "\n").map(String.init)
  }

  /// A registry that prefers one of the two coders.
  private static func registry(preferring id: String? = nil, without other: String? = nil) -> CoderRegistry {
    var preferences = Preferences()
    if let id { preferences.priorities[id] = 200 }
    if let other { preferences.disabled.insert(other) }
    return CoderRegistry(
      searchPath: SearchPath(arguments: [StagedTree.plugins], environment: { _ in nil }, executable: nil),
      preferences: preferences)
  }

  private static func bytes(_ path: String, of format: String = "heif") throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(format))/\(path)")))
  }

  /// Pages upright, in 16 bits per channel.
  private struct Answer {
    var sizes: [Size] = []
    var primaryPage = 0
    var bits: [Int] = []
    var alpha: [AlphaMode] = []
    var pixels: [[UInt16]] = []
    var metadata: [[MetadataKind: [UInt8]]] = []

    /// The largest difference of a sample, in steps of 1/255.
    func difference(from other: Answer) -> Double {
      var largest = 0
      for (one, two) in zip(pixels, other.pixels) {
        for (a, b) in zip(one, two) { largest = max(largest, abs(Int(a) - Int(b))) }
      }
      return Double(largest) / 257
    }
  }

  private static func answer(_ bytes: [UInt8], of id: String) throws -> Answer {
    let registry = registry(preferring: id)
    var answer = Answer()
    var options = DecodeOptions()
    options.pixelFormat = .rgba16
    let first = try registry.open(.bytes(bytes), options: options)
    #expect(first.coderID == id)
    answer.primaryPage = first.page
    for page in 0..<first.header.pageCount {
      options.page = page
      let decoder = try registry.open(.bytes(bytes), options: options)
      let image = try decoder.image()
      #expect(image.problem == nil)
      answer.sizes.append(image.pixels.size)
      answer.bits.append(decoder.header.bitsPerChannel)
      answer.alpha.append(decoder.header.alpha)
      answer.pixels.append(
        (0..<image.pixels.size.height).flatMap { y in
          image.pixels.withRow(y) { Array($0.bindMemory(to: UInt16.self)) }
        })
      answer.metadata.append(image.metadata)
    }
    return answer
  }

  @Test(arguments: readNames) func agreesWithOurOwnCoder(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)")
    let (own, other) = (try Self.answer(bytes, of: Self.own), try Self.answer(bytes, of: Self.libheif))
    print("DIFF", name, own.difference(from: other), own.sizes == other.sizes, own.alpha == other.alpha, own.bits == other.bits, own.metadata == other.metadata)
  }

  @Test(arguments: avifNames) func readsAV1AsOurAVIFCoder(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)", of: "avif")
    var renamed = bytes
    for index in stride(from: 8, to: min(64, bytes.count - 4), by: 4) where renamed[index..<(index + 4)].elementsEqual("avif".utf8) {
      renamed.replaceSubrange(index..<(index + 4), with: "mif1".utf8)
    }
    do {
    let own = try Self.answer(bytes, of: "org.imagecoders.avif")
    let other = try Self.answer(renamed, of: Self.libheif)
    print("AVIF", name, own.difference(from: other), own.sizes == other.sizes, own.alpha == other.alpha, own.bits == other.bits, own.metadata == other.metadata)
    } catch { print("AVIF", name, error) }
    do { print("AVIFD", name, try Self.registry(without: Self.libheif).open(.bytes(renamed)).coderID)
    } catch { print("AVIFD", name, error) }
  }
}
