// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders

/// Test pictures of one format, with the answers that a coder must give.
///
/// A folder with `valid/` and `invalid/`; beside each picture `name.ext` lies `name.ext.json`. `Tests/Fixtures` of this
/// project documents the answers by example.
public struct Fixtures: Sendable {
  /// Pictures that have to be decoded.
  public let valid: [Fixture<ValidAnswer>]
  /// Files that have to be refused, at once or after some rows.
  public let invalid: [Fixture<InvalidAnswer>]
  /// Pictures of other formats, which have to be told apart: those of the sibling folders.
  public let foreign: [Fixture<ValidAnswer>]

  /// Reads the fixtures in a folder.
  ///
  /// - Throws: When the folder has none, or an answer cannot be read.
  public init(folder: String) throws {
    valid = try Fixture<ValidAnswer>.all(in: "\(folder)/valid")
    invalid = try Fixture<InvalidAnswer>.all(in: "\(folder)/invalid")
    var foreign: [Fixture<ValidAnswer>] = []
    let (parent, own) = Self.split(folder)
    for name in try FileManager.default.contentsOfDirectory(atPath: parent).sorted() where name != own {
      let sibling = "\(parent)/\(name)/valid"
      if FileManager.default.fileExists(atPath: sibling) { foreign += try Fixture<ValidAnswer>.all(in: sibling) }
    }
    self.foreign = foreign
  }

  private static func split(_ path: String) -> (parent: String, name: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    let parent = (path.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
    return (parent.isEmpty ? "." : parent, parts.last.map(String.init) ?? path)
  }
}

/// One test picture.
public struct Fixture<Answer: Decodable & Sendable>: Sendable {
  /// The file's name: `gray1.png`.
  public let name: String
  public let bytes: [UInt8]
  public let answer: Answer

  static func all(in folder: String) throws -> [Fixture] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".json") }.sorted()
    guard !names.isEmpty else { throw CoderError.io("\(folder) has no fixtures") }
    return try names.map { json in
      let name = String(json.dropLast(5))
      do {
        let answer = try JSONDecoder().decode(Answer.self, from: Data(try contents("\(folder)/\(json)")))
        return Fixture(name: name, bytes: try contents("\(folder)/\(name)"), answer: answer)
      } catch {
        throw CoderError.io("\(folder)/\(json): \(error)")
      }
    }
  }

  private static func contents(_ path: String) throws(CoderError) -> [UInt8] {
    try OpenSource(.file(path), limits: .standard).contents()
  }
}
