// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Faults of wrapped libraries that are known, and the versions that are free of them.
///
/// They are in a file of their own, `advisories.tsv`, which is renewed without a new release. It is checked as a policy is:
/// if it is there and not understood, or others can write to it, nothing in it counts, and no library counts as free of
/// faults.
package struct Advisories: Sendable {
  /// One line of the file.
  package struct Advisory: Sendable, Equatable {
    package let library: String
    /// The first version without the fault, or nil where none is known.
    let below: [Int]?
    /// Numbers of the advisory, with commas between them, or empty.
    package let numbers: String
    /// Whether reading a file reaches it; writing one does otherwise.
    package let isOfReading: Bool
    /// What mends it: a version, or a patch.
    package let fix: String
    package let note: String

    /// What it is called: its numbers, or what is known of it.
    package var name: String { numbers.isEmpty ? note.isEmpty ? "faults without a number" : note : numbers }
  }

  /// The file, or nil if there is none.
  package let path: String?
  package let all: [Advisory]
  /// What is wrong with the file, or nil.
  package let problem: String?

  /// Bytes that the file may have at most.
  private static let maxFileBytes = 1 << 20
  private static let columns = ["library", "below", "id", "reach", "fixed-in", "note"]

  /// Those of this machine: of the file that `CODERS_ADVISORIES` names, or else of the first that is there of
  /// `$XDG_CONFIG_HOME/coders/advisories.tsv`, `/etc/coders/advisories.tsv`, and `share/coders/advisories.tsv` of the
  /// program's installation. Read once.
  package static let current = Advisories(
    PluginSearchPath.secureEnvironment, executable: PluginSearchPath.executablePath())

  package init(_ environment: (String) -> String?, executable: String?) {
    let named = environment("CODERS_ADVISORIES")
    for path in named.map({ [$0] }) ?? Self.places(environment, executable) {
      do throws(FileProblem) {
        let bytes = try TrustedFile.contents(of: path, maxBytes: Self.maxFileBytes)
        do throws(TextProblem) { self.init(try Self.parsed(bytes), path: path) } catch {
          self.init([], path: path, problem: "\(path) is not understood: \(error)")
        }
        return
      } catch {
        if error.kind == .missing, named == nil { continue }
        self.init([], path: path, problem: "the advisories cannot be read: \(error.message)")
        return
      }
    }
    self.init([], path: nil)
  }

  package init(_ all: [Advisory], path: String?, problem: String? = nil) {
    (self.all, self.path, self.problem) = (all, path, problem)
  }

  private static func places(_ environment: (String) -> String?, _ executable: String?) -> [String] {
    var places: [String] = []
    if let home = environment("XDG_CONFIG_HOME"), home.hasPrefix("/") {
      places.append("\(home)/coders/advisories.tsv")
    } else if let home = environment("HOME"), home.hasPrefix("/") {
      places.append("\(home)/.config/coders/advisories.tsv")
    }
    places.append("/etc/coders/advisories.tsv")
    if let folder = executable.flatMap(PluginSearchPath.parent), let prefix = PluginSearchPath.parent(of: folder) {
      places.append("\(prefix)/share/coders/advisories.tsv")
    }
    return places + ["/usr/local/share/coders/advisories.tsv", "/usr/share/coders/advisories.tsv"]
  }

  /// The lines of a file, but those of programs that come with a library and are never run.
  ///
  /// - Throws: ``TextProblem`` for a line that is not understood: a fault that is left out counts as mended.
  package static func parsed(_ bytes: [UInt8]) throws(TextProblem) -> [Advisory] {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TextProblem("the text is not UTF-8", at: TextPlace(line: 1, column: 1))
    }
    var advisories: [Advisory] = []
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let place = TextPlace(line: number, column: 1)
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      if number == 1 {
        guard fields == columns else {
          throw TextProblem("the columns are \(columns.joined(separator: ", "))", at: place)
        }
        continue
      }
      if line.isEmpty { continue }
      guard fields.count == columns.count, !fields[0].isEmpty, ["decode", "encode", "tool"].contains(fields[3]) else {
        throw TextProblem("six columns are needed, and decode, encode or tool in the fourth", at: place)
      }
      let below = version(fields[1])
      guard fields[1] == "-" || !below.isEmpty else {
        throw TextProblem("\(fields[1].quoted) is neither a version nor -", at: place)
      }
      guard fields[3] != "tool" else { continue }
      advisories.append(
        Advisory(
          library: fields[0].lowercased(), below: fields[1] == "-" ? nil : below,
          numbers: fields[2] == "-" ? "" : fields[2], isOfReading: fields[3] == "decode", fix: fields[4],
          note: fields[5]))
    }
    guard number > 0 else { throw TextProblem("the file is empty", at: TextPlace(line: 1, column: 1)) }
    return advisories
  }

  /// The numbers of a version: 1, 23 and 4 of `1.23.4-2`.
  static func version(_ text: some StringProtocol) -> [Int] {
    text.split { !$0.isASCII || !$0.isNumber }.map { Int($0) ?? .max }
  }

  /// Those that are open.
  ///
  /// A version says nothing of a fix that a distribution has put into an older one: such an advisory counts as open, unless
  /// the manifest names the fix.
  ///
  /// - Parameters:
  ///   - libraries: As a coder says at run time, `libavif 1.4.2, dav1d 1.5.4`.
  ///   - fixes: What the coder's manifest says is in them: a patch, or a version of a package.
  ///   - isReading: Whether those of reading or those of writing are meant.
  package func open(in libraries: String, fixes: Set<String> = [], isReading: Bool = true) -> [Advisory] {
    libraries.split(separator: ",").flatMap { text -> [Advisory] in
      let words = text.split(separator: " ")
      guard let name = words.first?.lowercased() else { return [] }
      let version = Self.version(words.dropFirst().first ?? "")
      return all.filter { advisory in
        guard advisory.library == name, advisory.isOfReading == isReading else { return false }
        if advisory.fix.hasPrefix("patch:"), fixes.contains(String(advisory.fix.dropFirst("patch:".count))) {
          return false
        }
        guard let below = advisory.below, !version.isEmpty else { return true }
        return version.lexicographicallyPrecedes(below)
      }
    }
  }

  /// The library that a coder has found, and those that are inside of it by its manifest.
  ///
  /// - Parameter isReading: Whether those that see files which are read are meant, or those that write.
  package static func libraries(
    _ found: String, _ code: CodeDescription?, isReading: Bool = true
  ) -> String {
    let named = Set(found.split(separator: ",").compactMap { $0.split(separator: " ").first?.lowercased() })
    let inside = (code?.libraries ?? []).filter {
      (isReading ? $0.reads : $0.writes) && !named.contains($0.name.lowercased())
    }.compactMap { library in library.version.map { "\(library.name) \($0)" } }
    return ([found] + inside).filter { !$0.isEmpty }.joined(separator: ", ")
  }

  /// Why a coder that wraps libraries may not see files in the program, as the end of a sentence, or nil.
  package func objection(to libraries: String, of manifest: Manifest?) -> String? {
    if let problem { return "nothing is known of \(libraries.isEmpty ? "its library" : libraries): \(problem)" }
    let libraries = Self.libraries(libraries, manifest?.code)
    let open = open(in: libraries, fixes: manifest?.code?.fixes ?? [])
    guard let first = open.first else { return nil }
    let more = open.count == 1 ? "" : ", and \(open.count - 1) more"
    return "\(libraries) has open advisories: \(first.name)\(more)"
  }
}

/// What becomes of a coder whose library has an open advisory.
public enum AdvisoryRule: String, Sendable, CaseIterable {
  /// `coders doctor` tells.
  case ignore
  /// It sees files in a locked process or not at all.
  case isolate
  /// It sees none.
  case refuse
}
