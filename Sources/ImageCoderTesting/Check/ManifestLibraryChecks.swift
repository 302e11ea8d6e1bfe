// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What the manifest says against what the library says.
  static let manifestLibraryChecks: [PluginCheck] = [
    PluginCheck(.manifest, "id", .r15, "The coder has the identifier and the version that the manifest states.") {
      (subject) throws(CheckEnd) in
      let (manifest, coder) = (try subject.manifest, try subject.coder.coder)
      try Self.equal("id", LoadedCoder.text(coder.id) ?? "", manifest.id)
      try Self.equal("version", LoadedCoder.text(coder.version) ?? "", manifest.version)
      return nil
    },
    PluginCheck(.manifest, "capabilities", .r15, "Capabilities agree with the coder's tables, flags and features.") {
      (subject) throws(CheckEnd) in
      let (manifest, coder) = (try subject.manifest, try subject.coder)
      let features = coder.writer?.features ?? 0
      let facts: [(String, Bool, String)] = [
        ("read", coder.reader != nil, "a reader's table"),
        ("write", coder.writer != nil, "a writer's table"),
        ("animation", coder.coder.container != nil, "a container"),
        ("incremental", coder.readsIncrementally, "IMGCODER_CODER_READS_INCREMENTALLY"),
        ("pages", coder.writesPages, "IMGCODER_CODER_WRITES_PAGES"),
        ("frames", features & UInt32(IMGCODER_WRITER_FRAMES) != 0, "IMGCODER_WRITER_FRAMES"),
        ("orientation", features & UInt32(IMGCODER_WRITER_ORIENTATION) != 0, "IMGCODER_WRITER_ORIENTATION"),
        ("thumbnail", coder.writer?.add_thumbnail != nil, "add_thumbnail"),
        ("resolution", features & UInt32(IMGCODER_WRITER_RESOLUTION) != 0, "IMGCODER_WRITER_RESOLUTION"),
        ("iptc", features & UInt32(IMGCODER_WRITER_IPTC) != 0, "IMGCODER_WRITER_IPTC"),
        ("geotiff", features & UInt32(IMGCODER_WRITER_GEOTIFF) != 0, "IMGCODER_WRITER_GEOTIFF"),
        ("text", features & UInt32(IMGCODER_WRITER_TEXT) != 0, "IMGCODER_WRITER_TEXT"),
        ("trailer", features & UInt32(IMGCODER_WRITER_TRAILER) != 0, "IMGCODER_WRITER_TRAILER"),
        ("recognize", coder.coder.recognize != nil, "recognize"),
      ]
      for (word, isThere, what) in facts where manifest.capabilities.contains(word) != isThere {
        // A reader of pages says so too; the flag is the writer's alone.
        if word == "pages", !manifest.canWrite { continue }
        throw .failed(
          "capability \(word)",
          expected: isThere ? "stated: the library has \(what)" : "not stated: the library has no \(what)",
          found: isThere ? "not stated" : "stated")
      }
      let metadata = ["icc", "exif", "xmp"].filter { manifest.capabilities.contains($0) }
      if let writer = coder.writer, !metadata.isEmpty, writer.add_metadata == nil {
        throw .failed("capability \(metadata[0])", expected: "add_metadata in the writer's table", found: "null")
      }
      return nil
    },
    PluginCheck(.manifest, "options", .r15, "The manifest describes each option as the library does.") {
      (subject) throws(CheckEnd) in
      let (manifest, coder) = (try subject.manifest, try subject.coder)
      try Self.equal(coder.options, manifest.options, of: "the writer")
      try Self.equal(coder.readOptions, manifest.readOptions, of: "the reader")
      return nil
    },
    PluginCheck(.manifest, "container", .r15, "The container's names and default loop count agree.") {
      (subject) throws(CheckEnd) in
      let (manifest, coder) = (try subject.manifest, try subject.coder)
      guard let container = coder.container else {
        guard manifest.names == nil else {
          throw .failed("container", expected: "none, as in the library", found: "one")
        }
        throw .skipped("the container holds stills only")
      }
      guard let names = manifest.names else {
        throw .failed("container", expected: "\(LoadedCoder.shown(container.dictionary))", found: "none")
      }
      func text(_ raw: imgcoder_string) -> String { LoadedCoder.text(raw) ?? "?" }
      try Self.equal("dictionary", text(container.dictionary), names.dictionary)
      try Self.equal("unclamped_delay", text(container.unclamped_delay), names.unclampedDelay)
      try Self.equal("delay", text(container.delay), names.delay)
      try Self.equal("loop_count", text(container.loop_count), names.loopCount)
      let plays = names.defaultLoopCount.plays
      try Self.equal("default_loop_count", "\(container.default_plays)", "\(plays)")
      return nil
    },
    PluginCheck(.manifest, "operations", .r15, "The manifest describes each operation as the library does.") {
      (subject) throws(CheckEnd) in
      let (manifest, coder) = (try subject.manifest, try subject.coder)
      let names = manifest.operations.map(\.name).joined(separator: ", ")
      guard coder.operations != nil else {
        // A transcoder of version 1.0 says only that it is there.
        try Self.equal("names of operations", coder.transcoder == nil ? "" : "transcode", names)
        guard let transcoder = coder.transcoder else { throw .skipped("the coder has no operations") }
        guard transcoder.transcode != nil else {
          throw .failed("transcode", expected: "a function", found: "null", rule: .r16)
        }
        return nil
      }
      let described = coder.operationKinds
      func text(_ raw: imgcoder_string) -> String { LoadedCoder.text(raw) ?? "?" }
      try Self.equal("names of operations", described.map { text($0.name) }.joined(separator: ", "), names)
      for (raw, operation) in zip(described, manifest.operations) {
        let name = operation.name
        try Self.equal("text of \(name)", text(raw.text), operation.text)
        try Self.equal(
          "formats of \(name)", raw.formats.map { "\($0.from) to \($0.to)" }.joined(separator: ", "),
          operation.formats.map { "\($0.from) to \($0.to)" }.joined(separator: ", "))
        try Self.equal(
          "blocks of \(name)", raw.blockNames.joined(separator: ", "), operation.blocks.joined(separator: ", "))
        let takesOut = raw.flags & UInt32(IMGCODER_OPERATION_TAKES_OUT) != 0
        try Self.equal("takes_out of \(name)", "\(takesOut)", "\(operation.takesOut)")
        try Self.equal(raw.described, operation.options, of: name)
      }
      return "\(described.count) operations"
    },
  ]

  private static func equal(_ what: String, _ library: String, _ manifest: String) throws(CheckEnd) {
    guard library == manifest else {
      throw .failed(what, expected: "\"\(library)\", as in the library", found: "\"\(manifest)\"")
    }
  }

  private static func equal(
    _ library: [DescribedOption], _ manifest: [OptionDescription], of owner: String
  ) throws(CheckEnd) {
    try equal(
      "names of options of \(owner)", library.map { LoadedCoder.text($0.name) ?? "?" }.joined(separator: ", "),
      manifest.map(\.name).joined(separator: ", "))
    for (raw, option) in zip(library, manifest) {
      try equal("kind of option \(option.name)", kind(raw), kind(option.kind))
      try equal("text of option \(option.name)", LoadedCoder.text(raw.text) ?? "?", option.text)
      let isSecret = raw.flags & UInt32(IMGCODER_OPTION_SECRET) != 0
      try equal("secret of option \(option.name)", "\(isSecret)", "\(option.isSecret)")
    }
  }

  /// Type, range and default as text.
  private static func kind(_ raw: DescribedOption) -> String {
    switch Int(raw.type) {
    case IMGCODER_OPTION_BOOLEAN: return "boolean, default \(raw.defaultValue != 0)"
    case IMGCODER_OPTION_INTEGER, IMGCODER_OPTION_NUMBER:
      let type = Int(raw.type) == IMGCODER_OPTION_INTEGER ? "integer" : "number"
      return "\(type), \(raw.minimum) to \(raw.maximum), default \(raw.defaultValue)"
    case IMGCODER_OPTION_CHOICE:
      let words = (0..<Int(min(raw.choiceCount, 1024))).map { index in
        raw.choices.map { LoadedCoder.text($0[index]) ?? "?" } ?? "?"
      }
      return "choice of \(words.joined(separator: ", ")), default \(raw.defaultValue)"
    case IMGCODER_OPTION_TEXT: return "text of \(raw.maximum) bytes, default \(LoadedCoder.shown(raw.defaultText))"
    default: return "type \(raw.type)"
    }
  }

  private static func kind(_ kind: OptionDescription.Kind) -> String {
    switch kind {
    case .boolean(let value): return "boolean, default \(value)"
    case .integer(let range, let value):
      return "integer, \(Double(range.lowerBound)) to \(Double(range.upperBound)), default \(Double(value))"
    case .number(let range, let value): return "number, \(range.lowerBound) to \(range.upperBound), default \(value)"
    case .choice(let words, let index):
      return "choice of \(words.joined(separator: ", ")), default \(Double(index))"
    case .text(let maximum, let value): return "text of \(Double(maximum)) bytes, default \"\(value)\""
    }
  }
}
