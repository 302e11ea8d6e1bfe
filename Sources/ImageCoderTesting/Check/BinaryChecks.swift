// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

extension PluginCheck {
  static let binaryChecks: [PluginCheck] = [
    PluginCheck(
      .binary, "elf", .r6, "The library is a well-formed shared library for this processor.", isStatic: true
    ) { (subject) throws(CheckEnd) in
      let file = try Self.file(subject)
      #if arch(arm64)
        let machine: UInt16 = 183
      #else
        let machine: UInt16 = 62
      #endif
      guard file.machine == machine else {
        throw .failed("e_machine", expected: "\(machine)", found: "\(file.machine)")
      }
      return nil
    },
    PluginCheck(
      .binary, "symbols", .r5, "The library exports imgcoder_entry_v1 and nothing else.", isStatic: true
    ) { (subject) throws(CheckEnd) in
      let names = try Self.file(subject).symbols.filter { $0.isDefined && $0.isVisible }.map(\.name).sorted()
      guard names == [IMGCODER_ENTRY_SYMBOL] else {
        let shown = names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", and \(names.count - 8) more" : "")
        throw .failed("exported symbols", expected: IMGCODER_ENTRY_SYMBOL, found: names.isEmpty ? "none" : shown)
      }
      return nil
    },
    PluginCheck(
      .binary, "paths", .r6, "The library searches no absolute path for the libraries that it needs.", isStatic: true
    ) { (subject) throws(CheckEnd) in
      let file = try Self.file(subject)
      // Paths that are absolute name the machine that the plugin was built on, or one that is just like it.
      for path in file.searchPaths.flatMap({ $0.split(separator: ":") }) where !path.hasPrefix("$ORIGIN") {
        throw .failed("RPATH or RUNPATH", expected: "none, or one below $ORIGIN", found: String(path))
      }
      for name in file.needed where name.contains("/") {
        throw .failed("a needed library", expected: "a name without a path", found: name)
      }
      return nil
    },
    PluginCheck(.binary, "textrel", .r6, "The library's code is not changed when it is loaded.", isStatic: true) {
      (subject) throws(CheckEnd) in
      let file = try Self.file(subject)
      guard !file.hasTextRelocations else {
        throw .failed("relocations", expected: "none of code (-fPIC)", found: "DT_TEXTREL")
      }
      guard file.writableCode == 0 else {
        throw .failed("segments", expected: "none both written and executed", found: "\(file.writableCode)")
      }
      return nil
    },
    PluginCheck(.binary, "stack", .r3, "The library does not ask for an executable stack.", isStatic: true) {
      (subject) throws(CheckEnd) in
      let flags = try Self.file(subject).stackFlags
      guard let flags, flags & 1 == 0 else {
        throw .failed(
          "PT_GNU_STACK", expected: "flags without X",
          found: flags.map { "flags \($0)" } ?? "none, which means executable")
      }
      return nil
    },
    PluginCheck(.binary, "load", .r6, "The library loads with all symbols bound (RTLD_NOW).") {
      (subject) throws(CheckEnd) in
      let path = try subject.library
      subject.stage("dlopen of \(path)")
      let start = CheckSubject.now
      do throws(CheckFailure) { _ = try LoadedCoder.entry(of: path) } catch { throw .failed(error) }
      let milliseconds = Int((CheckSubject.now - start) * 1000)
      let needed = try Self.file(subject).needed
      let size = CheckedPlugin.contents(path)?.count ?? 0
      return "\(size / 1024) KiB, loaded in \(milliseconds) ms, needs \(needed.joined(separator: ", "))"
    },
    PluginCheck(.binary, "constructors", .r1, "Loading the library changes nothing in the process.") {
      (subject) throws(CheckEnd) in
      let path = try subject.library
      // What every library of its kind brings, such as the runtime of Swift, is loaded by this program already.
      let before = ProcessState()
      subject.stage("dlopen of \(path)")
      do throws(CheckFailure) { _ = try LoadedCoder.entry(of: path) } catch { throw .failed(error) }
      let after = ProcessState()
      if let (old, new) = before.difference(to: after) {
        throw .failed("dlopen", expected: old, found: new)
      }
      return "\(try Self.file(subject).initializers) initializers without effects"
    },
  ]

  private static func file(_ subject: CheckSubject) throws(CheckEnd) -> ELFFile {
    let path = try subject.library
    guard let bytes = CheckedPlugin.contents(path, atMost: 1 << 30) else {
      throw .failed(path, expected: "a library", found: "none that can be read", rule: .r6)
    }
    do throws(ELFFile.Damage) { return try ELFFile(bytes) } catch {
      throw .failed(CheckedPlugin.lastName(path), expected: "a shared library", found: error.what, rule: .r6)
    }
  }
}

/// What a plugin must not change.
struct ProcessState {
  /// `the umask: 022`, a line each.
  let lines: [String]
  let threads: UInt32

  init() {
    var text = [CChar](repeating: 0, count: 1 << 19)
    let length = checking_process_state(&text, UInt64(text.count))
    let bytes = text.prefix(Int(length)).map { UInt8(bitPattern: $0) }
    lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    threads = checking_task_count()
  }

  /// The first line that differs: before and after.
  ///
  /// - Parameter prefix: Of the lines that count; empty for all, and the threads.
  func difference(to other: ProcessState, _ prefix: String = "") -> (old: String, new: String)? {
    let (own, others) = (lines.filter { $0.hasPrefix(prefix) }, other.lines.filter { $0.hasPrefix(prefix) })
    let (gone, new) = (own.first { !others.contains($0) }, others.first { !own.contains($0) })
    if gone != nil || new != nil {
      let kind = (gone ?? new ?? "").prefix { $0 != ":" }
      return (gone ?? "\(kind): none", new ?? "\(kind): gone")
    }
    if prefix.isEmpty, threads != other.threads { return ("\(threads) threads", "\(other.threads) threads") }
    return nil
  }
}
