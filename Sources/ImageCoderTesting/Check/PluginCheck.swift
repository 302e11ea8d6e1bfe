// SPDX-License-Identifier: Apache-2.0

/// One thing that `coders check` tests.
package struct PluginCheck: Sendable {
  /// Checks of one topic.
  package enum Group: String, Sendable, Codable, CaseIterable {
    case manifest
    case binary
    case interface
    case decode
    case incremental
    case pages
    case animation
    case metadata
    case writing
    case operations
    case process
    case isolated
    case fuzz
  }

  package let group: Group
  package let name: String
  package let rule: Rule
  /// What holds for a plugin that passes. One sentence.
  package let sentence: String
  /// Whether the check reads files only, and runs no code of the plugin.
  package let isStatic: Bool
  /// Returns a note on what passed, or nil.
  let body: @Sendable (CheckSubject) throws(CheckEnd) -> String?

  /// `decode.cut`.
  package var id: String { "\(group.rawValue).\(name)" }

  init(
    _ group: Group, _ name: String, _ rule: Rule, _ sentence: String, isStatic: Bool = false,
    body: @escaping @Sendable (CheckSubject) throws(CheckEnd) -> String?
  ) {
    self.group = group
    self.name = name
    self.rule = rule
    self.sentence = sentence
    self.isStatic = isStatic
    self.body = body
  }

  /// All checks, group by group.
  package static let all: [PluginCheck] =
    manifestChecks + manifestLibraryChecks + binaryChecks + interfaceChecks + interfaceAnswerChecks + decodeChecks
    + decodeSizeChecks + decodePixelChecks + decodeDamageChecks + decodeHostChecks + readingOptionChecks
    + incrementalChecks + pageChecks + animationChecks
    + metadataChecks + writingChecks + writingFailureChecks + writingOptionChecks + operationChecks + processChecks
    + isolatedChecks + fuzzChecks

  /// The checks that a list of `GROUP` and `GROUP.NAME` selects, or nil for the first word that names none.
  package static func selection(_ words: [String]) -> (checks: [PluginCheck], unknown: String?) {
    let unknown = words.first { word in !all.contains { $0.group.rawValue == word || $0.id == word } }
    return (all.filter { words.contains($0.group.rawValue) || words.contains($0.id) }, unknown)
  }
}

/// How a check ended other than by passing.
enum CheckEnd: Error, Sendable {
  case failed(CheckFailure)
  /// Not wrong, but worth a look.
  case warned(String)
  /// The plugin breaks the rule, and its manifest says so: how, and where.
  case waived(String)
  /// The check does not apply, with the reason.
  case skipped(String)

  /// - Parameters:
  ///   - what: What was looked at: a sample and what was done with it.
  ///   - rule: The rule that is broken, or nil for that of the check.
  static func failed(_ what: String, expected: String, found: String, rule: Rule? = nil) -> CheckEnd {
    .failed(CheckFailure(what: what, expected: expected, found: found, rule: rule))
  }
}

/// What a check found wrong.
package struct CheckFailure: Error, Sendable, Codable, Equatable {
  package var what: String
  package var expected: String
  package var found: String
  /// The broken rule, or nil for that of the check.
  package var rule: Rule?
}

/// The result of one check of one plugin.
package struct CheckResult: Sendable, Codable, Equatable {
  package enum Outcome: String, Sendable, Codable, CaseIterable {
    case pass
    case fail
    case warn
    case skipped
  }

  package var check: String
  package var rule: Rule
  package var outcome: Outcome
  /// What a pass, a warning or a skipped check says, or nil.
  package var note: String?
  /// How the plugin breaks the rule, and which key of the manifest allows that; nil for a pass without exception.
  package var waiver: String?
  package var failure: CheckFailure?
  /// A file that repeats the failure, or nil.
  package var file: String?
  package var milliseconds: Int

  init(_ check: PluginCheck, _ outcome: Outcome, note: String? = nil, failure: CheckFailure? = nil) {
    self.check = check.id
    self.rule = failure?.rule ?? check.rule
    self.outcome = outcome
    self.note = note
    self.failure = failure
    milliseconds = 0
  }

  /// Runs a check in this process.
  init(running check: PluginCheck, on subject: CheckSubject) {
    do throws(CheckEnd) {
      self.init(check, .pass, note: try check.body(subject))
    } catch {
      switch error {
      case .failed(let failure): self.init(check, .fail, failure: failure)
      case .warned(let note): self.init(check, .warn, note: note)
      case .waived(let waiver):
        self.init(check, .pass)
        self.waiver = waiver
      case .skipped(let reason): self.init(check, .skipped, note: reason)
      }
    }
  }
}
