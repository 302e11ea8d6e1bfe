// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Operations that only their plugin knows, in this process and in a worker: `Tests/MisbehavingPlugin/operations.h`.
@Suite struct FileOperationTests {
  private static let plugin = MisbehavingPlugin("none", hasSamples: false)
  private static let here = registry(of: plugin)
  private static let isolated = IsolationWorker.registry(of: [plugin.folder.path])

  private static let retag = "org.example.retag"
  private static let packet = "org.example.packet"
  private static let format = ImageFormat(rawValue: "org.example.misb")
  private static let xmp = Array("<x:xmpmeta/>".utf8)
  private static let file = MisbehavingPlugin.file(7, 5, channels: 3, xmp: "<x:xmpmeta/>")

  private static func registry(of plugin: MisbehavingPlugin) -> CoderRegistry {
    CoderRegistry(searchPath: .only([plugin.folder.path]), preferences: CoderPreferences())
  }

  /// A file with this tag in its header.
  private static func tagged(_ tag: UInt8) -> [UInt8] {
    var bytes = file
    bytes[11] = tag
    return bytes
  }

  private static func facts(_ tag: Int64) -> Properties {
    var facts = Properties()
    facts["Tag"] = .integer(tag)
    return facts
  }

  /// An error in both, the same one.
  private static func expectError(
    _ code: CoderError.Code, _ message: String, _ sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (CoderRegistry) throws(CoderError) -> Void
  ) {
    for registry in [here, isolated] {
      do throws(CoderError) {
        try body(registry)
        Issue.record("no error", sourceLocation: sourceLocation)
      } catch {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        #expect(error.message == message, sourceLocation: sourceLocation)
      }
    }
  }

  @Test func theManifestListsThem() {
    let tag = OptionDescription(name: "tag", text: "The tag of the new file.", kind: .integer(0...9, default: 0))
    for registry in [Self.here, Self.isolated] {
      for listed in [registry.operations(), registry.operations(for: Self.format)] {
        #expect(listed.map(\.coder) == ["org.example.misb", "org.example.misb"])
        #expect(
          listed.map(\.operation) == [
            OperationDescription(
              name: Self.retag, text: "Write another tag and XMP.", formats: [.init(from: Self.format)],
              options: [tag], blocks: ["xmp"]),
            OperationDescription(
              name: Self.packet, text: "Take the XMP out.", formats: [.init(from: Self.format)], takesOut: true),
          ])
      }
      #expect(registry.operations(for: .png).isEmpty)
    }
  }

  @Test(arguments: [nil, [], Array("<y/>".utf8), [UInt8](repeating: 32, count: 65_535)] as [[UInt8]?])
  func valuesAndBlocksReachThePlugin(_ block: [UInt8]?) throws {
    var operation = FileOperation(Self.retag, values: ["tag": .number(7)])
    operation.blocks["xmp"] = block
    for registry in [Self.here, Self.isolated] {
      let applied = try registry.apply(operation, to: .bytes(Self.tagged(3)))
      #expect(applied.coder == "org.example.misb")
      #expect(applied.facts == Self.facts(3))
      var expected = Self.file
      if let block {
        expected = Array(Self.file[..<12]) + [UInt8(block.count & 255), UInt8(block.count >> 8), 0, 0] + block
        expected += Self.file[(16 + Self.xmp.count)...]
      }
      expected[11] = 7
      #expect(applied.file?.bytes == expected)
      #expect(applied.file?.format == Self.format)
      let xmp = try registry.decode(.bytes(expected)).metadata[.xmp]
      #expect(xmp == (block?.isEmpty == true ? nil : block ?? Self.xmp))
    }
  }

  @Test func wordsAreValues() throws {
    let operation = FileOperation(Self.retag, values: ["tag": .word("4")])
    for registry in [Self.here, Self.isolated] {
      #expect(try registry.apply(operation, to: .bytes(Self.file)).file?.bytes == Self.tagged(4))
    }
  }

  @Test func aPartIsTakenOut() throws {
    for registry in [Self.here, Self.isolated] {
      #expect(try registry.apply(FileOperation(Self.packet), to: .bytes(Self.file)).file?.bytes == Self.xmp)
      let plain = MisbehavingPlugin.file(7, 5, channels: 3)
      #expect(try registry.apply(FileOperation(Self.packet), to: .bytes(plain)).file == nil)
      let answer = try registry.ask(FileOperation(Self.packet), of: .bytes(plain))
      #expect(answer.refusal?.message == "the file has nothing that org.example.packet takes out")
    }
  }

  @Test func askingWritesNothing() throws {
    for registry in [Self.here, Self.isolated] {
      let answer = try registry.ask(FileOperation(Self.retag), of: .bytes(Self.tagged(3)))
      #expect(answer.coder == "org.example.misb")
      #expect(answer.facts == Self.facts(3))
      #expect(answer.refusal == nil)
      let refused = try registry.ask(FileOperation(Self.retag), of: .bytes(Self.tagged(9)))
      #expect(refused.facts == Self.facts(9))
      #expect(refused.refusal?.code == .unsupported)
      #expect(refused.refusal?.message == "a file with the tag 9 is sealed")
    }
    Self.expectError(.unsupported, "a file with the tag 9 is sealed") { (registry) throws(CoderError) in
      try registry.apply(FileOperation(Self.retag), to: .bytes(Self.tagged(9)))
    }
  }

  /// A plugin whose `can` says yes and whose `run` says no.
  @Test func aBrokenPromiseIsAnError() throws {
    let plugin = MisbehavingPlugin("operations.run", hasSamples: false)
    let registry = Self.registry(of: plugin)
    defer { withExtendedLifetime(plugin) {} }
    #expect(try registry.ask(FileOperation(Self.retag), of: .bytes(Self.file)).refusal == nil)
    #expect {
      try registry.apply(FileOperation(Self.retag), to: .bytes(Self.file))
    } throws: { ($0 as? CoderError)?.message == "no mood" }
  }

  @Test func whatIsNotDescribedIsRefused() {
    let file = ByteSource.bytes(Self.file)
    for asks in [false, true] {
      func expectRefusal(
        _ code: CoderError.Code, _ message: String, _ operation: FileOperation, as format: ImageFormat? = nil,
        _ sourceLocation: SourceLocation = #_sourceLocation
      ) {
        Self.expectError(code, message, sourceLocation) { (registry) throws(CoderError) in
          if asks {
            _ = try registry.ask(operation, of: file, as: format)
          } else {
            try registry.apply(operation, to: file, as: format)
          }
        }
      }
      expectRefusal(
        .invalidArgument, "org.example.retag has no value tags; it has tag",
        FileOperation(Self.retag, values: ["tags": .number(1)]))
      expectRefusal(
        .invalidArgument, "org.example.retag has no block icc; it has xmp",
        FileOperation(Self.retag, blocks: ["icc": [1]]))
      expectRefusal(
        .invalidArgument, "org.example.packet has no block xmp; it has none",
        FileOperation(Self.packet, blocks: ["xmp": []]))
      expectRefusal(
        .unsupported, "no coder has the operation turn for org.example.misb", FileOperation("turn"))
      expectRefusal(
        .unsupported, "no coder has the operation org.example.retag from org.example.misb to public.png",
        FileOperation(Self.retag), as: .png)
      for value: OptionValue in [.number(10), .number(-1), .number(0.5), .number(.nan), .word("x"), .boolean(true)] {
        for registry in [Self.here, Self.isolated] {
          #expect(throws: CoderError.self) {
            try registry.apply(FileOperation(Self.retag, values: ["tag": value]), to: file)
          }
        }
      }
    }
  }

  /// The same error, or the same file.
  @Test func aFileCutAnywhereGivesTheSame() {
    for count in 0...Self.file.count {
      let source = ByteSource.bytes(Array(Self.file.prefix(count)))
      let results = [Self.here, Self.isolated].map { registry in
        Result { () throws(CoderError) in
          try registry.apply(FileOperation(Self.retag), to: source).file?.bytes
        }
      }
      switch (results[0], results[1]) {
      case (.success(let here), .success(let there)):
        #expect(here == Self.file)
        #expect(there == Self.file)
        #expect(count == Self.file.count)
      case (.failure(let here), .failure(let there)): #expect(here == there, "\(count)")
      default: Issue.record("\(count): \(results)")
      }
    }
  }

  @Test func aFileIsReplacedWhenTheNewOneIsWhole() throws {
    let folder = TemporaryFolder()
    folder.write(Self.file, to: "a.misb")
    let path = "\(folder.path)/a.misb"
    for (registry, tag) in [(Self.here, 5), (Self.isolated, 6)] as [(CoderRegistry, UInt8)] {
      let operation = FileOperation(Self.retag, values: ["tag": .number(Double(tag))])
      let applied = try registry.apply(operation, to: .file(path), at: .file(path))
      #expect(applied.file?.byteCount == Self.file.count)
      #expect(try OpenSource(.file(path), limits: .standard).contents() == Self.tagged(tag))
    }
  }

  @Test func aPolicyAndLimitsApply() {
    var reading = DecodeOptions()
    reading.allowedFormats = [.png]
    for registry in [Self.here, Self.isolated] {
      #expect(throws: CoderError.self) {
        try registry.apply(FileOperation(Self.retag), to: .bytes(Self.file), reading: reading)
      }
      var small = DecodeOptions()
      small.limits.maxMemory = 100
      #expect(throws: CoderError.self) {
        try registry.apply(FileOperation(Self.retag), to: .bytes(Self.file), reading: small)
      }
    }
  }
}
