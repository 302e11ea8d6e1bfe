// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// This host with plugins of other minor versions.
@Suite struct PluginVersionTests {
  @Test func readsWithAnOlderPlugin() throws {
    // Behind the sizes that it states there is poison: following any of it would crash.
    let plugin = UnrulyPlugin("OLDER")
    let coder = try plugin.registry.coder(UnrulyPlugin.id)
    #expect(coder.options.isEmpty)
    #expect(coder.canRead && coder.formats.allSatisfy(coder.canEncode))
    let image = try plugin.registry.decode(UnrulyPlugin.file("nothing"))
    #expect(image.size == Size(width: 8, height: 6))
    #expect(image.problem == nil)
    #expect(image.metadata.isEmpty)
    let decoder = try plugin.registry.open(UnrulyPlugin.file("metadata-of-a-terabyte"))
    #expect(try decoder.metadata(.xmp) == nil)
    #expect(try decoder.properties()["deep"] == nil)
  }

  @Test func saysWhatAnOlderWriterLacks() throws {
    let plugin = UnrulyPlugin("OLDER")
    let picture = try PixelBuffer(size: Size(width: 1, height: 1), format: .rgba8, alpha: .straight)
    let error = #expect(throws: CoderError.self) {
      try plugin.registry.encode(Image(picture), as: ImageFormat(rawValue: "org.example.unruly"))
    }
    #expect(error?.code == .libraryFailure)
  }

  @Test func readsWithANewerPlugin() throws {
    let plugin = UnrulyPlugin("NEWER")
    #expect(try plugin.registry.coder(UnrulyPlugin.id).options.map(\.name) == ["plain", "cut"])
    let image = try plugin.registry.decode(UnrulyPlugin.file("nothing"))
    #expect(image.pixels.withRow(5) { [UInt8]($0) } == [UInt8](repeating: 7, count: 32))
  }
}
