// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What the manifest says by itself.
  static let manifestChecks: [PluginCheck] = [
    PluginCheck(.manifest, "readable", .manifest, "The manifest is valid.", isStatic: true) {
      (subject) throws(CheckEnd) in
      do throws(SkipReason) { _ = try Manifest(json: try Self.bytes(subject)) } catch {
        throw .failed("the manifest", expected: "a valid one", found: error.message)
      }
      return nil
    },
    PluginCheck(
      .manifest, "keys", .manifest, "The manifest has no key, word or form that hosts ignore.", isStatic: true
    ) { (subject) throws(CheckEnd) in
      let warnings = try subject.manifest.warnings
      guard warnings.isEmpty else { throw .warned(warnings.map(\.description).joined(separator: "; ")) }
      return nil
    },
    PluginCheck(
      .manifest, "names", .manifest, "Names, version and MIME types are there and have their usual form.",
      isStatic: true
    ) { (subject) throws(CheckEnd) in
      let manifest = try subject.manifest
      func require(_ holds: Bool, _ what: String, _ expected: String, _ found: String) throws(CheckEnd) {
        guard holds else { throw .failed(what, expected: expected, found: "\"\(found)\"") }
      }
      try require(!manifest.name.isEmpty, "name", "a name", manifest.name)
      try require(manifest.version.first?.isNumber == true, "version", "a version such as 1.0.0", manifest.version)
      for format in manifest.formats {
        let uti = format.format.rawValue
        try require(
          uti.contains(".") && !uti.contains(" "), "uti of \(format.name)", "a type identifier in reverse-DNS form", uti
        )
        for mime in format.mimeTypes {
          try require(
            mime.split(separator: "/", omittingEmptySubsequences: false).count == 2 && !mime.contains(" "),
            "mime of \(format.name)", "TYPE/SUBTYPE", mime)
        }
      }
      return nil
    },
    PluginCheck(
      .manifest, "extensions", .manifest, "Extensions have no dot, no upper case and are named once.", isStatic: true
    ) { (subject) throws(CheckEnd) in
      _ = try subject.manifest
      var seen: Set<String> = []
      for word in Self.extensions(in: try subject.manifestBytes) {
        let isRight = !word.isEmpty && word.lowercased() == word && !word.contains { ". /".contains($0) }
        guard isRight else {
          throw .failed("extensions", expected: "lower case without a dot", found: "\"\(word)\"")
        }
        guard seen.insert(word).inserted else {
          throw .failed("extensions", expected: "each one once", found: "\"\(word)\" twice")
        }
      }
      return nil
    },
    PluginCheck(
      .manifest, "signatures", .manifest, "Signatures compare some bits, and each format has one or an extension.",
      isStatic: true
    ) { (subject) throws(CheckEnd) in
      for format in try subject.manifest.formats {
        guard !format.signatures.isEmpty || !format.extensions.isEmpty else {
          throw .failed(format.name, expected: "a signature or an extension", found: "neither")
        }
        for signature in format.signatures where signature.strength < 8 {
          throw .failed(
            "match of \(format.name)", expected: "a mask that compares at least 8 bits",
            found: "\(signature.strength) bits")
        }
      }
      return nil
    },
    PluginCheck(.manifest, "samples", .manifest, "Each sample agrees with a signature.", isStatic: true) {
      (subject) throws(CheckEnd) in
      let signatures = try subject.manifest.formats.flatMap(\.signatures)
      guard !signatures.isEmpty else { throw .skipped("the formats have no signatures") }
      // Such a file may be of a format that no signature tells apart.
      let manifest = try subject.manifest
      let hasUnsigned =
        manifest.formats.contains { $0.signatures.isEmpty } || manifest.capabilities.contains("recognize")
      let samples = try subject.givenSamples
      guard !samples.isEmpty else { throw .skipped("there are no sample files") }
      for sample in samples where !signatures.contains(where: { $0.isIn(sample.bytes) }) {
        if hasUnsigned { continue }
        throw .failed(sample.name, expected: "a file that a signature agrees with", found: "none agrees")
      }
      return nil
    },
    PluginCheck(
      .manifest, "others", .manifest, "No signature agrees with the files or signatures of other formats.",
      isStatic: true
    ) { (subject) throws(CheckEnd) in
      let manifest = try subject.manifest
      let signatures = manifest.formats.flatMap(\.signatures)
      let own = Set(manifest.formats.map(\.format))
      let others = Self.others(subject, manifest)
      // A file of a kind of this format is one of this format, too.
      let kinds = others.flatMap(\.formats).filter { !own.isDisjoint(with: $0.refines) }
      for sample in try subject.foreignSamples {
        let agreeing = signatures.filter { $0.isIn(sample.bytes) }
        guard !agreeing.isEmpty else { continue }
        guard !kinds.contains(where: { $0.signatures.contains { $0.isIn(sample.bytes) } }) else { continue }
        // A file is of each format whose brand it states (ISO/IEC 14496-12 §4.3).
        let theirs = others.flatMap(\.formats).flatMap(\.signatures).filter { $0.isIn(sample.bytes) }
        if agreeing.allSatisfy(\.isByBrand), theirs.contains(where: \.isByBrand) { continue }
        throw .failed(sample.name, expected: "no signature that agrees with it", found: "one that agrees")
      }
      for other in others {
        for format in other.formats where !own.contains(format.format) && own.isDisjoint(with: format.refines) {
          for theirs in format.signatures where theirs.offset >= 0 {
            let file = theirs.example
            guard let match = signatures.first(where: { $0.isIn(file) }) else { continue }
            // The host asks the stronger one first, which tells the two apart.
            guard match.strength >= theirs.strength else { continue }
            throw .failed(
              "the signatures", expected: "none that agrees with a file of \(format.name) (\(other.id))",
              found: "one of \(match.strength) bits, theirs has \(theirs.strength)")
          }
        }
      }
      return nil
    },
    PluginCheck(
      .manifest, "permissions", .manifest, "Others can change neither files nor folder; the library is not setuid.",
      isStatic: true
    ) { (subject) throws(CheckEnd) in
      let library = try subject.library
      for path in [CheckedPlugin.folder(library), subject.plugin.manifest, library].compactMap({ $0 }) {
        var status = stat()
        guard stat(path, &status) == 0 else {
          throw .failed(path, expected: "a file", found: String(cString: strerror(errno)).lowercased())
        }
        let mode = String(status.st_mode & 0o7777, radix: 8)
        guard status.st_mode & S_IWOTH == 0 else {
          throw .failed(path, expected: "a mode in which others cannot write", found: mode)
        }
        if path == library, status.st_mode & (S_ISUID | S_ISGID) != 0 {
          throw .failed(path, expected: "a mode without setuid and setgid", found: mode)
        }
      }
      return nil
    },
  ]

  /// The extensions as the file spells them.
  private static func extensions(in manifest: [UInt8]) -> [String] {
    let words = Result { () throws(TextProblem) in
      let formats = try JSONNode(JSONValue(parsing: manifest), name: "the manifest").object().required("formats")
      return try formats.list { (format) throws(TextProblem) in
        try format.object()["extensions"]?.list { (word) throws(TextProblem) in try word.string() } ?? []
      }
    }
    // A manifest that cannot be read has been named already.
    return (try? words.get())?.flatMap { $0 } ?? []
  }

  private static func bytes(_ subject: CheckSubject) throws(SkipReason) -> [UInt8] {
    guard let path = subject.plugin.manifest else {
      throw SkipReason(.manifestUnreadable, "no manifest beside the library names it")
    }
    guard let bytes = CheckedPlugin.contents(path, atMost: 1 << 20) else {
      throw SkipReason(.manifestUnreadable, "\(path) cannot be read, or is larger than 1 MiB")
    }
    return bytes
  }

  /// The other plugins in the folder.
  private static func others(_ subject: CheckSubject, _ manifest: Manifest) -> [Manifest] {
    guard let path = subject.plugin.manifest else { return [] }
    let folder = CheckedPlugin.folder(path)
    return CheckedPlugin.names(in: folder).filter { $0.hasSuffix(CheckedPlugin.suffix) }.compactMap { name in
      guard let bytes = CheckedPlugin.contents("\(folder)/\(name)", atMost: 1 << 20) else { return nil }
      return try? Manifest(json: bytes)
    }.filter { $0.id != manifest.id }
  }
}

extension FormatSignature {
  func isIn(_ file: [UInt8]) -> Bool {
    file.withUnsafeBytes { bytes in
      if case .yes = matches(bytes, isComplete: true) { true } else { false }
    }
  }

  /// The shortest file that agrees; what the mask leaves open is 0xFF.
  fileprivate var example: [UInt8] {
    var file = [UInt8](repeating: 0xFF, count: offset + bytes.count)
    for (index, byte) in bytes.enumerated() {
      let bits = mask.isEmpty ? 0xFF : mask[index]
      file[offset + index] = byte & bits | ~bits
    }
    return file
  }
}

extension FormatSignature {
  /// Whether a file has to state a brand.
  fileprivate var isByBrand: Bool {
    conditions.contains { if case .brand = $0 { true } else { false } }
  }
}
