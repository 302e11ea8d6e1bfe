// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoders
import TestSupport
import Testing

/// Whatever becomes of a file's bytes, a coder answers: with an image, or with an error that blames the file.
@Suite struct MutationTests {
  /// Files made of each format; the variable asks for more, `MUTANTS=100000`.
  static let count = Int(ProcessInfo.processInfo.environment["MUTANTS"] ?? "") ?? 10_000
  static let seed: UInt64 = 0x1D_C0DE_2501

  /// Every format that has fixtures.
  static let formats = StagedTree.fixtureFormats

  @Test(arguments: Turn.rows(formats)) func mutantsAreAnswered(_ format: String) throws {
    let registry = CoderRegistry(
      searchPath: .only([StagedTree.plugins, ForeignPlugin.qoi.path]),
      preferences: CoderPreferences())
    let files = try Self.files(of: format)
    var answers: [String: Int] = [:]
    for number in 0..<Self.count {
      // A mutant depends on the seed and its number alone, so that one can be made again.
      var random = SplitMix(seed: Self.seed &+ UInt64(number))
      var bytes = files[number % files.count]
      for _ in 0...random.below(3) {
        Mutation.allCases[random.below(Mutation.allCases.count)].apply(to: &bytes, &random)
      }
      if format == "png", number % 4 != 0 { PNGChecksums.repair(&bytes) }
      var options = number % 3 == 0 ? DecodeOptions.thumbnail(width: 7, height: 9) : DecodeOptions()
      options.limits = Limits(maxPixels: 1 << 20, maxMemory: 64 << 20, maxFrames: 500)
      let answer: String
      do throws(CoderError) {
        let image = try registry.decode(.bytes(bytes), options: options)
        answer = image.problem.map { "image, \($0.code)" } ?? "image"
        #expect(image.problem?.isFair ?? true, "mutant \(number) of seed \(Self.seed): \(image.problem as Any)")
      } catch {
        answer = "\(error.code)"
        #expect(error.isFair, "mutant \(number) of seed \(Self.seed): \(error)")
      }
      answers[answer, default: 0] += 1
    }
    let summary = answers.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
    print("\(format): seed \(Self.seed), \(Self.count) mutants of \(files.count) files: \(summary)")
    #expect(answers.values.reduce(0, +) == Self.count)
  }

  private static func files(of format: String) throws -> [[UInt8]] {
    let folder = "\(StagedTree.fixtures(format))/valid"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".json") }.sorted()
    return try names.map { name in
      let source = try OpenSource(.file("\(folder)/\(name)"), limits: .standard)
      // A view lives as long as its source, and a source may go after its last use.
      return try withExtendedLifetime(source) { [UInt8](try $0.view(at: 0, count: .max)) }
    }
  }
}

extension CoderError {
  /// Whether the code says that the file is bad, not understood, or too much: nothing that is a coder's own fault.
  fileprivate var isFair: Bool {
    switch code {
    case .wrongFormat, .truncated, .malformed, .checksumMismatch, .unsupported, .noCoder, .limitExceeded: true
    default: false
    }
  }
}
