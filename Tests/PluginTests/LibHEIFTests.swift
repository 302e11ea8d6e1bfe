// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderModel
import ImageCoderTesting
import ImageCoders
import TestSupport
import Testing

/// The HEIF coder over libheif: what it reads by itself, and that it agrees with our own.
@Suite(.needs("AVIF", "HEIF", "LibHEIF")) struct LibHEIFTests {
  static let own = "org.imagecoders.heif"
  static let libheif = "org.imagecoders.heif.libheif"

  /// What libheif 1.15, or this coder, does not read of our own coder's test pictures, and why.
  static let refused = [
    "grid.heic": "a grid without ispe", "grid-trimmed.heic": "a grid without ispe",
    "grid-rotated.heic": "a grid without ispe", "grid-of-rotated.heic": "a grid without ispe",
    "identity.heic": "an identity picture without ispe", "overlay.heic": "an overlay",
    "hidden-primary.heic": "a hidden primary item", "tone-map-primary.heic": "a tone map as the primary item",
  ]

  /// Claims of the kit that do not hold, and why.
  static let exceptions = [
    "same question, same answer": "reads all test pictures", "eight decoders at once": "reads all test pictures",
    "refuses brand-mif1.avif": "AV1 under the brand mif1 is what this coder adds",
    "grid-huge.heic": "a grid without ispe", "thumbnails-strange.heic": "a thumbnail of a thumbnail is an error",
  ]

  /// Claims that hold for any reader; our own coder's answers are not those of this one, which gives upright pictures.
  static let checks = CoderConformance(
    pluginDirectory: StagedTree.plugins, id: libheif, fixtures: StagedTree.fixtures("heif")
  ).checks.filter { check in
    [.loading, .interface, .signature, .truncation, .chunkedInput, .limits, .concurrency, .poison, .cancellation]
      .contains(check.family) && !isSequence(check.subject) && refused[check.subject] == nil
      && exceptions[check.subject] == nil
  }

  static let readNames = names("valid").filter { refused[$0] == nil && exceptions[$0] == nil && !isSequence($0) }
  static let invalidNames = names("invalid").filter { !isSequence($0) }

  /// Whether a fixture is an image sequence or has uncompressed samples, which our own coder alone reads.
  private static func isSequence(_ name: String) -> Bool { name.hasSuffix(".heics") || name.hasPrefix("unci-") }

  /// Stills; another brand, matrix coefficients that libheif does not convert by, boxes up to the end, tone maps, overlays,
  /// alpha beside tiles, properties of a repeated item, and thumbnails of thumbnails are not for this coder.
  static let avifNames = names("valid", of: "avif").filter {
    !$0.hasPrefix("sequence") && !$0.hasPrefix("open-") && !$0.hasPrefix("matrix-constant-luminance")
      && !$0.hasPrefix("matrix-ycgco")
      && ![
        "brand-miaf.avif", "tone-map.avif", "identity.avif", "grid-tile-alpha.avif",
        "overlay.avif", "overlay-clear.avif", "thumbnails-strange.avif",
      ].contains($0)
  }

  private static func names(_ kind: String, of format: String = "heif") -> [String] {
    Command.run("cd '\(StagedTree.fixtures(format))/\(kind)' && ls").output.split(separator: "\n").map(String.init)
  }

  /// A registry that prefers one of the two coders.
  private static func registry(preferring id: String? = nil, without other: String? = nil) -> CoderRegistry {
    // A second reader over a C library is tried in a worker.
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    var preferences = CoderPreferences()
    if let id { preferences.priorities[id] = 200 }
    if let other { preferences.disabled.insert(other) }
    return CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: preferences)
  }

  private static func bytes(_ path: String, of format: String = "heif") throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(StagedTree.fixtures(format))/\(path)")))
  }

  /// Pages upright, in 16 bits per channel.
  private struct Answer {
    var primaryPage = 0
    var sizes: [Size] = []
    var bits: [Int] = []
    var alpha: [AlphaMode] = []
    var metadata: [[MetadataKind: [UInt8]]] = []
    var subsampling: [Subsampling?] = []
    var pixels: [[UInt16]] = []

    /// Whether all but the samples and the subsampling, which libheif does not tell, is the same.
    func isAlike(_ other: Answer) -> Bool {
      primaryPage == other.primaryPage && sizes == other.sizes && bits == other.bits && alpha == other.alpha
        && metadata == other.metadata
    }

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
      answer.subsampling.append(decoder.header.subsampling)
      answer.pixels.append(
        (0..<image.pixels.size.height).flatMap { y in
          image.pixels.withRow(y) { Array($0.bindMemory(to: UInt16.self)) }
        })
      answer.metadata.append(image.metadata)
    }
    return answer
  }

  @Test(arguments: checks) func passes(_ check: ConformanceCheck) throws { try check.run() }

  @Test(arguments: readNames) func agreesWithOurOwnCoder(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)")
    let (own, other) = (try Self.answer(bytes, of: Self.own), try Self.answer(bytes, of: Self.libheif))
    #expect(own.isAlike(other))
    #expect(own.difference(from: other) == 0)
  }

  /// libheif counts on ispe, which the test pictures' derived items lack.
  static let derived = [
    ("grid.heic", 5, Size(width: 128, height: 128)), ("grid-trimmed.heic", 5, Size(width: 100, height: 70)),
    ("grid-rotated.heic", 5, Size(width: 100, height: 70)), ("grid-of-rotated.heic", 3, Size(width: 128, height: 64)),
    ("identity.heic", 2, Size(width: 40, height: 50)),
  ]

  @Test(arguments: derived)
  func agreesOnDerivedPicturesThatStateTheirSize(_ name: String, _ item: Int, _ size: Size) throws {
    let bytes = BoxEdit.stating(size, ofItem: item, in: try Self.bytes("valid/\(name)"))
    let (own, other) = (try Self.answer(bytes, of: Self.own), try Self.answer(bytes, of: Self.libheif))
    #expect(own.isAlike(other))
    #expect(own.difference(from: other) == 0)
  }

  @Test(arguments: refused.keys.sorted()) func leavesToOurOwnCoderWhatItDoesNotRead(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)")
    #expect(throws: CoderError.self) { try Self.registry(without: Self.own).open(.bytes(bytes)) }
    #expect(Self.code(of: bytes, without: Self.own) == .unsupported)
    #expect(try Self.registry(preferring: Self.libheif).open(.bytes(bytes)).coderID == Self.own)
  }

  /// Cut and broken files end in an error that blames the file.
  @Test(arguments: invalidNames) func invalidFilesAreAnswered(_ name: String) throws {
    let code = try #require(Self.code(of: try Self.bytes("invalid/\(name)"), without: Self.own))
    #expect([.file, .unsupported, .limits].contains(code.group))
    if name.hasPrefix("cut-") { #expect(code == .truncated) }
  }

  @Test func isChosenWhenPreferredOrAlone() throws {
    let bytes = try Self.bytes("valid/rgb-lossless.heic")
    #expect(try Self.registry().open(.bytes(bytes)).coderID == Self.own)
    #expect(try Self.registry(preferring: Self.libheif).open(.bytes(bytes)).coderID == Self.libheif)
    #expect(try Self.registry(without: Self.own).open(.bytes(bytes)).coderID == Self.libheif)
  }

  /// AV1 in a file that does not name AVIF: nothing for our own coder, whether alone or as the tiles of a grid.
  @Test(arguments: [("8bit-444.avif", CoderError.Code.wrongFormat), ("grid.avif", .unsupported)])
  func isTriedAfterOurOwnCoder(_ name: String, _ expected: CoderError.Code) throws {
    let bytes = Self.withoutAVIFBrand(try Self.bytes("valid/\(name)", of: "avif"))
    #expect(Self.code(of: bytes, without: Self.libheif) == expected)
    #expect(try Self.registry().open(.bytes(bytes)).coderID == Self.libheif)
  }

  @Test(arguments: avifNames) func agreesWithOurAVIFCoder(_ name: String) throws {
    let bytes = try Self.bytes("valid/\(name)", of: "avif")
    let own = try Self.answer(bytes, of: "org.imagecoders.avif")
    let other = try Self.answer(Self.withoutAVIFBrand(bytes), of: Self.libheif)
    #expect(own.isAlike(other))
    // libavif interpolates chroma samples, libheif repeats them; libheif takes luma of gray pictures as full range.
    let isInterpolated = own.subsampling.contains { $0 != .s444 && $0 != .s400 }
    if !isInterpolated, name != "gray-limited-range.avif" { #expect(own.difference(from: other) <= 1) }
  }

  @Test func severalDecodersGiveWhatOneGives() async throws {
    let bytes = try Self.bytes("valid/lossy-420.heic")
    let alone = try Self.answer(bytes, of: Self.libheif).pixels
    try await withThrowingTaskGroup(of: [[UInt16]].self) { group in
      for _ in 0..<8 { group.addTask { try Self.answer(bytes, of: Self.libheif).pixels } }
      for try await pixels in group { #expect(pixels == alone) }
    }
  }

  /// Changed bytes end in an image or in an error that blames the file.
  @Test func mutantsAreAnswered() throws {
    let registry = Self.registry(without: Self.own)
    let files =
      try Self.readNames.map { try Self.bytes("valid/\($0)") }
      + Self.derived.map { BoxEdit.stating($0.2, ofItem: $0.1, in: try Self.bytes("valid/\($0.0)")) }
    let count = Int(ProcessInfo.processInfo.environment["MUTANTS"] ?? "") ?? 2_000
    for number in 0..<count {
      var random = SplitMix(seed: 0x11B_4E1F &+ UInt64(number))
      var bytes = files[number % files.count]
      for _ in 0...random.below(3) {
        Mutation.allCases[random.below(Mutation.allCases.count)].apply(to: &bytes, &random)
      }
      var options = DecodeOptions()
      options.limits = Limits(maxPixels: 1 << 20, maxMemory: 64 << 20, maxFrames: 500)
      do throws(CoderError) {
        _ = try registry.decode(.bytes(bytes), options: options)
      } catch {
        #expect([.file, .unsupported, .limits].contains(error.code.group), "mutant \(number): \(error)")
      }
    }
  }

  private static func code(of bytes: [UInt8], without id: String) -> CoderError.Code? {
    do throws(CoderError) {
      return try registry(without: id).decode(.bytes(bytes)).problem?.code
    } catch {
      return error.code
    }
  }

  /// The same file under the brand mif1, which every picture may have.
  private static func withoutAVIFBrand(_ bytes: [UInt8]) -> [UInt8] {
    var renamed = bytes
    for index in stride(from: 8, to: Int(bytes[3]), by: 4)
    where renamed[index..<(index + 4)].elementsEqual("avif".utf8) {
      renamed.replaceSubrange(index..<(index + 4), with: "mif1".utf8)
    }
    return renamed
  }
}
