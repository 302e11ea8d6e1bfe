// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// Coders that look at files themselves, because their files have no signature.
@Suite struct AskedCoderTests {
  /// Its files have a 7 at one offset.
  private final class Looking: Container {
    let id = "org.example.looking"
    let formats = [ImageFormat(rawValue: "org.example.fake")]
    let names: ContainerPropertyNames? = nil
    let options: [OptionDescription] = []
    let signatures: [FormatSignature] = []
    let canRead = true
    let canWrite = false
    let writesPages = false
    let writerFeatures: WriterFeatures = []
    let readsIncrementally = false
    /// How often it was asked.
    let askedCount = Atomic(0)
    private let offset: Int

    init(at offset: Int) { self.offset = offset }

    func recognize(prefix: UnsafeRawBufferPointer, fileSize: Int?) -> Recognition? {
      askedCount.add(1, ordering: .relaxed)
      if let fileSize, fileSize <= offset { return .no }
      guard prefix.count > offset else { return .needMore(bytes: offset + 1) }
      return prefix[offset] == 7 ? .yes(strength: 8) : .no
    }

    func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
      try FakeCoder.Reads(session.view, host: session.host, options: options)
    }

    func openWriter(
      _ session: HostSession, output: ByteOutput, options: WriteOptions
    ) throws(CoderError) -> any WriterSession {
      throw .unsupported("does not write")
    }
  }

  private func registry(at offset: Int) -> CoderRegistry {
    FakeCoder.registry([FakeCoder.make("org.own"), AnimatedCoder(Looking(at: offset), openEmbedded: nil)])
  }

  private func steps(_ registry: CoderRegistry, _ bytes: [UInt8]) -> [String] {
    var steps: [SelectionStep] = []
    _ = try? registry.open(.bytes(bytes)) { steps.append($0) }
    return steps.map { "\($0.coder ?? ""): \($0.code.rawValue): \($0.message)" }
  }

  @Test func isAskedIfNoSignatureAgrees() {
    let registry = registry(at: 2)
    #expect(
      steps(registry, [1, 2, 7]) == [
        "org.own: no_match: no signature agrees", "org.example.looking: no_match: no signature agrees",
        "org.own: asked: its library does not recognize the file",
        "org.example.looking: asked: its library recognizes the file",
        "org.example.looking: chosen: reads the file",
      ])
    #expect(steps(registry, [1, 2, 8]).last == "org.example.looking: asked: its library does not recognize the file")
    #expect(steps(registry, Array("fake".utf8)).contains { $0.contains("asked") } == false)
    #expect(steps(registry, []).contains { $0.contains("asked") } == false)
  }

  @Test(arguments: [5_000, 100_000, (1 << 20) - 1]) func seesAsManyBytesAsItNeeds(_ offset: Int) throws {
    var file = [UInt8](repeating: 1, count: 2 << 20)
    file[offset] = 7
    #expect(try registry(at: offset).open(.bytes(file)).coderID == "org.example.looking")
  }

  @Test func seesAMebibyteAtMost() {
    var file = [UInt8](repeating: 1, count: 2 << 20)
    file[1 << 20] = 7
    let error = #expect(throws: CoderError.self) { try registry(at: 1 << 20).open(.bytes(file)) }
    #expect(error?.code == .noCoder)
  }

  @Test func decidesWhileTheFileArrives() throws {
    let decoder = registry(at: 5).makeIncrementalDecoder()
    for byte in [1, 2, 3, 4, 5, 7, 8] as [UInt8] { try decoder.append([byte]) }
    #expect(try decoder.finish().coderID == "org.example.looking")
  }

  @Test func isNotAskedWhileASignatureMayAgree() throws {
    let looking = Looking(at: 0)
    let registry = FakeCoder.registry([
      FakeCoder.make("org.own", letters: "\u{7}ake"), AnimatedCoder(looking, openEmbedded: nil),
    ])
    let decoder = registry.makeIncrementalDecoder()
    for byte in Array("\u{7}ake".utf8) { try decoder.append([byte]) }
    #expect(try decoder.finish().coderID == "org.own")
    #expect(looking.askedCount.load(ordering: .relaxed) == 0)
    let other = registry.makeIncrementalDecoder()
    for byte in Array("\u{7}all".utf8) { try other.append([byte]) }
    #expect(try other.finish().coderID == "org.example.looking")
  }

  /// A plugin whose library leaves a mark when it is loaded.
  @Test func aLibraryIsLoadedOnlyIfNoSignatureAgrees() throws {
    let folder = TemporaryFolder()
    folder.write(
      """
      #include <stdio.h>
      __attribute__((constructor)) static void mark(void) { fclose(fopen("\(folder.path)/loaded", "w")); }
      """, to: "fake.c")
    folder.write(
      PluginFolder.manifest([
        "capabilities": #"["read", "recognize"]"#, "formats": #"[{"uti": "org.example.fake", "extensions": ["fk"]}]"#,
      ]), to: "fake.imgcoder.json")
    let built = Command.run("cd '\(folder.path)' && cc -shared -fPIC -o libfake.so fake.c")
    try #require(built.status == 0, "\(built.output)")
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    registry.register(FakeCoder.make("org.own"))
    #expect(registry.catalog.entries.map(\.reason) == [nil])
    #expect(registry.catalog.entries[0].manifest?.warnings == [])

    #expect(try registry.open(FakeCoder.file).coderID == "org.own")
    #expect(Command.run("ls '\(folder.path)/loaded'").status != 0)
    let found = steps(registry, [1, 2, 3])
    #expect(found[2].hasPrefix("org.example.fake: failed: entry_missing: "), "\(found)")
    #expect(found[3...] == ["org.own: asked: its library does not recognize the file"])
    #expect(Command.run("ls '\(folder.path)/loaded'").status == 0)
  }

  /// A plugin in C that claims files with a 7 after 4096 bytes. Its reader is that of QOI, which refuses them.
  @Test func asksALibraryThroughTheInterface() throws {
    let folder = TemporaryFolder()
    folder.write(
      """
      #define imgcoder_entry_v1 qoi_entry
      #define describe describe_qoi
      #define coder qoi
      #include "qoi.c"
      #undef imgcoder_entry_v1
      #undef describe
      #undef coder
      static imgcoder_status look(const imgcoder_coder *coder, const uint8_t *prefix, uint64_t length, uint64_t size) {
        if (size <= 4096) return IMGCODER_STATUS_WRONG_FORMAT;
        if (length <= 4096) return IMGCODER_STATUS_NEED_MORE;
        return coder && prefix[4096] == 7 ? IMGCODER_STATUS_OK : IMGCODER_STATUS_WRONG_FORMAT;
      }
      static const imgcoder_coder coder = {
          sizeof(imgcoder_coder), 0, 0, IMGCODER_TEXT("org.example.fake"), IMGCODER_TEXT("1.0.0"), IMGCODER_TEXT(""),
          0, &reader_table, 0, 0, 0, 0, look};
      static const imgcoder_coder *describe(const imgcoder_host *host) { return host ? &coder : 0; }
      IMGCODER_EXPORT const imgcoder_entry imgcoder_entry_v1 = {
          sizeof(imgcoder_entry), IMGCODER_ABI_MAJOR, IMGCODER_ABI_MINOR, 0, IMGCODER_ENTRY_MAGIC, describe};
      """, to: "fake.c")
    folder.write(
      PluginFolder.manifest([
        "capabilities": #"["read", "recognize"]"#, "formats": #"[{"uti": "org.example.fake", "extensions": ["fk"]}]"#,
      ]), to: "fake.imgcoder.json")
    let (headers, qoi) = (StagedTree.headers, "\(StagedTree.root)/Tests/QOIPlugin")
    let built = Command.run(
      "cd '\(folder.path)' && cc -std=c99 -shared -fPIC -fvisibility=hidden -I'\(headers)' -I'\(qoi)' -o libfake.so fake.c"
    )
    try #require(built.status == 0, "\(built.output)")
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    var file = [UInt8](repeating: 1, count: 5_000)
    #expect(steps(registry, file).last == "org.example.fake: asked: its library does not recognize the file")
    file[4_096] = 7
    #expect(
      steps(registry, file).prefix(2) == [
        "org.example.fake: no_match: no signature agrees",
        "org.example.fake: asked: its library recognizes the file",
      ])
    #expect(steps(registry, file).last?.hasPrefix("org.example.fake: failed: wrongFormat") == true)
  }
}
