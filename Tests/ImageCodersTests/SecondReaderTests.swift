// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A file decides how the first reader of its format fails. It must not choose a library in C to see it next.
@Suite struct SecondReaderTests {
  private static let own = "org.imagecoders.heif"
  private static let libheif = "org.imagecoders.heif.libheif"

  /// The plugins of HEIF in a folder of their own: other tests load the staged ones into this process.
  private static func heif() throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    let files = ["libHEIFCoder.so", "libLibHEIFCoder.so", "heif.imgcoder.json", "libheif.imgcoder.json"]
    let copied = Command.run(
      "cp \(files.map { "'\(StagedTree.plugins)/\($0)'" }.joined(separator: " ")) '\(folder.path)'")
    try #require(copied.status == 0, "\(copied.output)")
    return folder
  }

  /// A HEIC whose first item says that it is of AV1.
  private static func file() throws -> [UInt8] {
    var bytes = try OpenSource(.file("\(StagedTree.fixtures("heif"))/valid/exif.heic"), limits: .standard).contents()
    let place = try #require(bytes.firstRange(of: Array("hvc1".utf8)))
    bytes.replaceSubrange(place, with: Array("av01".utf8))
    return bytes
  }

  private static func isLoaded(_ library: String, of folder: TemporaryFolder) -> Bool {
    LoadedLibraries.contain("\(folder.path)/\(library)")
  }

  /// What is said of a coder after it was identified, with the code of each step.
  private static func steps(
    of coder: String, in registry: CoderRegistry, _ file: [UInt8]
  ) -> (steps: [String], error: CoderError?) {
    var steps: [SelectionStep] = []
    let opened = Result { () throws(CoderError) in try registry.open(.bytes(file)) { steps.append($0) } }
    var error: CoderError?
    if case .failure(let failure) = opened { error = failure }
    return (
      steps.filter { $0.coder == coder && $0.code != .identified }.map { "\($0.code.rawValue): \($0.message)" }, error
    )
  }

  private static func registry(_ folder: TemporaryFolder) -> CoderRegistry {
    precondition(IsolationWorker.isThere, "there is no worker; has `make stage` run?")
    return CoderRegistry(
      searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences(), policy: .standard)
  }

  @Test func aSecondReaderInCIsTriedInAWorker() throws {
    let folder = try Self.heif()
    let (steps, error) = Self.steps(of: Self.libheif, in: Self.registry(folder), try Self.file())
    #expect(Self.isLoaded("libHEIFCoder.so", of: folder))
    #expect(!Self.isLoaded("libLibHEIFCoder.so", of: folder))
    #expect(steps.first == "fallback: is tried next, in a worker")
    #expect(steps.count == 2)
    // A machine without isolation leaves it out.
    let isIsolated = steps.last?.hasPrefix("failed: malformed: libheif: ") ?? false
    let isLeftOut = steps.last?.hasPrefix("failed: not tried: a second reader over a C library needs a worker") == true
    #expect(isIsolated || isLeftOut, "\(steps)")
    #expect(error?.code == (isIsolated ? .malformed : .wrongFormat))
  }

  @Test func aSecondReaderThatIsNamedIsTriedHere() throws {
    let file = try Self.file()
    for name in ["coder", "priority", "preferred"] {
      let folder = try Self.heif()
      let registry = Self.registry(folder)
      switch name {
      case "coder":
        let error = #expect(throws: CoderError.self) { try registry.open(.bytes(file), coder: Self.libheif) }
        #expect(error?.code == .malformed)
      case "priority": registry.setPriority(40, of: Self.libheif)
      default: registry.prefer([Self.own, Self.libheif], toRead: .heic)
      }
      if name != "coder" {
        let steps = Self.steps(of: Self.libheif, in: registry, file).steps
        #expect(steps.first == "fallback: is tried next")
        #expect(steps.last?.hasPrefix("failed: malformed: libheif: ") == true, "\(steps)")
      }
      #expect(Self.isLoaded("libLibHEIFCoder.so", of: folder), "\(name)")
    }
  }

  @Test func withoutAWorkerTheErrorSaysWhatWasNotTried() throws {
    let folder = TemporaryFolder()
    let path = folder.write(try Self.file(), to: "a.heic")
    let command = "CODERS_WORKER=/nonexistent '\(StagedTree.root)/build/bin/coders' probe"
    let words = """
      not tried: a second reader over a C library needs a worker (there is no worker: /nonexistent does not exist); \
      name it with --coder, CODERS_PRIORITY or setPriority to use it
      """
    let explained = Command.run("\(command) --explain '\(path)'")
    #expect(explained.output.contains("    \(Self.libheif): failed: \(words)\n"), "\(explained.output)")
    #expect(
      explained.output.contains("coders: \(path): wrongFormat: a primary item of AV1; \(Self.libheif) is \(words)\n"),
      "\(explained.output)")
    let named = Command.run("\(command) --coder \(Self.libheif) '\(path)'")
    #expect(named.output.contains("malformed: libheif: "), "\(named.output)")
    let preferred = Command.run("CODERS_PRIORITY=\(Self.libheif):50 \(command) '\(path)'")
    #expect(preferred.output.contains("malformed: libheif: "), "\(preferred.output)")
  }

  /// The same for any plugin, and what it reads in a worker is the picture.
  @Test func aSecondReaderReadsInAWorker() throws {
    let folder = ForeignPlugin.folder("QOIPlugin", "qoi")
    let registry = Self.registry(folder)
    let path = "\(StagedTree.fixtures("qoi"))/valid/rgba8.qoi"
    let bytes = try OpenSource(.file(path), limits: .standard).contents()
    registry.register(FakeCoder.make("org.own", letters: "qoif", format: "io.qoiformat.qoi", .unsupported))
    let (steps, error) = Self.steps(of: "org.example.qoi", in: registry, bytes)
    #expect(!Self.isLoaded("libqoi.so", of: folder))
    if error == nil {
      #expect(steps == ["fallback: is tried next, in a worker", "chosen: reads the file"])
      let image = try registry.decode(.bytes(bytes))
      #expect(image.size == Size(width: 17, height: 11))
      #expect(!Self.isLoaded("libqoi.so", of: folder))
    }
    registry.setPriority(100, of: "org.example.qoi")
    #expect(try registry.decode(.bytes(bytes)).coderID == "org.example.qoi")
    #expect(Self.isLoaded("libqoi.so", of: folder))
  }

  /// A coder that cannot be loaded has not looked at the file: the next one is the first.
  @Test func afterACoderThatDoesNotLoadTheNextIsTheFirst() throws {
    let folder = try Self.heif()
    _ = Command.run("echo nothing > '\(folder.path)/libHEIFCoder.so'")
    let steps = Self.steps(of: Self.libheif, in: Self.registry(folder), try Self.file()).steps
    #expect(steps.first == "fallback: is tried next")
    #expect(Self.isLoaded("libLibHEIFCoder.so", of: folder))
  }

  /// A registry with the WebP plugin, whose manifest says that it also works on whole files of another format.
  private static func registryOfOperations(_ folder: TemporaryFolder) throws -> CoderRegistry {
    let renamed = "sed 's/org.webmproject.webp/org.example.fake/'"
    let copied = Command.run(
      "cp '\(StagedTree.plugins)/libWebPCoder.so' '\(folder.path)' && "
        + "\(renamed) '\(StagedTree.plugins)/webp.imgcoder.json' > '\(folder.path)/webp.imgcoder.json'")
    try #require(copied.status == 0, "\(copied.output)")
    return registry(folder)
  }

  private static let fake = ImageFormat(rawValue: "org.example.fake")

  /// The same for work on whole files: how the first coder refuses a file does not send it to a library in C.
  @Test func aSecondCoderOfAnOperationNeedsAWorker() throws {
    let folder = TemporaryFolder()
    let registry = try Self.registryOfOperations(folder)
    registry.register(
      AnimatedCoder(
        SwiftContainer(
          id: "org.own", formats: [Self.fake], signatures: [FormatSignature(Array("fake".utf8))],
          reader: FakeCoder.Reads.self,
          operations: [
            .editMetadata(of: [Self.fake]) { (_, _) throws(CoderError) in throw .unsupported("too new") }
          ])))
    #expect(registry.operations(for: Self.fake).map(\.coder) == ["org.own", "org.imagecoders.webp"])
    func expectRefusal() {
      for edit in [true, false] {
        let error = #expect(throws: CoderError.self) {
          if edit {
            try registry.editMetadata(FakeCoder.file, MetadataEdit(removing: [.text]))
          } else {
            try registry.apply(.editMetadata(MetadataBlockEdits(removed: [.text])), to: FakeCoder.file)
          }
        }
        #expect(error?.coder == "org.own")
        #expect(error?.message.hasPrefix("too new") == true, "\(error?.message ?? "")")
      }
    }
    expectRefusal()
    #expect(!Self.isLoaded("libWebPCoder.so", of: folder))
    registry.setPriority(100, of: "org.imagecoders.webp")
    expectRefusal()
    #expect(Self.isLoaded("libWebPCoder.so", of: folder))
  }

  /// Nor does the way in which the first reader refuses the header.
  @Test func anOperationAfterARefusedHeaderNeedsAWorker() throws {
    let folder = TemporaryFolder()
    let registry = try Self.registryOfOperations(folder)
    registry.register(FakeCoder.make("org.own", .unsupported), priority: 120)
    registry.register(FakeCoder.make("org.other"), priority: 110)
    func apply() {
      #expect(throws: CoderError.self) {
        try registry.apply(.editMetadata(MetadataBlockEdits(removed: [.text])), to: FakeCoder.file)
      }
    }
    #expect(try registry.open(FakeCoder.file).coderID == "org.other")
    apply()
    #expect(!Self.isLoaded("libWebPCoder.so", of: folder))
    registry.unregister("org.own")
    apply()
    #expect(Self.isLoaded("libWebPCoder.so", of: folder))
  }

  /// Nobody has refused a file that the user wants read by another one.
  @Test func anOperationAfterAPreferredReaderIsTheFirst() throws {
    let folder = TemporaryFolder()
    let registry = try Self.registryOfOperations(folder)
    registry.register(FakeCoder.make("org.own"), priority: 120)
    registry.register(FakeCoder.make("org.other"), priority: 110)
    registry.prefer(["org.other"], toRead: Self.fake)
    #expect(try registry.open(FakeCoder.file).coderID == "org.other")
    #expect(throws: CoderError.self) {
      try registry.apply(.editMetadata(MetadataBlockEdits(removed: [.text])), to: FakeCoder.file)
    }
    #expect(Self.isLoaded("libWebPCoder.so", of: folder))
  }
}
