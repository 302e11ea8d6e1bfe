// SPDX-License-Identifier: Apache-2.0

import CFuzzing
import CImageCoder
import FuzzStructures
import ImageCoders

/// The plugin interface, with a plugin that answers anything.
enum InterfaceTargets {
  private static let manifest = """
    {"manifest": 1, "id": "org.example.liar", "name": "Liar", "version": "1.0.0",
     "abi": {"major": 1, "min_minor": 0}, "library": "libliar.so",
     "formats": [{"uti": "org.example.liar", "extensions": ["liar"], "match": [{"bytes": "4c494152"}]}],
     "capabilities": ["read"]}
    """

  private static let registry = CoderRegistry(
    builtIn: [BuiltInCoder(manifest: Array(manifest.utf8)) { fuzzing_liar($0) }], searchPath: .only([]),
    preferences: CoderPreferences())

  static let all = [
    FuzzTarget(
      name: "interface-liar", about: "a plugin whose answers may be anything",
      seeds: .bytes([[], Array(repeating: 130, count: 64), (0...255).map { $0 }]),
      structure: nil, run: liar)
  ]

  private static func liar(_ bytes: [UInt8]) {
    let script = Array("LIAR".utf8) + bytes
    var options = DecodeOptions()
    options.limits = Limits(
      maxPixels: 1 << 20, maxMemory: FuzzTarget.mostMemory, maxFrames: 64, maxPages: 8, maxComposedPixels: 1 << 22)
    var choices = Choices(bytes)
    if choices.below(2) == 0 { options.size = .fitting(Size(width: 3, height: 5)) }
    if choices.below(4) == 0 {
      let decoder = registry.makeIncrementalDecoder(options: options)
      do throws(CoderError) {
        try decoder.append(script)
        _ = try decoder.finish()
      } catch {}
      return
    }
    guard let decoder = try? registry.open(.bytes(script), options: options) else { return }
    for kind in MetadataKind.allCases { _ = try? decoder.metadata(kind) }
    _ = try? decoder.properties()
    _ = try? decoder.image()
    for index in 0..<min(decoder.frameCount, 4) { _ = try? decoder.frame(at: decoder.frameCount - 1 - index) }
  }
}
