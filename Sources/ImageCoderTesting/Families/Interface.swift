// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

extension Subject {
  /// The manifest and the plugin say the same, and the plugin shows one symbol.
  var interface: [ConformanceCheck] {
    let parity = check(.interface, "manifest") { (claim) throws(ConformanceFailure) in
      try claim.equal(container.id, manifest.id, "id")
      try claim.equal(container.formats, manifest.formats.map(\.format), "formats")
      try claim.equal(container.canRead, manifest.canRead, "whether it reads")
      try claim.equal(container.canWrite, manifest.canWrite, "whether it writes")
      try claim.equal(container.writesPages, manifest.writesPages, "whether it writes pages")
      try claim.equal(
        container.readsIncrementally, manifest.capabilities.contains("incremental"),
        "whether it reads incremental bytes")
      try claim.equal(
        container.writerFeatures.capabilities,
        WriterFeatures.named.filter { manifest.capabilities.contains($0) }, "what the writer keeps")
      try claim.equal(container.names, manifest.names, "container names")
      try claim.equal(
        container.names != nil, manifest.capabilities.contains("animation"), "whether it holds animations")
      try claim.equal(container.options.map(\.name), manifest.options.map(\.name), "names of options")
      for (plugin, manifest) in zip(container.options, manifest.options) {
        try claim.equal(plugin.kind, manifest.kind, "kind of option \(manifest.name)")
        try claim.equal(plugin.text, manifest.text, "text of option \(manifest.name)")
      }
    }
    let symbols = check(.interface, "exported symbols") { (claim) throws(ConformanceFailure) in
      guard let listing = Self.output(of: "nm -D --defined-only --extern-only -- '\(plugin.library)'") else {
        throw claim.failure("nm", expected: "to be installed (binutils)", found: "no output")
      }
      let names = listing.split(separator: "\n").compactMap { $0.split(separator: " ").last.map(String.init) }
      try claim.equal(names, ["imgcoder_entry_v1"], "symbols")
    }
    let answers = check(.interface, "same question, same answer") { (claim) throws(ConformanceFailure) in
      for fixture in fixtures.valid {
        let decoder = try claim.value(fixture.name) { try open(fixture.bytes) }
        let again = try claim.value(fixture.name) { try open(fixture.bytes) }
        try claim.equal(decoder.header, again.header, "header of \(fixture.name)")
        let properties = try claim.value("properties of \(fixture.name)") { try decoder.properties() }
        try claim.equal(try claim.value("properties again") { try decoder.properties() }, properties, "properties")
        let pages = decoder.header.pageCount
        try claim.error("page \(pages) of \(fixture.name)", in: .invalidArgument) {
          var options = DecodeOptions()
          options.page = pages
          return try open(fixture.bytes, options)
        }
      }
    }
    return [parity, symbols, answers]
  }

  private static func output(of command: String) -> String? {
    guard let stream = popen(command, "r") else { return nil }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, stream)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return pclose(stream) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
  }
}
