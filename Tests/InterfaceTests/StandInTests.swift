// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Reads files that begin with two letters, of one gray pixel.
private class LetterReader: ReaderSession {
  fileprivate let letters: [UInt8]

  init(_ source: SourceView) throws(CoderError) { letters = Array(try source.view(at: 0, count: 4)) }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    ImageHeader(
      format: StandInTests.plain, canvas: Size(width: 1, height: 1), pixelFormat: .gray8, bitsPerChannel: 8,
      alpha: .opaque)
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1))
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(request, size: Size(width: 1, height: 1), pixelFormat: .gray8, alpha: .opaque)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) { try sink.done(at: 0) }
}

/// Shows a stand-in for files whose third letter is a B, C or O, and says that it is lossless.
private final class PlainReader: LetterReader, ContainerReader {
  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) { try super.init(source) }

  override func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = try super.header(page: page)
    header.isLossless = true
    header.standsIn = "BCO".utf8.contains(letters[2])
    return header
  }
}

/// Reads files whose fourth letter is a B.
private final class KindReader: LetterReader, ContainerReader {
  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    try super.init(source)
    guard letters[3] == UInt8(ascii: "B") else { throw .wrongFormat("no B") }
  }

  override func header(page: Int) throws(CoderError) -> ImageHeader {
    var header = try super.header(page: page)
    header.format = StandInTests.kind
    return header
  }
}

private let plainCoder = PluginExport(id: "org.example.plain", version: "1.0.0", reader: PlainReader.self)
private let kindCoder = PluginExport(id: "org.example.kind", version: "1.0.0", reader: KindReader.self)

/// Coders through the interface: one that shows a stand-in, and one that reads what the first cannot.
@Suite struct StandInTests {
  static let plain = ImageFormat(rawValue: "org.example.plain-picture")
  static let kind = ImageFormat(rawValue: "org.example.kind-of-it")

  private static func manifest(_ id: String, _ format: String) -> [UInt8] {
    let json = """
      {"id": "\(id)", "name": "A", "version": "1.0.0", "abi": {"major": 1}, "library": "liba.so",
       "formats": [\(format)], "capabilities": ["read"]}
      """
    return Array(json.utf8)
  }

  private static let plainManifest = manifest(
    "org.example.plain",
    """
    {"uti": "org.example.plain-picture", "match": [{"bytes": "4141"}], "dialects": [
      {"uti": "org.example.kind-of-it", "name": "kind of it", "match": [{"bytes": "414142"}]},
      {"uti": "org.example.other", "name": "Other raw", "match": [{"bytes": "41414f"}, {"bytes": "4f4f"}]}]}
    """)

  private static let kindManifest = manifest(
    "org.example.kind",
    """
    {"uti": "org.example.kind-of-it", "refines": ["org.example.plain-picture"],
     "match": [{"bytes": "4141", "and": [{"offset": 2, "bytes": "42"}]}]}
    """)

  private static func registry(withKind: Bool, policy: SecurityPolicy = .standard) -> CoderRegistry {
    var coders = [BuiltInCoder(manifest: plainManifest) { _ in plainCoder.table }]
    if withKind { coders.append(BuiltInCoder(manifest: kindManifest) { _ in kindCoder.table }) }
    return CoderRegistry(builtIn: coders, searchPath: .only([]), preferences: CoderPreferences(), policy: policy)
  }

  private static func open(
    _ text: String, _ registry: CoderRegistry
  ) throws -> (header: ImageHeader, coder: String, warnings: [String]) {
    let warnings = Mutex<[String]>([])
    var options = DecodeOptions()
    options.log = { severity, message in if severity == .warning { warnings.withLock { $0.append(message) } } }
    let decoder = try registry.open(.bytes(Array(text.utf8)), options: options)
    return (decoder.header, decoder.coderID, warnings.withLock { $0 })
  }

  @Test func oneWarningNamesTheKindThatNobodyReads() throws {
    let registry = Self.registry(withKind: false)
    let found = try Self.open("AABB", registry)
    #expect(found.header.standsIn && !found.header.isLossless)
    #expect(
      found.warnings == [
        "shows the preview of a kind of it file; no coder for org.example.kind-of-it is installed"
      ])
    #expect(
      try Self.open("AAOO", registry).warnings == [
        "shows the preview of an Other raw file; no coder for org.example.other is installed"
      ])
    #expect(
      try Self.open("AACC", registry).warnings == [
        "shows a picture that stands in for what org.example.plain does not read"
      ])
    let plain = try Self.open("AAAA", registry)
    #expect(plain.header.isLossless && !plain.header.standsIn && plain.warnings == [])
  }

  @Test func theCoderOfTheKindReadsItWithoutAWarning() throws {
    let found = try Self.open("AABB", Self.registry(withKind: true))
    #expect(found.coder == "org.example.kind" && found.warnings == [])
    #expect(found.header.format == Self.kind)
  }

  @Test func aCoderThatRefusesAFileStepsBack() throws {
    let registry = Self.registry(withKind: true)
    var steps: [SelectionStep] = []
    let decoder = try registry.open(.bytes(Array("AABA".utf8))) { steps.append($0) }
    #expect(decoder.coderID == "org.example.plain")
    #expect(
      steps.map { "\($0.coder ?? "") \($0.code.rawValue): \($0.message)" } == [
        """
        org.example.kind identified: by 24 bits of its signature, refines org.example.plain-picture, before \
        org.example.plain, priority 100
        """,
        "org.example.plain identified: by 16 bits of its signature, priority 100",
        "org.example.kind failed: wrongFormat: no B",
        "org.example.plain fallback: is tried next",
        "org.example.plain chosen: reads the file",
      ])
  }

  @Test func aCoderOfTheKindThatRefusesAFileIsNamed() throws {
    let found = try Self.open("AABA", Self.registry(withKind: true))
    #expect(found.coder == "org.example.plain")
    #expect(
      found.warnings == ["shows the preview of a kind of it file, which org.example.kind refused: no B"])
  }

  @Test func aPolicyWithoutTheKindWarns() throws {
    var policy = SecurityPolicy.standard
    policy.formats = .init([Self.plain])
    let found = try Self.open("AABB", Self.registry(withKind: true, policy: policy))
    #expect(found.coder == "org.example.plain")
    #expect(
      found.warnings == [
        "shows the preview of a kind of it file; no coder that may be used reads org.example.kind-of-it"
      ])
  }

  @Test func anErrorNamesAKindThatNobodyReads() {
    let error = #expect(throws: CoderError.self) { try Self.open("OOOO", Self.registry(withKind: false)) }
    #expect(error?.code == .noCoder)
    #expect(error?.message == "no coder of 1 reads org.example.other, an Other raw file")
  }
}
