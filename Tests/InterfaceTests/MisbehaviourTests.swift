// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Whatever a plugin does wrong has a name, and the process lives on.
@Suite struct MisbehaviorTests {
  /// What a misbehaving session comes to.
  struct Act: Sendable, CustomTestStringConvertible {
    let name: String
    /// The error that is thrown, or nil when an image comes.
    let thrown: CoderError.Code?
    /// The image's problem.
    var problem: CoderError.Code?
    /// What the message has to say.
    var says = ""

    var testDescription: String { name }
  }

  static let acts: [Act] = [
    Act(name: "nothing", thrown: nil),
    Act(name: "open-fails-silently", thrown: .malformed, says: "no reason"),
    Act(name: "open-needs-more", thrown: .libraryFailure),
    Act(name: "open-invents-a-status", thrown: CoderError.Code(rawValue: 0x99)),
    Act(name: "open-fails-with-noise", thrown: .malformed),
    Act(name: "open-fails-otherwise", thrown: .malformed, says: "what was told"),
    Act(name: "opens-nothing", thrown: .libraryFailure),
    Act(name: "allocates-too-much", thrown: .outOfMemory),
    Act(name: "allocates-oddly", thrown: nil),
    Act(name: "canvas-0x0", thrown: .libraryFailure, says: "0×0"),
    Act(name: "canvas-of-32-bits", thrown: .limitExceeded, says: "maxSide"),
    Act(name: "pixel-format-77", thrown: .libraryFailure, says: "77"),
    Act(name: "alpha-9", thrown: .libraryFailure, says: "9"),
    Act(name: "orientation-200", thrown: nil),
    Act(name: "frames-of-32-bits", thrown: .limitExceeded, says: "maxFrames"),
    Act(name: "pages-of-32-bits", thrown: .limitExceeded, says: "maxPages"),
    Act(name: "frames-0", thrown: nil),
    Act(name: "frames-to-come", thrown: .libraryFailure, says: "still arriving"),
    Act(name: "primary-page-9", thrown: nil),
    Act(name: "gamma-nan", thrown: nil),
    Act(
      name: "format-of-another", thrown: .libraryFailure, says: "\"public.png\", its manifest lists org.example.unruly"),
    Act(name: "format-endless", thrown: .libraryFailure, says: "its manifest lists"),
    Act(name: "done-unwritten", thrown: nil),
    Act(name: "leaves-memory", thrown: nil),
    Act(name: "struct-size-grows", thrown: nil),
    Act(name: "frame-outside", thrown: .libraryFailure, says: "canvas"),
    Act(name: "frame-outside-wraps", thrown: .libraryFailure),
    Act(name: "frame-empty", thrown: .libraryFailure),
    Act(name: "frame-disposal-9", thrown: .libraryFailure, says: "9"),
    Act(name: "frame-blend-9", thrown: .libraryFailure, says: "9"),
    Act(name: "frame-depends-on-the-future", thrown: nil),
    Act(name: "offers-more", thrown: .libraryFailure, says: "9×6"),
    Act(name: "offers-32-bits", thrown: .libraryFailure),
    Act(name: "offers-less", thrown: .libraryFailure, says: "7×6"),
    Act(name: "offers-nothing", thrown: .libraryFailure),
    Act(name: "offers-format-77", thrown: .libraryFailure, says: "77"),
    Act(name: "offers-order-5", thrown: .libraryFailure, says: "5"),
    Act(name: "covers 8.5", thrown: .libraryFailure, says: "8.5"),
    Act(name: "covers 7", thrown: .libraryFailure, says: "7.0"),
    Act(name: "covers -1", thrown: .libraryFailure, says: "-1.0"),
    Act(name: "covers nan", thrown: .libraryFailure, says: "nan"),
    Act(name: "offers-memory", thrown: .limitExceeded, says: "maxMemory"),
    Act(name: "rows-out-of-range", thrown: .libraryFailure, says: "row"),
    Act(name: "rows-out-of-range-any-order", thrown: .libraryFailure, says: "row"),
    Act(name: "rows-32-bits-any-order", thrown: .libraryFailure, says: "row"),
    Act(name: "rows-out-of-order", thrown: .libraryFailure, says: "3"),
    Act(name: "rows-0", thrown: .libraryFailure, says: "0 rows"),
    Act(name: "rows-nowhere", thrown: .invalidArgument),
    Act(name: "rows-none", thrown: .libraryFailure, says: "0 of 6"),
    Act(name: "rows-none-any-order", thrown: .libraryFailure, says: "0 of 6"),
    Act(name: "rows-half", thrown: nil, problem: .libraryFailure, says: "3 of 6"),
    Act(name: "rows-half-any-order", thrown: nil, problem: .libraryFailure, says: "3 of 6"),
    Act(name: "rows-refusal-ignored", thrown: nil),
    Act(name: "rows-of-32-bits", thrown: nil),
    Act(name: "done-without-rows", thrown: .libraryFailure),
    Act(name: "done-without-rows-any-order", thrown: .libraryFailure),
    Act(name: "done-more-than-granted", thrown: .libraryFailure),
    Act(name: "done-out-of-range", thrown: .libraryFailure),
    Act(name: "done-twice", thrown: nil, problem: .libraryFailure),
    Act(name: "decode-needs-more", thrown: .libraryFailure),
    Act(name: "decode-is-not-present", thrown: .libraryFailure),
    Act(name: "decode-fails-silently", thrown: .malformed, says: "no reason"),
    Act(name: "decode-cancels-itself", thrown: .cancelled),
    Act(name: "decode-is-cut", thrown: nil, problem: .truncated),
    Act(name: "metadata-of-a-terabyte", thrown: nil),
    Act(name: "metadata-nowhere", thrown: nil),
    Act(name: "metadata-needs-more", thrown: nil),
    Act(name: "properties-20-deep", thrown: nil),
    Act(name: "properties-end-first", thrown: nil),
  ]

  @Test(arguments: acts, [false, true]) func hasAName(_ act: Act, asThumbnail: Bool) throws {
    var options = asThumbnail ? DecodeOptions.thumbnail(width: 4, height: 4) : DecodeOptions()
    options.firstFrameOnly = false
    do throws(CoderError) {
      let image = try UnrulyPlugin.byFile.registry.decode(UnrulyPlugin.file(act.name), options: options)
      #expect(act.thrown == nil, "\(image.problem as Any)")
      #expect(image.problem?.code == act.problem)
      #expect(image.size == (asThumbnail ? Size(width: 4, height: 3) : Size(width: 8, height: 6)))
      if let problem = image.problem { #expect(problem.message.contains(act.says)) }
    } catch {
      #expect(error.code == act.thrown, "\(error)")
      #expect(error.message.contains(act.says), "\(error)")
      #expect(!error.message.isEmpty && !error.message.contains("\n") && error.message.utf8.count <= 1_600)
      #expect(error.coder == UnrulyPlugin.id)
    }
  }

  @Test func rowsThatWereNeverWrittenAreEmpty() throws {
    for act in ["rows-half", "rows-half-any-order", "decode-is-cut"] {
      let image = try UnrulyPlugin.byFile.registry.decode(UnrulyPlugin.file(act))
      for y in 0..<6 {
        let expected = [UInt8](repeating: y < 3 ? 7 : 0, count: 32)
        #expect(image.pixels.withRow(y) { [UInt8]($0) } == expected, "row \(y) of \(act)")
      }
    }
  }

  /// Without this, such rows show what the memory held before.
  @Test func rowsThatAreReportedAndNotWrittenAreClear() throws {
    for format in [PixelFormat.rgba8, .bgra8] {
      for _ in 1...20 {
        let dirt = try PixelBuffer(size: Size(width: 8, height: 6), format: format, alpha: .straight)
        for y in 0..<6 { dirt.withMutableRow(y) { row in for index in row.indices { row[index] = 0xEE } } }
      }
      var options = DecodeOptions()
      options.pixelFormat = format
      let image = try UnrulyPlugin.byFile.registry.decode(UnrulyPlugin.file("done-unwritten"), options: options)
      for y in 0..<6 { #expect(image.pixels.withRow(y) { [UInt8]($0) } == [UInt8](repeating: 0, count: 32)) }
    }
  }

  @Test func memoryThatIsLeftIsNamedAndFreed() throws {
    let said = Mutex<[String]>([])
    var options = DecodeOptions()
    options.log = { severity, message in said.withLock { $0.append("\(severity): \(message)") } }
    _ = try UnrulyPlugin.byFile.registry.decode(UnrulyPlugin.file("leaves-memory"), options: options)
    #expect(said.withLock { $0 } == ["warning: the coder left 2 blocks of 1024 bytes at close"])
  }

  @Test func aLibraryIsAskedOnceInAProcess() throws {
    let first = UnrulyPlugin("COUNTS")
    let second = CoderRegistry(searchPath: .only([first.path]), preferences: CoderPreferences())
    for registry in [first.registry, second] {
      let entry = try #require(registry.catalog.entries.first { $0.id == UnrulyPlugin.id })
      _ = try registry.coder(UnrulyPlugin.id)
      #expect(try LoadedPlugin(entry).version == "1")
    }
  }

  @Test func rowsThatAreGrantedTogetherMayBeDoneOneByOne() throws {
    for format in [PixelFormat.rgba8, .bgra8] {
      var options = DecodeOptions()
      options.pixelFormat = format
      let image = try UnrulyPlugin.byFile.registry.decode(UnrulyPlugin.file("done-in-pieces"), options: options)
      for y in 0..<6 {
        let expected = [UInt8](repeating: UInt8(y * 10 + 5), count: 32)
        #expect(image.pixels.withRow(y) { [UInt8]($0) } == expected, "row \(y) as \(format)")
      }
    }
  }

  @Test(arguments: ["metadata-of-a-terabyte": CoderError.Code.limitExceeded, "metadata-needs-more": .libraryFailure])
  func metadataHasAName(_ act: String, _ code: CoderError.Code) throws {
    let decoder = try UnrulyPlugin.byFile.registry.open(UnrulyPlugin.file(act))
    let error = #expect(throws: CoderError.self) { try decoder.metadata(.xmp) }
    #expect(error?.code == code)
  }

  @Test func propertiesAreAtMostEightDeep() throws {
    let decoder = try UnrulyPlugin.byFile.registry.open(UnrulyPlugin.file("properties-20-deep"))
    var properties = try decoder.properties()
    var depth = 0
    while case .dictionary(let inner)? = properties["deep"] {
      properties = inner
      depth += 1
    }
    #expect(depth == 8)
    let ended = try UnrulyPlugin.byFile.registry.open(UnrulyPlugin.file("properties-end-first"))
    #expect(try ended.properties()["PixelWidth"] == .integer(8))
  }

  @Test func strangeOptionsAreNotOffered() throws {
    #expect(try UnrulyPlugin.byFile.registry.coder(UnrulyPlugin.id).options.map(\.name) == ["plain", "cut"])
  }

  @Test func aWriterThatAcceptsNoKnownFormatHasAName() throws {
    let picture = try PixelBuffer(size: Size(width: 2, height: 2), format: .rgba8, alpha: .straight)
    picture.clear(rows: 0..<2)
    let format = ImageFormat(rawValue: "org.example.unruly")
    let error = #expect(throws: CoderError.self) {
      try UnrulyPlugin.byFile.registry.encode(Image(picture), as: format)
    }
    #expect(error?.code == .libraryFailure)
    #expect(error?.message.contains("77") == true)
  }

  @Test(arguments: [
    ("WRONG_MAGIC", SkipReason.Code.entryInvalid, "does not begin"), ("WRONG_MAJOR", .abiUnsupported, "version 2"),
    ("NO_ENTRY", .entryMissing, "imgcoder_entry_v1"), ("NO_DESCRIBE", .entryInvalid, "describe"),
    ("REFUSES", .refused, "libunruly 3 is needed"), ("REFUSES_SILENTLY", .refused, "no reason"),
    ("OTHER_ID", .idMismatch, "org.example.other"), ("UNDEFINED_SYMBOL", .loadFailed, "nobody_defines_this"),
    ("NO_INFO", .coderInvalid, "has no info"), ("NO_NEGOTIATE", .coderInvalid, "has no negotiate"),
    ("NO_DECODE", .coderInvalid, "has no decode"), ("NO_CLOSE", .coderInvalid, "has no close"),
    ("EMPTY_TABLE", .coderInvalid, "of 0 bytes has no open, info, frame_info, negotiate, decode, close"),
    ("NO_ADD_FRAME", .coderInvalid, "has no add_frame"),
    ("NOTHING", .coderInvalid, "neither a reader nor a writer"),
    ("SIZE_0", .coderInvalid, "struct_size is 0, 88 is the least"),
    ("SIZE_16", .coderInvalid, "struct_size is 16, 88 is the least"),
    ("ENDLESS_ID", .coderInvalid, "id has 18446744073709551615 bytes, 1048576 are allowed"),
    ("NULL_OPTIONS", .coderInvalid, "11 options at a null address"),
  ])
  func aLibraryThatCannotBeUsedSaysWhy(_ variant: String, _ code: SkipReason.Code, _ says: String) {
    let plugin = UnrulyPlugin(variant)
    for _ in 1...2 {
      let error = #expect(throws: CoderError.self) { try plugin.registry.coder(UnrulyPlugin.id) }
      #expect(error?.code == .pluginRejected)
      #expect(error?.message.hasPrefix("\(code.rawValue): ") == true, "\(error as Any)")
      #expect(error?.message.contains(says) == true, "\(error as Any)")
    }
    let error = #expect(throws: CoderError.self) { try plugin.registry.decode(UnrulyPlugin.file("nothing")) }
    #expect(error?.code == .pluginRejected)
  }
}
