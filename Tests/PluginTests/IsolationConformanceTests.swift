// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Every fixture of every format decodes in a worker to the same pixels, errors and metadata as in this process.
@Suite struct IsolationConformanceTests {
  private static let here = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
  private static let isolated = IsolationWorker.registry()

  private static let formats = StagedTree.fixtureFormats

  private static func files(_ format: String) -> [String] {
    Command.run("find '\(StagedTree.fixtures(format))/valid' '\(StagedTree.fixtures(format))/invalid' -type f | sort")
      .output.split(separator: "\n").map(String.init)
  }

  /// Inks are converted by their profile.
  private static var inSRGB: DecodeOptions {
    var options = DecodeOptions.thumbnail(width: 24, height: 24)
    options.color = .convert(to: .sRGB)
    return options
  }

  /// What a file comes to: sizes, pixels, delays, metadata and properties, or the error.
  private static func result(_ path: String, _ registry: CoderRegistry, _ options: DecodeOptions) -> [String] {
    do throws(CoderError) {
      let decoder = try registry.open(.file(path), options: options)
      var header = decoder.header
      // A set has no order that two processes, or two sets of one process, would share.
      let kinds = header.metadata.map { "\($0)" }.sorted()
      header.metadata = []
      var lines = ["\(header) \(kinds)", "\(try decoder.properties())"]
      lines.append("\(try decoder.auxiliaryPictures()) \(decoder.storedColor)")
      for kind in MetadataKind.allCases { lines.append("\(kind) \(try decoder.metadata(kind)?.hashValue ?? 0)") }
      let image = try decoder.image()
      lines.append("\(image.problem as Any)")
      for frame in image.frames {
        var hasher = Hasher()
        for y in 0..<frame.pixels.size.height { frame.pixels.withRow(y) { hasher.combine(bytes: $0) } }
        lines.append("\(frame.pixels.size) \(frame.pixels.layout) \(frame.delay) \(hasher.finalize())")
      }
      return lines
    } catch {
      return ["\(error)"]
    }
  }

  @Test(arguments: formats) func givesTheSame(_ format: String) {
    let files = Self.files(format)
    #expect(!files.isEmpty)
    for options in [DecodeOptions(), DecodeOptions.thumbnail(width: 24, height: 24), Self.inSRGB] {
      for file in files {
        let here = Self.result(file, Self.here, options)
        #expect(here == Self.result(file, Self.isolated, options), "\(file)")
      }
    }
  }

  @Test(arguments: formats) func givesTheSameOfBytesThatArrive(_ format: String) {
    func arrived(_ bytes: [UInt8], _ registry: CoderRegistry) -> [String] {
      do throws(CoderError) {
        let decoder = registry.makeIncrementalDecoder()
        for start in stride(from: 0, to: bytes.count, by: 500) {
          try decoder.append(bytes[start..<min(start + 500, bytes.count)])
        }
        let image = try decoder.finish()
        var hasher = Hasher()
        for frame in image.frames {
          for y in 0..<frame.pixels.size.height { frame.pixels.withRow(y) { hasher.combine(bytes: $0) } }
        }
        return ["\(image.size) \(image.frames.count) \(image.problem as Any) \(hasher.finalize())"]
      } catch {
        return ["\(error)"]
      }
    }
    for file in Self.files(format) {
      guard let bytes = try? OpenSource(.file(file), limits: .standard).contents() else { continue }
      #expect(arrived(bytes, Self.here) == arrived(bytes, Self.isolated), "\(file)")
    }
  }
}
