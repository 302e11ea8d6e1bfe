// SPDX-License-Identifier: Apache-2.0

/// A format's `answers.json`: an object with a member for each fixture, named by its path in the folder.
struct AnswerFile: Decodable, Sendable {
  static let name = "answers.json"

  /// By the path: `valid/rgb8.png`.
  private(set) var valid: [String: ValidAnswer] = [:]
  private(set) var invalid: [String: InvalidAnswer] = [:]
  /// What is wrong with an answer, by its name.
  private(set) var mistakes: [String: String] = [:]

  var names: Set<String> { Set(valid.keys).union(invalid.keys).union(mistakes.keys) }

  init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: AnyName.self)
    for name in members.allKeys {
      do {
        if name.stringValue.hasPrefix("valid/") {
          valid[name.stringValue] = try members.decode(Checked<ValidAnswer>.self, forKey: name).answer
        } else if name.stringValue.hasPrefix("invalid/") {
          invalid[name.stringValue] = try members.decode(Checked<InvalidAnswer>.self, forKey: name).answer
        } else {
          throw AnswerMistake("the name begins neither with valid/ nor with invalid/")
        }
      } catch {
        mistakes[name.stringValue] = Self.sentence(error)
      }
    }
  }

  /// An answer whose members are all known, and whose values fit together.
  private struct Checked<Answer: FixtureAnswer>: Decodable {
    let answer: Answer

    init(from decoder: any Decoder) throws {
      let names = try decoder.container(keyedBy: AnyName.self).allKeys.map(\.stringValue)
      let unknown = names.filter { !Answer.memberNames.contains($0) }.sorted()
      guard unknown.isEmpty else {
        let known = Answer.memberNames.joined(separator: ", ")
        throw AnswerMistake("\(unknown.joined(separator: ", ")) is not known; an answer has \(known)")
      }
      answer = try Answer(from: decoder)
      try answer.validate()
    }
  }

  private struct AnyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// What went wrong and where, as far as the decoder says.
  static func sentence(_ error: any Error) -> String {
    guard let error = error as? DecodingError else { return "\(error)" }
    func place(_ context: DecodingError.Context) -> String {
      let path = context.codingPath.dropFirst().map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
      return path.isEmpty ? "" : " at \(path.joined(separator: "."))"
    }
    switch error {
    case .keyNotFound(let key, let context): return "\(key.stringValue) is missing\(place(context))"
    case .typeMismatch(let type, let context): return "expected \(type)\(place(context))"
    case .valueNotFound(let type, let context): return "expected \(type), found null\(place(context))"
    case .dataCorrupted(let context):
      let cause = context.underlyingError.map { ": \($0)" } ?? ""
      return "\(context.debugDescription)\(place(context))\(cause)"
    @unknown default: return "\(error)"
    }
  }
}
