// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Testing

@testable import ImageLoading

/// What pictures are found by: sizes of drawings in pixels, and options of readers.
@Suite struct PictureKeyTests {
  private static let url = "https://example.org/logo.svg"

  private static func option(_ name: String, _ kind: OptionDescription.Kind, isSecret: Bool = false)
    -> OptionDescription
  {
    OptionDescription(name: name, text: "", kind: kind, isSecret: isSecret)
  }

  /// Coders that describe options, of which no file is read.
  private static let registry: CoderRegistry = {
    let registry = CoderRegistry(searchPath: .only([]), preferences: CoderPreferences())
    let one = [
      option("exposure", .number(-5...5, default: 0)), option("kind", .choice(["a", "b"], default: 0)),
      option("key", .text(maximumBytes: 9, default: ""), isSecret: true),
      option("title", .text(maximumBytes: 99, default: "none")),
    ]
    for (id, options) in [
      ("org.example.one", one), ("org.example.two", [option("kind", .choice(["b", "a"], default: 0))]),
    ] {
      registry.register(
        AnimatedCoder(
          SwiftContainer(id: id, formats: [ImageFormat(rawValue: id)], signatures: [], readOptions: options)))
    }
    return registry
  }()

  private static func resolved(_ change: (inout ImageRequest) -> Void) throws -> ResolvedRequest {
    var request = ImageRequest(url)
    change(&request)
    return try ResolvedRequest(request, nil, load: 0, options: ImageLoader.Options(), registry: registry)
  }

  private static func words(_ values: [String: OptionValue]) throws -> [Substring] {
    try resolved { $0.output.values = values }.decoding.split(separator: " ").drop { !$0.hasPrefix("metadata") }
      .dropFirst()
      .map { $0 }
  }

  @Test(
    arguments: [
      (["exposure": 1], ["exposure=1"]), (["exposure": "1"], ["exposure=1"]), (["exposure": 0], []),
      (["kind": "b", "exposure": -1.5], ["exposure=-1.5", "kind=b"]),
      // A word is the default of one coder and not of the other; the first word is that of both.
      (["kind": "a"], ["kind=a"]), (["kind": 0], []),
      (["title": "two words"], ["title=two\\32;words"]), (["title": "none"], []), (["other": 2], ["other=2"]),
    ] as [([String: OptionValue], [String])]) func valuesAreInTheOrderOfNames(
      _ values: [String: OptionValue], _ words: [String]
    ) throws
  {
    #expect(try Self.words(values).map(String.init) == words)
  }

  @Test func formatsHaveValuesOfTheirOwn() throws {
    let one = try Self.resolved { $0.output.formatValues[.png] = ["exposure": 1] }
    #expect(one.decoding.hasSuffix(" public.png:exposure=1"))
  }

  @Test(arguments: ["key", "password"]) func secretsAreInNoKey(_ name: String) throws {
    let request = try Self.resolved { $0.output.values = [name: "sesame"] }
    let other = try Self.resolved { $0.output.values = [name: "simsim"] }
    #expect(!request.key(0, drawing: nil).contains("sesame"))
    #expect(request.key(0, drawing: nil) != other.key(0, drawing: nil))
    #expect(try request.decoding == Self.resolved { $0.output.values = [name: "sesame"] }.decoding)
    #expect(try request.hasSecret && !Self.resolved { $0.output.values = ["exposure": 1] }.hasSecret)
    #expect(try Self.resolved { $0.output.formatValues[.png] = [name: "x"] }.hasSecret)
  }

  @Test func sizesOfTheSamePixelsAreOneKey() throws {
    var header = ImageHeader(
      format: ImageFormat(rawValue: "public.svg-image"), canvas: Size(width: 25, height: 11), pixelFormat: .rgba8,
      bitsPerChannel: 8, alpha: .premultiplied)
    header.anySize = AnySize(width: 24.5, height: 10.25, largestSide: nil)
    header.resolution = 96
    func key(_ size: PictureSize, drawing: ImageHeader?, page: Int? = nil) throws -> String {
      try Self.resolved {
        $0.output.size = size
        $0.output.page = page
      }.key(0, drawing: drawing)
    }
    // Twice 24.5 by 10.25, rounded up.
    let twice = try key(.scaled(2), drawing: header)
    #expect(twice.contains("\ndrawn=49×21 mode=fit "))
    #expect(try key(.resolution(192), drawing: header) == twice)
    #expect(try key(.scaled(2), drawing: nil) != key(.resolution(192), drawing: nil))
    #expect(try key(.scaled(3), drawing: header) != twice)
    #expect(try key(.resolution(192), drawing: header, page: 0) != twice)
    #expect(try key(.own, drawing: header) == key(.own, drawing: nil))
  }
}
