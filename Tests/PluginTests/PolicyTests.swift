// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// What a policy forbids is refused, and the refusal says who forbade it.
@Suite struct PolicyTests {
  private static let size = Size(width: 40, height: 30)

  private static func file(_ format: ImageFormat) throws -> ByteSource {
    .bytes(try EncodingPictures.registry.encode(Image(try EncodingPictures.photo(size)), as: format))
  }

  private func registry(_ text: String) throws -> CoderRegistry {
    let registry = EncodingPictures.makeRegistry()
    registry.policy = try SecurityPolicy(parsing: Array(text.utf8), path: "p.json")
    return registry
  }

  @Test func aLimitNamesTheLineThatSetIt() throws {
    let registry = try registry("{\n\"limits\": {\"maxSide\": {\"value\": 39, \"reason\": \"icons\"}}}")
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.png)) }
    #expect(error.limit == .maxSide)
    #expect((error.found, error.allowed) == (40, 39))
    #expect(error.message == "a side of 40 is over the limit maxSide of 39")
    #expect(error.setBy == "p.json, line 2: icons")
    // A caller who allows less is told his own limit.
    let own = try #require(throws: CoderError.self) {
      try registry.decode(try Self.file(.png), options: DecodeOptions(limits: Limits(maxSide: 20)))
    }
    #expect(own.message == "a side of 40 is over the limit maxSide of 20")
    #expect(own.setBy == nil)
    // One who allows more gets no more.
    let more = try #require(throws: CoderError.self) {
      try registry.decode(try Self.file(.png), options: DecodeOptions(limits: Limits(maxSide: 5000)))
    }
    #expect(more == error)
  }

  /// The limit is found out by the plugin.
  @Test func aLimitOfAPluginNamesThePreset() throws {
    let registry = EncodingPictures.makeRegistry()
    var policy = SecurityPolicy(name: "mine")
    policy.limits[.maxMemory] = SecurityPolicy.Rule(100, reason: "to see it fail")
    registry.policy = policy
    for format in [ImageFormat.png, .jpeg, .webP, .tiff] {
      let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(format)) }
      #expect(error.setBy == "the program: to see it fail", "\(format): \(error)")
      #expect(error.limit == .maxMemory && error.allowed == 100)
    }
  }

  @Test func aFormatHasItsOwnLimits() throws {
    let registry = try registry(
      """
      {"limits": {"maxSide": 39},
       "byFormat": {"png": {"limits": {"maxSide": 40}}, "gif": {"limits": {"maxPixels": 9}}}}
      """)
    #expect(try registry.decode(try Self.file(.png)).size == Self.size)
    #expect(throws: CoderError.self) { try registry.decode(try Self.file(.jpeg)) }
    let gif = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.gif)) }
    #expect(gif.limit == .maxSide || gif.limit == .maxPixels)
  }

  @Test func onlyAllowedFormatsAreRead() throws {
    let registry = try registry("{\"formats\": {\"value\": [\"png\", \"ico\"],\n \"reason\": \"icons\"}}")
    _ = try registry.decode(try Self.file(.png))
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.jpeg)) }
    #expect(error.code == .unsupported)
    #expect(
      error.message == "the file is recognized as public.jpeg, which may not be read (set by p.json, line 1: icons)")
    // The caller's own list counts too.
    let own = try #require(throws: CoderError.self) {
      try registry.decode(try Self.file(.png), options: DecodeOptions(allowedFormats: [.jpeg]))
    }
    #expect(own.message == "the file is recognized as public.png, which the caller does not allow")
    // Writing is not reading.
    _ = try registry.encode(Image(try EncodingPictures.photo(Self.size)), as: .jpeg)
    let arriving = registry.makeIncrementalDecoder()
    let bytes = try OpenSource(try Self.file(.jpeg), limits: .standard).contents()
    #expect(throws: CoderError.self) {
      try arriving.append(bytes)
      _ = try arriving.finish()
    }
  }

  @Test func onlyAllowedCodersAreUsed() throws {
    let registry = try registry(#"{"coders": ["org.imagecoders.png"]}"#)
    _ = try registry.decode(try Self.file(.png))
    #expect(registry.coderIDs == ["org.imagecoders.png"])
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.jpeg)) }
    #expect(
      error.message
        == "the file is recognized as public.jpeg, and org.imagecoders.jpeg may not be used (set by p.json, line 1)")
    let named = try #require(throws: CoderError.self) { try registry.coder("org.imagecoders.jpeg") }
    #expect(named.message == "org.imagecoders.jpeg may not be used (set by p.json, line 1)")
    let writing = try #require(throws: CoderError.self) {
      try registry.encode(Image(try EncodingPictures.photo(Self.size)), as: .jpeg)
    }
    #expect(writing.message == "no coder that may be used (set by p.json, line 1) writes public.jpeg")
  }

  @Test func metadataIsNotReadWhereItMayNot() throws {
    var image = Image(try EncodingPictures.photo(Self.size))
    image.metadata[.xmp] = Array(#"<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>"#.utf8)
    let file = ByteSource.bytes(try EncodingPictures.registry.encode(image, as: .png))
    #expect(try EncodingPictures.registry.decode(file).metadata[.xmp] != nil)
    let registry = try registry(#"{"metadata": {"value": false, "reason": "nobody looks at it"}}"#)
    #expect(try registry.decode(file).metadata[.xmp] == nil)
    #expect(try registry.open(file).metadata(.xmp) == nil)
    var edit = MetadataEdit()
    edit.removed = [.xmp]
    let error = try #require(throws: CoderError.self) { try registry.editMetadata(file, edit) }
    #expect(
      error.message
        == "metadata may not be read (set by p.json, line 1: nobody looks at it), so that it cannot be changed")
  }

  @Test func aPolicyThatIsNotUnderstoodRefusesEverything() throws {
    let registry = EncodingPictures.makeRegistry()
    registry.policy = SecurityPolicy.loading("no-such-policy")
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.png)) }
    #expect(error.code == .invalidArgument)
    #expect(
      error.message
        == "\"no-such-policy\" is no policy; standard, trusted, web, thumbnailer, paranoid are, and paths of files")
    #expect(throws: CoderError.self) { try registry.coder("org.imagecoders.png") }
    #expect(throws: CoderError.self) {
      try registry.encode(Image(try EncodingPictures.photo(Self.size)), as: .png)
    }
    #expect(throws: CoderError.self) {
      let arriving = registry.makeIncrementalDecoder()
      try arriving.append([0x89, 0x50, 0x4E, 0x47])
      _ = try arriving.finish()
    }
  }

  @Test func isolationIsTheStrictestThatIsAskedFor() {
    let registry = EncodingPictures.makeRegistry()
    registry.policy = .paranoid
    #expect(registry.isolation(of: "org.imagecoders.gif")?.mode == .inProcess)
    #expect(registry.isolation(of: "org.imagecoders.gif.giflib")?.mode == .strict)
    #expect(registry.isolation(of: "org.imagecoders.jpeg")?.mode == .strict)
    #expect(registry.isolation(of: "org.imagecoders.jpeg")?.usesFreshWorkers == true)
    registry.policy.formatRules[.gif] = SecurityPolicy.FormatRules()
    registry.policy.formatRules[.gif]?.isolation = SecurityPolicy.Rule(.required)
    #expect(registry.isolation(of: "org.imagecoders.gif")?.mode == .required)
    registry.policy = .trusted
    registry.setIsolation(Isolation(.preferred))
    #expect(registry.isolation(of: "org.imagecoders.jpeg")?.mode == .preferred)
    registry.policy = .web
    #expect(registry.isolation(of: "org.imagecoders.jpeg")?.mode == .required)
  }

  /// A rule for a format that no coder has may be a typing error; it would forbid nothing.
  @Test func aRuleForAnUnknownFormatRefusesEverything() throws {
    let text = "{\"byFormat\": {\n\"pgn\": {\"limits\": {\"maxSide\": 9}}}}"
    let registry = try registry(text)
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.png)) }
    #expect(error.code == .invalidArgument)
    #expect(
      error.message
        == "the policy p.json, line 2 is not understood: byFormat names \"pgn\", a format that no coder has")
    // The program may know the format itself, and may register its coder later.
    for name in ["image/png", "public.pgn"] {
      #expect(try self.registry(text.replacing("pgn", with: name)).policy.problem != nil)
    }
    for name in ["PNG", "png", "public.png", "heics"] {
      #expect(try self.registry(text.replacing("pgn", with: name)).policy.problem == nil, "\(name)")
    }
    var own = SecurityPolicy(name: "mine")
    own.formatRules[ImageFormat(rawValue: "org.example.later")] = SecurityPolicy.FormatRules()
    own.formatRules[ImageFormat(rawValue: "org.example.later")]?.limits[.maxSide] = SecurityPolicy.Rule(9)
    registry.policy = own
    #expect(registry.policy.problem == nil)
  }

  /// Uploads are decoded in workers, and what the preset does not name is refused.
  @Test func theWebPresetDecodesInWorkers() throws {
    #expect(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    let registry = EncodingPictures.makeRegistry()
    registry.policy = .web
    for format in [ImageFormat.png, .jpeg, .gif, .webP] {
      let file = try Self.file(format)
      do throws(CoderError) {
        let image = try registry.decode(file)
        #expect(image.size == Self.size)
      } catch {
        // A machine that offers no isolation refuses, which is what the preset is for.
        guard error.message.contains("isolation_missing") else { throw error }
        return
      }
    }
    let error = try #require(throws: CoderError.self) { try registry.decode(try Self.file(.tiff)) }
    #expect(error.message.contains("set by the policy web: what cameras, phones and browsers make"))
  }
}

extension EncodingPictures {
  /// A registry of its own, for a test that sets a policy.
  static func makeRegistry() -> CoderRegistry {
    let path = PluginSearchPath.only([StagedTree.plugins]).trusting([StagedTree.plugins])
    return CoderRegistry(searchPath: path, preferences: CoderPreferences(), policy: .standard)
  }
}
