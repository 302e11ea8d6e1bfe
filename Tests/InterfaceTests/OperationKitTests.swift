// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import ImageCoders
import TestSupport
import Testing

/// Reads files that begin with KIT and a space, of one gray pixel.
private final class KitReader: ContainerReader {
  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    let bytes = try source.view(at: 0, count: 4)
    guard Array(bytes) == Array("KIT ".utf8) else { throw .wrongFormat("no KIT") }
  }

  func header(page: Int) throws(CoderError) -> ImageHeader {
    ImageHeader(
      format: OperationKitTests.format, canvas: Size(width: 1, height: 1), pixelFormat: .gray8, bitsPerChannel: 8,
      alpha: .opaque)
  }

  func frame(_ index: Int, page: Int) throws(CoderError) -> FrameHeader {
    FrameHeader(rect: Rect(x: 0, y: 0, width: 1, height: 1))
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    DecodeOffer(request, size: Size(width: 1, height: 1), pixelFormat: .gray8, alpha: .opaque)
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    try sink.done(at: 0)
  }
}

/// Writes what it was asked for, as text.
private let kit = PluginExport(
  id: "org.example.kit", version: "1.0.0", reader: KitReader.self,
  operations: [
    ContainerOperation(OperationKitTests.describing) { (operation, context) throws(CoderError) in
      let values = operation.values.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      let blocks = operation.blocks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.count)" }
      var inner = Properties()
      inner["Bytes"] = .integer(Int64(context.source.size))
      context.facts["{Kit}"] = .dictionary(inner)
      context.facts["Words"] = .list([.text("\(context.from)"), .text("\(context.to)")])
      if operation.blocks["mark"] == [0] { throw .unsupported("a mark of one zero") }
      try context.output.write(Array((values + blocks).joined(separator: ", ").utf8))
      if context.asksOnly { context.facts["Asked"] = .integer(1) }
    },
    .readMetadata([.iptc, .xmp], of: [OperationKitTests.format]) { (context, kind) throws(CoderError) in
      kind == .iptc ? nil : Array("the \(kind.rawValue)".utf8)
    },
    .turn(of: [OperationKitTests.format]) { (context, part) throws(CoderError) in
      let rect = try part.rect(in: Size(width: 10, height: 8))
      try context.output.write(Array("\(rect.size) at \(rect.x),\(rect.y) \(part.orientation.rawValue)".utf8))
    },
  ])

/// Operations written in Swift, called through the interface of C.
@Suite struct OperationKitTests {
  static let format = ImageFormat(rawValue: "org.example.kit")

  static let describing = OperationDescription(
    name: "org.example.describe", text: "Write what was asked for.",
    formats: [.init(from: format), .init(from: format, to: .png)],
    options: [
      OptionDescription(name: "level", text: "A number.", kind: .integer(1...9, default: 5)),
      OptionDescription(name: "mode", text: "A word.", kind: .choice(["slow", "fast"], default: 0)),
      OptionDescription(name: "note", text: "A text.", kind: .text(maximumBytes: 20, default: "")),
      OptionDescription(name: "on", text: "A switch.", kind: .boolean(default: false)),
      OptionDescription(name: "share", text: "A part.", kind: .number(0...1, default: 0.5)),
    ],
    blocks: ["mark", "other"])

  private static let manifest = """
    {"id": "org.example.kit", "name": "Kit", "version": "1.0.0", "abi": {"major": 1}, "library": "libkit.so",
     "formats": [{"uti": "org.example.kit", "match": [{"bytes": "4b495420"}]}], "capabilities": ["read"],
     "operations": [
       {"name": "org.example.describe", "text": "Write what was asked for.",
        "from": ["org.example.kit", "org.example.kit"], "to": ["org.example.kit", "public.png"],
        "options": [
          {"name": "level", "type": "integer", "minimum": 1, "maximum": 9, "default": 5, "text": "A number."},
          {"name": "mode", "type": "choice", "choices": ["slow", "fast"], "default": "slow", "text": "A word."},
          {"name": "note", "type": "text", "maximum": 20, "default": "", "text": "A text."},
          {"name": "on", "type": "boolean", "default": false, "text": "A switch."},
          {"name": "share", "type": "number", "minimum": 0, "maximum": 1, "default": 0.5, "text": "A part."}],
        "blocks": ["mark", "other"]},
       {"name": "read-metadata", "from": ["org.example.kit"], "takes_out": true, "options": [
          {"name": "kind", "type": "choice", "choices": ["iptc", "xmp"], "default": "iptc"}]},
       {"name": "turn", "from": ["org.example.kit"], "options": [
          {"name": "orientation", "type": "integer", "minimum": 1, "maximum": 8, "default": 1},
          {"name": "x", "type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0},
          {"name": "y", "type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0},
          {"name": "width", "type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0},
          {"name": "height", "type": "integer", "minimum": 0, "maximum": 4294967295, "default": 0}]}]}
    """

  private let registry = CoderRegistry(
    builtIn: [BuiltInCoder(manifest: Array(manifest.utf8)) { _ in kit.table }], searchPath: .only([]),
    preferences: CoderPreferences())
  private let file = ByteSource.bytes(Array("KIT file".utf8))

  private func text(_ operation: FileOperation, as format: ImageFormat? = nil) throws -> String {
    String(decoding: try #require(try registry.apply(operation, to: file, as: format).file).bytes, as: UTF8.self)
  }

  @Test func theTableSaysWhatTheManifestSays() throws {
    #expect(registry.operations().map(\.operation.name) == ["org.example.describe", "read-metadata", "turn"])
    #expect(registry.operations().first?.operation == Self.describing)
    #expect(try registry.coder("org.example.kit").operations.first == Self.describing)
  }

  @Test func valuesAndBlocksArriveAsTheyWere() throws {
    var operation = FileOperation("org.example.describe")
    // An empty file would take the place of one that is there.
    #expect {
      try text(operation)
    } throws: { ($0 as? CoderError)?.message == "the coder wrote no file" }
    operation.values = [
      "level": .word("3"), "mode": .word("fast"), "note": .word("ä b"), "on": .boolean(true), "share": .number(0.25),
    ]
    operation.blocks = ["mark": [1, 2, 3], "other": []]
    #expect(
      try text(operation)
        == "level 3, mode 1, note \"ä b\", on 1, share 0.25, mark 3, other 0"
    )
  }

  private static let marking = FileOperation("org.example.describe", blocks: ["mark": [1]])

  @Test func factsArriveWithTheirStructure() throws {
    let facts = try registry.apply(Self.marking, to: file, as: .png).facts
    guard case .dictionary(let inner)? = facts["{Kit}"] else { throw CoderError.libraryFailure("no dictionary") }
    #expect(inner["Bytes"] == .integer(8))
    #expect(facts["Words"] == .list([.text("org.example.kit"), .text("public.png")]))
    #expect(facts["Asked"] == nil)
    let answer = try registry.ask(FileOperation("org.example.describe"), of: file)
    #expect(answer.facts["Asked"] == .integer(1))
  }

  @Test func aRefusalHasFacts() throws {
    let answer = try registry.ask(FileOperation("org.example.describe", blocks: ["mark": [0]]), of: file)
    #expect(answer.refusal?.code == .unsupported)
    #expect(answer.refusal?.message == "a mark of one zero")
    #expect(answer.facts["Words"] != nil)
  }

  @Test func knownOperationsHaveTypedArguments() throws {
    #expect(try text(.turn(TurnedPart(Rect(x: 2, y: 1, width: 0, height: 3), orientation: .right))) == "8×3 at 2,1 6")
    #expect(try text(FileOperation("turn")) == "10×8 at 0,0 1")
    #expect(try text(.readMetadata(.xmp)) == "the xmp")
    #expect(try registry.apply(.readMetadata(.iptc), to: file).file == nil)
    #expect {
      try registry.apply(.turn(TurnedPart(Rect(x: 9, y: 0, width: 2, height: 1), orientation: .up)), to: file)
    } throws: { ($0 as? CoderError)?.code == .invalidArgument }
  }
}
