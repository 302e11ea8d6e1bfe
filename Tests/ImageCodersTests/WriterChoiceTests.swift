// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Which plugin writes a format, told from manifests.
@Suite struct WriterChoiceTests {
  private static let formats = #"[{"uti": "org.example.fake", "name": "Fake", "extensions": ["fk", "fake"]}]"#

  private static func registry(_ folders: [TemporaryFolder]) -> CoderRegistry {
    CoderRegistry(searchPath: PluginFolder.searchPath(folders.map(\.path)), preferences: CoderPreferences())
  }

  private static func folder(_ id: String, _ capabilities: String, priority: Int = 100) -> TemporaryFolder {
    PluginFolder.make([
      "id": "\"\(id)\"", "capabilities": capabilities, "formats": formats, "priority": "\(priority)",
    ])
  }

  @Test func followsTheOrderInWhichCodersAreTried() {
    let folders = [
      Self.folder("org.example.a", #"["read", "write"]"#), Self.folder("org.example.b", #"["read", "write"]"#),
      Self.folder("org.example.c", #"["read"]"#, priority: 200),
    ]
    let registry = Self.registry(folders)
    let format = ImageFormat(rawValue: "org.example.fake")
    #expect(registry.writers.map(\.id) == ["org.example.a", "org.example.b"])
    #expect(registry.writer(of: format)?.id == "org.example.a")
    #expect(registry.writer(of: format, id: "org.example.b")?.id == "org.example.b")
    #expect(registry.writer(of: format, id: "org.example.c") == nil)
    // The application's priority counts, as it does for the encode itself.
    registry.setPriority(300, of: "org.example.b")
    #expect(registry.writers.map(\.id) == ["org.example.b", "org.example.a"])
    #expect(registry.writer(of: format)?.id == "org.example.b")
    registry.unregister("org.example.b")
    #expect(registry.writer(of: format)?.id == "org.example.a")
    #expect(registry.writer(of: format)?.preferredExtension(of: format) == "fk")
  }

  @Test func aFormatGoesByTheNameInItsManifest() {
    let registry = Self.registry([Self.folder("org.example.a", #"["read"]"#)])
    #expect(registry.name(of: ImageFormat(rawValue: "org.example.fake")) == "Fake")
    #expect(registry.name(of: ImageFormat(rawValue: "org.example.other")) == "org.example.other")
  }

  @Test func aFormatToWriteHasAWriter() throws {
    let writer = Self.folder("org.example.a", #"["read", "write"]"#)
    let registry = Self.registry([writer])
    for name in ["fk", "FAKE", "Fake", "org.example.fake"] {
      #expect(try registry.formatToWrite(named: name) == ImageFormat(rawValue: "org.example.fake"), "\(name)")
    }
    let reader = Self.folder("org.example.a", #"["read"]"#)
    for (registry, message) in [
      (registry, "no coder writes \"xyz\"; these can be written: fake, fk"),
      (Self.registry([reader]), "no coder writes \"xyz\"; no coder is installed that writes"),
    ] {
      let error = #expect(throws: CoderError.self) { try registry.formatToWrite(named: "xyz") }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message == message)
    }
    #expect(throws: CoderError.self) { try Self.registry([reader]).formatToWrite(named: "fk") }
  }
}
