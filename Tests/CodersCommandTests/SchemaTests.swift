// SPDX-License-Identifier: Apache-2.0

import ImageCaching
import ImageCoders
import TestSupport
import Testing

/// What each verb prints with --json follows its schema in `Registry/schema`, and a changed output does not.
@Suite struct SchemaTests {
  static let verbs = [
    "animate", "apply", "cache", "check", "compare", "convert", "doctor", "frames", "hash", "list", "metadata", "new",
    "operations", "options", "parts", "placeholder", "plugin", "policy", "probe", "sheet", "stream", "thumbnail",
  ]

  private let folder = TemporaryFolder()

  private func value(_ text: String) throws -> JSONValue {
    try JSONValue(parsing: Array(text.utf8), maxBytes: 1 << 24)
  }

  /// The output of a verb, once it follows its schema.
  @discardableResult
  private func checked(
    _ arguments: [String], plugins: String? = Package.plugins, executable: String = Package.command,
    environment: [String: String] = [:], status: Int32 = 0, _ location: SourceLocation = #_sourceLocation
  ) throws -> JSONValue {
    let words = [arguments[0], "--json"] + arguments.dropFirst()
    // The checks of `coders check` are processes of the command.
    let run =
      arguments[0] == "check" && !arguments.contains("--list")
      ? Run.binary(words) : Run.inProcess(words, plugins: plugins, executable: executable, environment: environment)
    #expect(run.status == status, "\(words): \(run.errors)", sourceLocation: location)
    let value = try value(run.output)
    let problems = try JSONSchema(named: "coders-\(arguments[0])-1").problems(in: value)
    #expect(problems == [], "\(words)", sourceLocation: location)
    return value
  }

  /// The changes of an output that its schema allows.
  private func allowedChanges(_ value: JSONValue, _ verb: String) throws -> [String] {
    let schema = try JSONSchema(named: "coders-\(verb)-1")
    let changes = try ChangedValue.all(of: value)
    #expect(Set(changes.map { $0.name.prefix { $0 != " " } }) == ["added", "missing", "replaced"])
    return changes.filter { schema.problems(in: $0.value).isEmpty }.map(\.name)
  }

  private func cut(_ name: String, at share: Double) throws -> String {
    let bytes = try Package.bytes(try Fixture.path(name))
    return folder.write(Array(bytes.prefix(Int(Double(bytes.count) * share))), to: "cut-\(name)")
  }

  // MARK: Verbs

  /// Stills, animations, pages, damaged and truncated files, each with the choice of its coder.
  @Test(arguments: StagedTree.fixtureFormats)
  func probeOfAllFixtures(_ format: String) throws {
    for kind in ["valid", "invalid"] {
      let path = "\(StagedTree.fixtures(format))/\(kind)"
      let files = Folder.names(in: path).filter { !$0.hasSuffix(".txt") }.map { "\(path)/\($0)" }
      for file in files {
        let run = Run.inProcess("probe", "--json", "--explain", file)
        let problems = try JSONSchema(named: "coders-probe-1").problems(in: try value(run.output))
        #expect(problems == [], "\(file)")
      }
    }
  }

  @Test func probe() throws {
    let files = ["window.png", "comet-alpha.webp", "pages.tiff", "icon.ico", "landscape-orientation-6.jpg"]
    let value = try checked(
      ["probe", "--explain"] + files.map(Fixture.path) + ["\(folder.path)/none", try cut("window.png", at: 0.5)],
      status: 5)
    #expect(value["files"]?.items.count == 7)
    #expect(
      try allowedChanges(value, "probe")
        == [
          "missing files[].choice", "missing files[].metadata.exif", "replaced files[].metadata",
          "replaced files[].properties", "replaced files[].pages[].properties", "replaced files[].frames[].properties",
        ].sorted())
    let limited = try checked(["probe", "--max-side", "100", try Fixture.path("window.png")], status: 3)
    #expect(limited["files"]?.items.first?["error"]?["code"]?.string == "limitExceeded")
    try checked(["probe", "--quiet", try Fixture.path("window.png")])
  }

  @Test func convert() throws {
    let window = try Fixture.path("window.png")
    let written = try checked(["convert", window, "\(folder.path)/a.jpg", "--quality", "0.5"])
    #expect(try allowedChanges(written, "convert") == [])
    let copied = try checked(["convert", window, "\(folder.path)/a.png"])
    #expect(copied["frames"]?.content == .null)
    // An output that is there already and one that has to be made, a file that is missing and one that ends early.
    try checked(["convert", "-o", "\(folder.path)/out/", "--format", "webp", window])
    let batch = try checked(
      [
        "convert", "-o", "\(folder.path)/out/", "--format", "webp", "--update", "--max-bytes", "9k", "--strict", window,
        try Fixture.path("comet-alpha.gif"), "\(folder.path)/none", try cut("pages.tiff", at: 0.2),
      ], status: 5)
    let states = try #require(batch["files"]).items.map { $0["status"]?.string }
    #expect(states.prefix(3) == ["up_to_date", "written", "failed"])
    #expect(try allowedChanges(batch, "convert") == [])
  }

  @Test func animate() throws {
    let (first, second) = (try Fixture.path("comet-alpha.gif"), try Fixture.path("comet-alpha.webp"))
    let value = try checked(["animate", first, second, "-o", "\(folder.path)/all.webp", "--quality", "0.8"])
    #expect(value["frames"]?.content == .number(60, written: "60"))
    #expect(try allowedChanges(value, "animate") == [])
  }

  @Test func compare() throws {
    let (window, shapes) = (try Fixture.path("window.png"), "\(folder.path)/small.jpg")
    #expect(Run.inProcess("convert", window, shapes, "--quality", "0.5").errors == "")
    let value = try checked(["compare", window, shapes, "--min-ssim", "1"], status: 4)
    #expect(value["within_bounds"]?.content == .boolean(false))
    let same = try checked(["compare", window, window, "--max-difference", "0"])
    #expect(same["psnr"]?.content == .null)
  }

  @Test func parts() throws {
    let value = try checked(["parts", try Fixture.path("pages.tiff")])
    #expect(value["parts"]?.items.count == 2)
    #expect(try allowedChanges(value, "parts") == [])
    try checked(["parts", try Fixture.path("pages.tiff"), "-o", "\(folder.path)/parts"])
    try checked(["compare", "--metadata", try Fixture.path("pages.tiff"), try Fixture.path("window.png")], status: 4)
  }

  @Test func hashAndPlaceholder() throws {
    let window = try Fixture.path("window.png")
    let listed = try checked(["hash", window, "\(folder.path)/none"], status: 5)
    #expect(listed["near"]?.content == .null)
    let near = try checked(["hash", "--near", "3", window, window])
    #expect(near["near"]?.items.count == 1)
    try checked(["placeholder", window, "\(folder.path)/none"], status: 5)
  }

  @Test func cache() throws {
    let path = "\(folder.path)/cache"
    let made = try DiskCache(folder: path)
    try made.put([1, 2, 3], for: "a", kind: .processed)
    let value = try checked(["cache", "stats", "--dir", path])
    #expect(value["bytes"]?.content == .number(4, written: "4"))
    let verified = try checked(["cache", "verify", "--dir", path])
    #expect(verified["verification"]?["clean"]?.content == .boolean(true))
    #expect(try allowedChanges(verified, "cache") == [])
    let cleared = try checked(["cache", "clear", "--kind", "processed", "--dir", path])
    #expect(cleared["removed"]?.content == .number(1, written: "1"))
    try checked(["cache", "trim", "--max-bytes", "0", "--dir", path])
  }

  @Test func sheet() throws {
    let film = try Fixture.path("comet-alpha.gif")
    let packed = try checked(["sheet", film, "-o", "\(folder.path)/film.png"])
    #expect(packed["frames"]?.content == .number(30, written: "30"))
    #expect(try allowedChanges(packed, "sheet") == [])
    let unpacked = try checked(["sheet", "--unpack", "\(folder.path)/film.json", "-o", "\(folder.path)/film.gif"])
    #expect(unpacked["sheet"]?.content == .null)
    #expect(try allowedChanges(unpacked, "sheet") == [])
  }

  @Test(arguments: ["standard", "trusted", "web", "thumbnailer", "paranoid"])
  func policy(_ name: String) throws {
    let value = try checked(["policy", "--policy", name])
    #expect(value["policy"]?.string == name)
    #expect(value["found"]?.string == "argument")
  }

  @Test func policyOfAFile() throws {
    let text = #"{"base": "web", "byFormat": {"png": {"limits": {"maxSide": 9}, "isolation": "strict"}, "pgn": {}}}"#
    let value = try checked(["policy", "--policy", folder.write(text, to: "policy.json")])
    #expect(value["unknownFormats"]?.items.map(\.string) == ["pgn"])
    // Readers in Swift are listed by their identifiers, which may be any.
    let changes = try allowedChanges(value, "policy")
    #expect(changes.allSatisfy { $0.contains("pureSwiftReaders") }, "\(changes)")
    #expect(changes.contains("missing pureSwiftReaders.org.imagecoders.gif"))
  }

  @Test func metadata() throws {
    let photo = try Fixture.path("landscape-orientation-6.jpg")
    let edited = "\(folder.path)/edited"
    let written = try checked(
      ["metadata", "--set", "dc:title=Harbour", "--set", "GPS.Latitude=1.5", "-o", edited, photo, "/none.jpg"],
      status: 5)
    #expect(written["files"]?.items.map { $0["status"]?.string } == ["written", "failed"])
    #expect(try allowedChanges(written, "metadata") == [])
    let shown = try checked(["metadata", "\(edited)/landscape-orientation-6.jpg", "/none.jpg"], status: 5)
    #expect(shown["files"]?.items.first?["properties"]?["{XMP}"]?["dc:title"]?.string == "Harbour")
    #expect(shown["files"]?.items.last?["error"]?["code"]?.string == "io")
  }

  @Test func thumbnail() throws {
    let value = try checked(
      [
        "thumbnail", "--size", "64", "-o", "\(folder.path)/small", "--strict", try Fixture.path("icon.ico"),
        try cut("window.png", at: 0.5), try Fixture.path("shapes-alpha.gif"),
      ], status: 1)
    #expect(value["files"]?.items.map { $0["status"]?.string } == ["written", "failed", "written"])
    #expect(try allowedChanges(value, "thumbnail") == [])
  }

  @Test func frames() throws {
    let animation = try checked(["frames", try Fixture.path("comet-alpha.apng")])
    #expect(try allowedChanges(animation, "frames") == ["replaced frames[].properties"])
    for name in ["pages.tiff", "window.png"] { try checked(["frames", try Fixture.path(name)]) }
    try checked(["frames", try cut("comet-alpha.gif", at: 0.5)])
    let damaged = try checked(["frames", "\(StagedTree.fixtures("ico"))/valid/one-is-broken.ico"])
    #expect(damaged["pages"]?.items.contains { $0["error"] != nil } == true)
    #expect(
      try allowedChanges(damaged, "frames") == ["replaced frames[].properties", "replaced pages[].properties"])
    let written = try checked(["frames", try Fixture.path("pages.tiff"), "-o", "\(folder.path)/pages"])
    #expect(written["written"]?.items.count == 3)
    #expect(try allowedChanges(written, "frames") == [])
  }

  @Test func stream() throws {
    let value = try checked(
      ["stream", "--chunk", "5000", try Fixture.path("comet-alpha.gif"), "-o", "\(folder.path)/steps"])
    #expect(try allowedChanges(value, "stream") == [])
    for name in ["window.png", "landscape-orientation-6.jpg"] {
      try checked(["stream", "--chunk", "300", try cut(name, at: 0.6)], status: 1)
    }
  }

  @Test func list() throws {
    let value = try checked(["list"])
    #expect(value["coders"]?.items.count == Package.coders.count)
    #expect(try allowedChanges(value, "list") == [])
    // A coder of another project that is tried before a bundled one, and one of each common fault.
    let manifest = String(decoding: try Package.bytes("\(Package.plugins)/qoi.imgcoder.json"), as: UTF8.self)
    func write(_ name: String, _ old: String, _ new: String) {
      folder.write(manifest.replacing(old, with: new), to: "lib/coders/1/\(name).imgcoder.json")
    }
    folder.write(try Package.bytes("\(Package.plugins)/libQOICoder.so"), to: "lib/coders/1/libQOICoder.so")
    write("qoi", "", "")
    write("other", "org.imagecoders.qoi", "org.example.qoi")
    write("missing", "libQOICoder.so", "nowhere.so")
    folder.write("{", to: "lib/coders/1/broken.imgcoder.json")
    let mixed = try checked(
      ["list", "--plugin-dir", "/nowhere"], plugins: "\(folder.path)/lib/coders/1",
      executable: folder.write("", to: "bin/coders"),
      environment: ["CODERS_PREFER": "qoi:org.example.qoi", "CODERS_PRIORITY": "org.example.qoi:300"])
    #expect(mixed["not_used"]?.items.count == 2)
    #expect(try allowedChanges(mixed, "list") == [])
  }

  @Test func options() throws {
    let value = try checked(["options"])
    #expect(try allowedChanges(value, "options") == [])
    for format in ["gif", "webp"] { try checked(["options", format]) }
  }

  @Test func operations() throws {
    let value = try checked(["operations"])
    #expect(try allowedChanges(value, "operations") == [])
    try checked(["operations", "misb"], plugins: OperationsCommandTests.plugin.path)
  }

  @Test func apply() throws {
    let source = folder.write(OperationsCommandTests.file(tag: 3), to: "a.misb")
    func applied(_ arguments: [String], status: Int32 = 0) throws -> JSONValue {
      try checked(
        ["apply", "org.example.retag", source] + arguments, plugins: OperationsCommandTests.plugin.path, status: status)
    }
    let written = try applied(["-o", "\(folder.path)/b.misb"])
    #expect(written["bytes"]?.content == .number(22, written: "22"))
    #expect(
      try allowedChanges(written, "apply")
        == ["added facts.new", "missing facts.Tag", "replaced facts", "replaced facts.Tag"])
    #expect(try applied(["--ask"])["error"]?.content == .null)
    let refused = try applied(["--ask", "--value", "tag=10"], status: 64)
    #expect(refused["error"]?["code"]?.string == "invalidArgument")
  }

  @Test func doctor() throws {
    let value = try checked(["doctor"])
    #expect(try allowedChanges(value, "doctor") == [])
    folder.write("{", to: "broken.imgcoder.json")
    try checked(["doctor"], plugins: folder.path, status: 5)
  }

  @Test func new() throws {
    let value = try checked(
      ["new", "sketch", "--lang", "c", "-o", "\(folder.path)/sketch"],
      environment: ["CODERS_TEMPLATES": "\(Package.root)/build/share/coders/templates"])
    #expect(try allowedChanges(value, "new") == [])
  }

  @Test(.enabled(if: PluginHome.isReachable, "other users cannot run the command here"))
  func plugin() throws {
    let home = PluginHome()
    func plugin(_ arguments: String..., status: Int32 = 0) throws -> JSONValue {
      let run = home.run(arguments + ["--json"])
      #expect(run.status == status, "\(run.errors)")
      let value = try value(run.output)
      #expect(try JSONSchema(named: "coders-plugin-1").problems(in: value) == [])
      return value
    }
    let installed = try plugin("install", PluginCommandTests.package.packed(), "--yes")
    #expect(try allowedChanges(installed, "plugin") == [])
    _ = Command.run("cd '\(home.place)/org.example.sketch/'* && echo >>LICENSE")
    let listed = try plugin("list", "--verify", status: 1)
    #expect(listed["plugins"]?.items.first?["changed"]?.items.count == 1)
    #expect(try plugin("types")["types"]?.items.count == 2)
    #expect(try plugin("remove", "org.example.sketch")["kept"]?.items.count == 1)
  }

  @Test func check() throws {
    let list = try checked(["check", "--list"])
    #expect(try allowedChanges(list, "check") == [])
    let plugin = TemporaryFolder()
    _ = Command.run(
      "cp '\(ForeignPlugin.qoi.path)'/* '\(plugin.path)' && sed -i 's/\"1.0.0\"/\"1.0.1\"/' '\(plugin.path)/qoi.imgcoder.json'"
    )
    let sample = "\(StagedTree.fixtures("qoi"))/valid/rgba8.qoi"
    let value = try checked(["check", plugin.path, sample, "--only", "manifest,metadata"], status: 1)
    let outcomes = Set(try #require(value["plugins"]?.items.first?["results"]).items.map { $0["outcome"]?.string })
    #expect(outcomes.isSuperset(of: ["pass", "fail", "skipped"]))
    #expect(try allowedChanges(value, "check") == [])
  }

  // MARK: Schemas

  @Test func eachVerbHasASchema() throws {
    let names = Folder.names(in: "\(Package.root)/Registry/schema").filter { $0.hasPrefix("coders-") }
    #expect(names == Self.verbs.map { "coders-\($0)-1.schema.json" })
    for verb in Self.verbs {
      let schema = try JSONSchema(named: "coders-\(verb)-1").root
      #expect(schema["$id"]?.string == "urn:imagecoders:coders-\(verb):1")
      #expect(schema["title"]?.string == "Output of coders \(verb) --json, version 1")
      let isListed = Run.inProcess(verb, "--help").output.contains("--json")
      #expect(isListed, "\(verb)")
    }
  }

  /// Each schema is whole by itself; what they have in common is the same in all.
  @Test func definitionsOfOneNameAreTheSame() throws {
    var known: [String: (verb: String, definition: String)] = [:]
    for verb in Self.verbs {
      for definition in try JSONSchema(named: "coders-\(verb)-1").root["$defs"]?.members ?? [] {
        let text = JSONText.text(definition.value)
        if let first = known.updateValue((verb, text), forKey: definition.key) {
          #expect(first.definition == text, "\(definition.key) of \(first.verb) and \(verb)")
        }
      }
    }
    #expect(known["error"] != nil && known["option"] != nil)
  }

  @Test(arguments: verbs)
  func objectsAreClosedAndKeysAreDescribed(_ verb: String) throws {
    let root = try JSONSchema(named: "coders-\(verb)-1").root
    var count = 0
    func visit(_ schema: JSONValue, _ path: String) {
      for property in schema["properties"]?.members ?? [] {
        count += 1
        let target = property.value["$ref"]?.string.map { String($0.dropFirst("#/$defs/".count)) }
        let described = target.flatMap { root["$defs"]?[$0] } ?? property.value
        #expect(described["description"]?.string?.isEmpty == false, "\(path).\(property.key)")
        visit(property.value, "\(path).\(property.key)")
      }
      if schema["properties"] != nil { #expect(schema["additionalProperties"]?.content == .boolean(false), "\(path)") }
      for inner in (schema["oneOf"]?.items ?? []) + (schema["items"].map { [$0] } ?? []) { visit(inner, path) }
      for definition in schema["$defs"]?.members ?? [] { visit(definition.value, definition.key) }
    }
    visit(root, "$")
    #expect(count > 3)
  }

  @Test func wordsAreThoseOfTheCode() throws {
    let probe = try JSONSchema(named: "coders-probe-1").root
    func words(_ definition: JSONValue?) -> [String] { definition?["enum"]?.items.compactMap(\.string) ?? [] }
    let report = probe["$defs"]?["report"]?["properties"]
    #expect(words(report?["pixel_format"]) == PixelFormat.allCases.map { "\($0)" })
    #expect(words(report?["subsampling"]) == Subsampling.allCases.map { "\($0)" })
    #expect(words(probe["$defs"]?["step"]?["properties"]?["code"]) == SelectionStep.Code.allCases.map(\.rawValue))
    let list = try JSONSchema(named: "coders-list-1").root
    #expect(words(list["$defs"]?["reason"]) == SkipReason.Code.allCases.map(\.rawValue))
    let code = probe["$defs"]?["error"]?["properties"]?["code"]?["anyOf"]?.items.first
    let codes = (UInt32(0)...0xFF).map { "\(CoderError.Code(rawValue: $0))" }.filter { !$0.hasPrefix("code ") }
    #expect(words(code) == codes)
  }
}
