// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders

/// Test pictures of one format, with the answers that a coder must give.
///
///     myformat/
///       answers.json     what the coder must answer for each file, by its path: "valid/rgb8.my"
///       valid/rgb8.my    pictures that have to be decoded
///       invalid/cut.my   damaged files
///
/// Every picture needs an answer and every answer a picture. `Tests/Fixtures/README.md` of this project describes the
/// answers; ``CoderConformance/draftAnswers(pluginDirectory:id:fixtures:)`` writes a first version of the file. Sibling
/// folders hold other formats in the same way: the coder has to refuse their `valid/` pictures, whatever answers they
/// have. Names that begin with a dot are not looked at.
public struct Fixtures: Sendable {
  /// Pictures that have to be decoded.
  public let valid: [Fixture<ValidAnswer>]
  /// Files that have to be refused, at once or after some rows.
  public let invalid: [Fixture<InvalidAnswer>]
  /// Pictures of other formats, which have to be told apart: those of the sibling folders.
  public let foreign: [ForeignPicture]
  /// What is wrong with the folder, each of which fails a check.
  let mistakes: [Mistake]

  /// A picture without an answer, an answer without a picture, or one that cannot be used.
  struct Mistake: Sendable {
    /// The fixture: `valid/rgb8.png`.
    let name: String
    let expected: String
    let found: String
  }

  /// No files.
  static let empty = Fixtures()

  private init() { (valid, invalid, foreign, mistakes) = ([], [], [], []) }

  /// Reads the fixtures in a folder, and its `answers.json` once.
  ///
  /// - Throws: ``CoderError/Code/io`` when the folder or its `answers.json` is missing or cannot be read.
  public init(folder: String) throws {
    let answers = try Self.answers(in: folder)
    let validNames = try Self.names(in: folder, "valid")
    let invalidNames = try Self.names(in: folder, "invalid")
    valid = try validNames.compactMap { name in try answers.valid[name].map { try Fixture(folder, name, $0) } }
    invalid = try invalidNames.compactMap { name in try answers.invalid[name].map { try Fixture(folder, name, $0) } }
    mistakes = Self.mistakes(answers, validNames, invalidNames)
    foreign = try Self.siblings(of: folder).flatMap { sibling in
      try Self.names(in: sibling, "valid").map { try ForeignPicture(sibling, $0) }
    }
  }

  private static func answers(in folder: String) throws(CoderError) -> AnswerFile {
    let path = "\(folder)/\(AnswerFile.name)"
    guard FileManager.default.fileExists(atPath: path) else {
      throw .io("\(path) is missing: it says what the coder must answer for each file in valid/ and invalid/")
    }
    let bytes = try contents(path)
    do {
      return try JSONDecoder().decode(AnswerFile.self, from: Data(bytes))
    } catch {
      throw .io("\(path) cannot be read: \(AnswerFile.sentence(error))")
    }
  }

  private static func mistakes(_ answers: AnswerFile, _ valid: [String], _ invalid: [String]) -> [Mistake] {
    var mistakes: [Mistake] = []
    for (folder, names) in [("valid", valid), ("invalid", invalid)] where names.isEmpty {
      mistakes.append(Mistake(name: "\(folder)/", expected: "at least one file", found: "none"))
    }
    let pictures = Set(valid + invalid)
    for name in pictures.subtracting(answers.names).sorted() {
      mistakes.append(Mistake(name: name, expected: "an answer in \(AnswerFile.name)", found: "none"))
    }
    for name in answers.names.sorted() {
      if let mistake = answers.mistakes[name] {
        mistakes.append(Mistake(name: name, expected: "an answer that can be used", found: mistake))
      } else if !pictures.contains(name) {
        mistakes.append(Mistake(name: name, expected: "a file for its answer", found: "none"))
      }
    }
    return mistakes
  }

  /// The paths of a folder's files in a folder of fixtures, sorted; none when it is not there.
  static func names(in fixtures: String, _ folder: String) throws -> [String] {
    let path = "\(fixtures)/\(folder)"
    guard isFolder(path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .filter { !$0.hasPrefix(".") && !isFolder("\(path)/\($0)") }.sorted().map { "\(folder)/\($0)" }
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
  }

  private static func siblings(of folder: String) throws -> [String] {
    let parts = folder.split(separator: "/")
    let parent = (folder.hasPrefix("/") ? "/" : "") + parts.dropLast().joined(separator: "/")
    let place = parent.isEmpty ? "." : parent
    return try FileManager.default.contentsOfDirectory(atPath: place).sorted()
      .filter { $0 != parts.last.map(String.init) }.map { "\(place)/\($0)" }
  }

  static func contents(_ path: String) throws(CoderError) -> [UInt8] {
    try OpenSource(.file(path), limits: .standard).contents()
  }
}

/// One test picture.
public struct Fixture<Answer: Decodable & Sendable>: Sendable {
  /// The file's name: `gray1.png`.
  public let name: String
  /// The whole file.
  public let bytes: [UInt8]
  /// What `answers.json` says about the file.
  public let answer: Answer

  init(_ folder: String, _ path: String, _ answer: Answer) throws(CoderError) {
    name = path.split(separator: "/").last.map(String.init) ?? path
    bytes = try Fixtures.contents("\(folder)/\(path)")
    self.answer = answer
  }
}

/// A picture of another format.
public struct ForeignPicture: Sendable {
  /// The file's name: `gray1.png`.
  public let name: String
  /// The whole file.
  public let bytes: [UInt8]

  init(_ folder: String, _ path: String) throws(CoderError) {
    name = path.split(separator: "/").last.map(String.init) ?? path
    bytes = try Fixtures.contents("\(folder)/\(path)")
  }
}
