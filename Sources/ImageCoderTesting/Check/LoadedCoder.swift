// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs
import Glibc

/// A plugin's coder, loaded without the engine's own checks.
final class LoadedCoder {
  /// Where the plugin keeps it.
  let raw: UnsafePointer<imgcoder_coder>
  let entry: imgcoder_entry
  let coder: imgcoder_coder
  let reader: imgcoder_reader_table?
  let writer: imgcoder_writer_table?
  let container: imgcoder_container?
  /// Milliseconds that loading took.
  let loadTime: Double
  private let describeSession: HostSessionProbe

  /// - Throws: What is wrong, with the rule that is broken.
  init(_ path: String) throws(CheckFailure) {
    let start = CheckSubject.now
    let symbol = try Self.entry(of: path)
    loadTime = (CheckSubject.now - start) * 1000
    entry = imgcoder_entry_read(symbol)
    guard Self.problem(of: entry, size: symbol.pointee.struct_size) == nil, let describe = entry.describe else {
      throw Self.problem(of: entry, size: symbol.pointee.struct_size)
        ?? CheckFailure(what: "describe", expected: "a function", found: "null", rule: .r16)
    }
    describeSession = HostSessionProbe()
    guard let coder = describe(describeSession.host) else {
      let record = describeSession.record
      let message = describeSession.message
      throw CheckFailure(
        what: "describe", expected: "a coder", found: record.fail_calls == 0 ? "null without a message" : message,
        rule: record.fail_calls == 0 ? .r14 : .r16)
    }
    guard isReadable(coder, 4), isReadable(coder, UInt64(coder.pointee.struct_size)) else {
      throw CheckFailure(what: "describe", expected: "a coder", found: "an address without memory", rule: .r16)
    }
    raw = coder
    self.coder = imgcoder_coder_read(coder)
    reader = self.coder.reader.map { imgcoder_reader_table_read($0) }
    writer = self.coder.writer.map { imgcoder_writer_table_read($0) }
    container = self.coder.container.map { imgcoder_container_read($0) }
  }

  /// The library's entry.
  static func entry(of path: String) throws(CheckFailure) -> UnsafePointer<imgcoder_entry> {
    guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw CheckFailure(
        what: "dlopen with RTLD_NOW", expected: "a library that loads", found: String(cString: dlerror()), rule: .r6)
    }
    guard let symbol = dlsym(library, IMGCODER_ENTRY_SYMBOL) else {
      throw CheckFailure(what: "the library", expected: "the symbol \(IMGCODER_ENTRY_SYMBOL)", found: "none", rule: .r5)
    }
    return UnsafePointer(symbol.assumingMemoryBound(to: imgcoder_entry.self))
  }

  /// What is wrong with an entry, or nil.
  static func problem(of entry: imgcoder_entry, size: UInt32) -> CheckFailure? {
    func problem(_ what: String, _ expected: String, _ found: String) -> CheckFailure {
      CheckFailure(what: what, expected: expected, found: found, rule: .r16)
    }
    let isMagic = withUnsafeBytes(of: entry.magic) { $0.elementsEqual("IMGCODER".utf8) }
    if size < 32 { return problem("the entry's struct_size", "at least 32", "\(size)") }
    if !isMagic { return problem("the entry's magic", "IMGCODER", "other bytes") }
    if entry.abi_major != UInt32(IMGCODER_ABI_MAJOR) {
      return problem("the entry's abi_major", "\(IMGCODER_ABI_MAJOR)", "\(entry.abi_major)")
    }
    if entry.describe == nil { return problem("the entry's describe", "a function", "null") }
    return nil
  }

  /// Whether it is built for a later version of the interface than this kit, which then does not know all that it may say.
  var isLater: Bool { entry.abi_minor > UInt32(IMGCODER_ABI_MINOR) }

  /// Whether a status is one of the interface: a later version may have more errors.
  func isKnown(_ status: UInt32) -> Bool { Status.isKnown(status) || (isLater && status >= 0x10) }

  var missingReaderCalls: [String] {
    guard let reader else { return [] }
    return Self.missing([
      ("open", reader.open != nil), ("info", reader.info != nil), ("frame_info", reader.frame_info != nil),
      ("negotiate", reader.negotiate != nil), ("decode", reader.decode != nil), ("close", reader.close != nil),
    ])
  }

  var missingWriterCalls: [String] {
    guard let writer else { return [] }
    return Self.missing([
      ("open", writer.open != nil), ("negotiate", writer.negotiate != nil), ("set_info", writer.set_info != nil),
      ("add_frame", writer.add_frame != nil), ("finish", writer.finish != nil), ("close", writer.close != nil),
    ])
  }

  private static func missing(_ calls: [(name: String, isThere: Bool)]) -> [String] {
    calls.filter { !$0.isThere }.map(\.name)
  }

  var readsIncrementally: Bool { coder.flags & UInt32(IMGCODER_CODER_READS_INCREMENTALLY) != 0 }
  var writesPages: Bool { coder.flags & UInt32(IMGCODER_CODER_WRITES_PAGES) != 0 }

  /// The options that the coder describes to write; no more than 1024, and none at a null address.
  var options: [DescribedOption] { Self.options(coder.options, coder.option_count) }
  /// Those to read.
  var readOptions: [DescribedOption] { Self.options(coder.read_options, coder.read_option_count) }

  private static func options(
    _ list: UnsafePointer<UnsafePointer<imgcoder_option>?>?, _ count: UInt64
  ) -> [DescribedOption] {
    guard let list else { return [] }
    return (0..<Int(min(count, 1024))).compactMap { list[$0].map { DescribedOption($0) } }
  }

  /// A text of the plugin, or nil when its address or length cannot be right.
  static func text(_ raw: imgcoder_string) -> String? {
    guard raw.length <= UInt64(IMGCODER_MAX_TEXT) else { return nil }
    guard raw.length > 0 else { return "" }
    guard let bytes = raw.bytes, isReadable(bytes, raw.length) else { return nil }
    guard checking_is_utf8(bytes, raw.length) != 0 else { return nil }
    let buffer = UnsafeRawBufferPointer(start: bytes, count: Int(raw.length))
    return String(decoding: buffer, as: UTF8.self)
  }

  static func shown(_ raw: imgcoder_string) -> String { text(raw).map { "\"\($0)\"" } ?? "a text that is not valid" }
}

func isReadable(_ bytes: UnsafeRawPointer, _ length: UInt64) -> Bool {
  CChecking.checking_is_readable(bytes, length) != 0
}

/// An option as this side knows it. Lists hold this and not the imported struct: programs in Swift share what they know of
/// imported structs, and its size may be the one of a plugin of another version.
struct DescribedOption {
  let type: UInt32
  let name: imgcoder_string
  let text: imgcoder_string
  let minimum: Double
  let maximum: Double
  let defaultValue: Double
  let choices: UnsafePointer<imgcoder_string>?
  let choiceCount: UInt64
  let defaultText: imgcoder_string
  let flags: UInt32

  init(_ option: UnsafePointer<imgcoder_option>) {
    let raw = imgcoder_option_read(option)
    (type, name, text, flags) = (raw.type, raw.name, raw.text, raw.flags)
    (minimum, maximum, defaultValue) = (raw.minimum, raw.maximum, raw.default_value)
    (choices, choiceCount, defaultText) = (raw.choices, raw.choice_count, raw.default_text)
  }
}
