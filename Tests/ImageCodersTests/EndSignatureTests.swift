// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// A coder that looks at the end of a file does not keep others from showing the file while it arrives.
@Suite struct EndSignatureTests {
  private static let manifest = PluginFolder.manifest([
    "priority": "500",
    "formats": #"[{"uti": "org.example.fake", "match": [{"from": "end", "offset": 8, "bytes": "66616b6566616b65"}]}]"#,
  ])

  private func picture() throws -> [UInt8] {
    try OpenSource(.file("\(StagedTree.fixtures("png"))/valid/rgb8.png"), limits: .standard).contents()
  }

  /// How many bytes have arrived when the header is known, and what is known at the end.
  private func bytesUntilHeader(_ registry: CoderRegistry) throws -> (count: Int?, coder: String?) {
    let decoder = registry.makeIncrementalDecoder()
    var count: Int?
    for (index, byte) in try picture().enumerated() {
      try decoder.append([byte])
      if count == nil, decoder.header != nil { count = index + 1 }
    }
    return (count, try decoder.finish().coderID)
  }

  @Test func aHeaderIsShownAsEarlyAsWithoutIt() throws {
    let plain = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    let expected = try bytesUntilHeader(plain)
    #expect(expected.coder == "org.imagecoders.png")
    #expect(try expected.count.map { try $0 < picture().count } == true)

    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    folder.write(Self.manifest, to: "fake.imgcoder.json")
    let searchPath = PluginSearchPath.only([folder.path, StagedTree.plugins])
    let registry = CoderRegistry(searchPath: searchPath, preferences: CoderPreferences())
    #expect(registry.coderIDs.first == "org.example.fake")
    let found = try bytesUntilHeader(registry)
    #expect(found.count == expected.count)
    #expect(found.coder == expected.coder)
  }

  @Test func aCoderOfTheApplicationDoesNotDelayEither() throws {
    let plain = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    let container = SwiftContainer(
      id: "org.example.own", formats: [ImageFormat(rawValue: "org.example.own")],
      signatures: [FormatSignature(Array("fakefake".utf8), at: -8)], reader: FakeCoder.Reads.self)
    registry.register(AnimatedCoder(container), priority: 500)
    let (expected, found) = (try bytesUntilHeader(plain), try bytesUntilHeader(registry))
    #expect(found.count == expected.count)
    #expect(found.coder == "org.imagecoders.png")
  }

  /// A whole file of any length is recognized by its end, also by the application's own coders.
  @Test func theEndOfALongFileIsLookedAt() throws {
    let container = SwiftContainer(
      id: "org.example.own", formats: [ImageFormat(rawValue: "org.example.fake")],
      signatures: [FormatSignature(Array("end".utf8), at: -3)], reader: FakeCoder.Reads.self)
    let registry = FakeCoder.registry([AnimatedCoder(container)])
    let file = [UInt8](repeating: 0x20, count: 10_000) + Array("end".utf8)
    #expect(try registry.decode(.bytes(file)).coderID == "org.example.own")
    #expect(throws: CoderError.self) { try registry.decode(.bytes(file + [0x20])) }
    let decoder = registry.makeIncrementalDecoder()
    try decoder.append(file)
    #expect(try decoder.finish().coderID == "org.example.own")
  }
}
