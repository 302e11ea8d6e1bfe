// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What the library describes.
  static let interfaceChecks: [PluginCheck] = [
    PluginCheck(.interface, "entry", .r16, "The entry has its size, version, magic and describe.") {
      (subject) throws(CheckEnd) in
      let symbol = try subject.entry
      if let problem = LoadedCoder.problem(of: imgcoder_entry_read(symbol), size: symbol.pointee.struct_size) {
        throw .failed(problem)
      }
      let minor = symbol.pointee.abi_minor
      return "interface \(symbol.pointee.abi_major).\(minor)"
    },
    PluginCheck(.interface, "describe", .r16, "The library describes a coder, or says why it cannot.") {
      (subject) throws(CheckEnd) in
      subject.stage("describe")
      switch try subject.loadedCoder {
      case .success(let coder):
        guard coder.reader != nil || coder.writer != nil else {
          throw .failed("the coder", expected: "a reader or a writer", found: "neither")
        }
        return nil
      case .failure(let failure): throw .failed(failure)
      }
    },
    PluginCheck(.interface, "callbacks", .r16, "Every callback that is not marked null is there.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      for (table, missing) in [("reader", coder.missingReaderCalls), ("writer", coder.missingWriterCalls)] {
        guard let name = missing.first else { continue }
        throw .failed("the \(table)'s table", expected: "\(name)", found: "null")
      }
      return nil
    },
    PluginCheck(.interface, "sizes", .r16, "Every struct is at least as large as in version 1.0.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      func require(_ name: String, _ size: UInt32?, _ least: Int) throws(CheckEnd) {
        guard let size, Int(size) < least else { return }
        throw .failed("struct_size of \(name)", expected: "at least \(least)", found: "\(size)")
      }
      try require("the coder", coder.raw.pointee.struct_size, 120)
      try require("the reader's table", coder.coder.reader?.pointee.struct_size, 80)
      try require("the writer's table", coder.coder.writer?.pointee.struct_size, 80)
      try require("the container", coder.coder.container?.pointee.struct_size, 72)
      for index in 0..<Int(min(coder.coder.option_count, 1024)) {
        try require("option \(index)", coder.coder.options?[index]?.pointee.struct_size, 96)
      }
      return nil
    },
    PluginCheck(.interface, "texts", .r16, "Every text is UTF-8 of at most IMGCODER_MAX_TEXT bytes.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      var texts = [("id", coder.coder.id), ("version", coder.coder.version), ("library", coder.coder.library)]
      if let container = coder.container {
        texts += [
          ("dictionary", container.dictionary), ("unclamped_delay", container.unclamped_delay),
          ("delay", container.delay), ("loop_count", container.loop_count),
        ]
      }
      for option in coder.options + coder.readOptions {
        texts += [("an option's name", option.name), ("an option's text", option.text)]
        texts.append(("an option's default_text", option.defaultText))
        guard Int(option.type) == IMGCODER_OPTION_CHOICE, let choices = option.choices else { continue }
        for index in 0..<Int(min(option.choiceCount, 1024)) { texts.append(("a choice", choices[index])) }
      }
      for (name, text) in texts where LoadedCoder.text(text) == nil {
        throw .failed(
          name, expected: "UTF-8 of at most \(IMGCODER_MAX_TEXT) bytes",
          found: "\(text.length) bytes that are not such a text")
      }
      for (name, text) in texts.prefix(2) where text.length == 0 {
        throw .failed(name, expected: "a text", found: "an empty one")
      }
      return nil
    },
    PluginCheck(.interface, "options", .options, "Each option has a name, a range and a default within it.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder.coder
      let lists = [
        (name: "options", place: coder.options, count: coder.option_count),
        (name: "read_options", place: coder.read_options, count: coder.read_option_count),
      ].filter { $0.count > 0 }
      guard !lists.isEmpty else { throw .skipped("the coder has no options") }
      for list in lists {
        guard list.count <= 1024, let place = list.place else {
          throw .failed(
            list.name, expected: "at most 1024 at an address",
            found: "\(list.count)\(list.place == nil ? " at null" : "")")
        }
        var names: Set<String> = []
        for index in 0..<Int(list.count) {
          guard let raw = place[index] else { throw .failed("option \(index)", expected: "an option", found: "null") }
          try Self.verify(DescribedOption(raw), index, &names)
        }
      }
      return "\(lists.reduce(0) { $0 + Int($1.count) }) options"
    },
    PluginCheck(.interface, "extensions", .r16, "An unknown extension is answered with null.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      let ids = [
        "", "org.imagecoders.file-operations/999999", "com.example.unknown/1", String(repeating: "x", count: 5_000),
      ]
      for id in ids {
        subject.stage("get_extension(\"\(id.prefix(40))\") of the coder")
        if let call = coder.coder.get_extension, id.withCheckedString({ call(coder.raw, $0) }) != nil {
          throw .failed("get_extension(\"\(id.prefix(40))\") of the coder", expected: "null", found: "a pointer")
        }
      }
      if let sample = try Self.anySample(subject) {
        let reader = ReaderProbe(coder, sample.bytes, session: HostSessionProbe())
        guard reader.open() == Status.ok else { return nil }
        for id in ids {
          subject.stage("get_extension(\"\(id.prefix(40))\") of a reader")
          guard !reader.hasExtension(id) else {
            throw .failed("get_extension(\"\(id.prefix(40))\") of a reader", expected: "null", found: "a pointer")
          }
        }
      }
      if coder.writer != nil, let format = try? subject.manifest.writtenFormats.first {
        let writer = WriterProbe(coder, session: HostSessionProbe())
        guard writer.open(WriteSettings(format: format.format.rawValue)) == Status.ok else { return nil }
        for id in ids {
          subject.stage("get_extension(\"\(id.prefix(40))\") of a writer")
          guard !writer.hasExtension(id) else {
            throw .failed("get_extension(\"\(id.prefix(40))\") of a writer", expected: "null", found: "a pointer")
          }
        }
      }
      return nil
    },
    PluginCheck(.interface, "constant", .r12, "What the library describes does not change while it is used.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      let before = Self.picture(of: coder)
      if let sample = try Self.anySample(subject) { _ = try subject.read(sample.bytes, sample.name) }
      if coder.writer != nil, let format = try? subject.manifest.writtenFormats.first {
        _ = try subject.write(WriteSettings(format: format.format.rawValue), "writing \(format.name)")
      }
      guard before == Self.picture(of: coder) else {
        throw .failed("the coder and its tables", expected: "constant memory", found: "other bytes after use")
      }
      return nil
    },
  ]

  private static func anySample(_ subject: CheckSubject) throws(CheckEnd) -> CheckSubject.Sample? {
    guard try subject.coder.reader != nil, try subject.coder.missingReaderCalls.isEmpty else { return nil }
    do throws(CheckEnd) { return try subject.samples.first } catch {
      if case .skipped = error { return nil }
      throw error
    }
  }

  /// All bytes that the coder points at.
  private static func picture(of coder: LoadedCoder) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ pointer: UnsafeRawPointer?, _ size: Int) {
      guard let pointer else { return }
      bytes += UnsafeRawBufferPointer(start: pointer, count: size)
    }
    func add(_ text: imgcoder_string) { bytes += (LoadedCoder.text(text) ?? "").utf8 }
    add(coder.raw, Int(min(coder.raw.pointee.struct_size, 136)))
    add(coder.coder.reader, min(Int(coder.coder.reader?.pointee.struct_size ?? 0), 88))
    add(coder.coder.writer, min(Int(coder.coder.writer?.pointee.struct_size ?? 0), 88))
    add(coder.coder.container, min(Int(coder.coder.container?.pointee.struct_size ?? 0), 72))
    for text in [coder.coder.id, coder.coder.version, coder.coder.library] { add(text) }
    for option in coder.options + coder.readOptions {
      let numbers = [option.minimum, option.maximum, option.defaultValue]
      bytes += "\(option.type) \(numbers) \(option.choiceCount) \(option.flags)".utf8
      for text in [option.name, option.text, option.defaultText] { add(text) }
    }
    return bytes
  }

  private static func verify(_ option: DescribedOption, _ index: Int, _ names: inout Set<String>) throws(CheckEnd) {
    guard let name = LoadedCoder.text(option.name), !name.isEmpty,
      name.utf8.allSatisfy({ ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D })
    else {
      throw .failed(
        "option \(index)", expected: "a name in lower case, words joined by -", found: LoadedCoder.shown(option.name))
    }
    guard names.insert(name).inserted else { throw .failed("option \(name)", expected: "one", found: "two") }
    let isInside = option.minimum...max(option.maximum, option.minimum) ~= option.defaultValue
    let range = "\(option.minimum) to \(option.maximum), default \(option.defaultValue)"
    let isWhole = option.defaultValue.rounded() == option.defaultValue
    switch Int(option.type) {
    case IMGCODER_OPTION_BOOLEAN:
      guard option.defaultValue == 0 || option.defaultValue == 1 else {
        throw .failed("option \(name)", expected: "a default of 0 or 1", found: "\(option.defaultValue)")
      }
    case IMGCODER_OPTION_INTEGER, IMGCODER_OPTION_NUMBER:
      let isFinite = option.minimum.isFinite && option.maximum.isFinite && option.minimum <= option.maximum
      let isInteger = Int(option.type) == IMGCODER_OPTION_INTEGER
      guard isFinite, isInside, !isInteger || (isWhole && option.minimum.rounded() == option.minimum) else {
        throw .failed("option \(name)", expected: "a range with the default inside", found: range)
      }
    case IMGCODER_OPTION_CHOICE:
      guard option.choices != nil, option.choiceCount > 0, option.choiceCount <= 1024, isWhole,
        option.defaultValue >= 0, option.defaultValue < Double(option.choiceCount)
      else {
        throw .failed(
          "option \(name)", expected: "choices, and the index of one as the default",
          found: "\(option.choiceCount) choices, default \(option.defaultValue)")
      }
    case IMGCODER_OPTION_TEXT:
      guard option.maximum >= 0, option.maximum <= Double(IMGCODER_MAX_TEXT),
        Double(option.defaultText.length) <= option.maximum
      else { throw .failed("option \(name)", expected: "a maximum of bytes, and a default within", found: range) }
    default: throw .failed("option \(name)", expected: "a type of 1 to 5", found: "\(option.type)")
    }
    let isSecret = option.flags & UInt32(IMGCODER_OPTION_SECRET) != 0
    guard !isSecret || Int(option.type) == IMGCODER_OPTION_TEXT else {
      throw .failed("option \(name)", expected: "a secret that is a text", found: "type \(option.type)")
    }
    guard isSecret || name != "password" else {
      throw .failed("option \(name)", expected: "IMGCODER_OPTION_SECRET", found: "flags \(option.flags)")
    }
    guard LoadedCoder.text(option.text)?.isEmpty == false else {
      throw .failed("option \(name)", expected: "a sentence for --help", found: "none")
    }
  }
}

extension CheckSubject {
  /// The entry that the library exports.
  fileprivate var entry: UnsafePointer<imgcoder_entry> {
    get throws(CheckEnd) {
      let path = try library
      stage("the entry of \(path)")
      do throws(CheckFailure) { return try LoadedCoder.entry(of: path) } catch { throw .failed(error) }
    }
  }
}
