// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Which of many coders a file is held to be of, beside each bit compared by itself.
@Suite struct RecognitionTests {
  private struct Known {
    let offset: Int
    let bytes: [UInt8]
    let mask: [UInt8]

    init(_ random: inout SplitMix) {
      offset = Int.random(in: 0...12, using: &random)
      let count = Int.random(in: 1...20, using: &random)
      bytes = (0..<count).map { _ in Self.letter(&random) }
      var mask = (0..<count).map { _ in [0x00, 0x0F, 0xF0, 0xFF, 0xFF].randomElement(using: &random)! as UInt8 }
      mask[Int.random(in: 0..<count, using: &random)] = 0x01
      self.mask = mask
    }

    /// Few, so that much agrees by chance.
    static func letter(_ random: inout SplitMix) -> UInt8 { Bool.random(using: &random) ? 0x61 : 0x72 }

    var strength: Int { mask.reduce(0) { $0 + $1.nonzeroBitCount } }
    var reach: Int { offset + bytes.count }

    /// Nil when the file differs from it.
    func agrees(_ file: [UInt8]) -> Recognition? {
      for (index, byte) in bytes.enumerated() where offset + index < file.count {
        let different = file[offset + index] ^ byte
        for bit in 0..<8 where mask[index] >> bit & 1 == 1 && different >> bit & 1 == 1 { return nil }
      }
      return reach <= file.count ? .yes(strength: strength) : .needMore(bytes: reach)
    }

    var match: String { #"{"offset": \#(offset), "bytes": "\#(hex(bytes))", "mask": "\#(hex(mask))"}"# }

    private func hex(_ bytes: [UInt8]) -> String {
      bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  private static func expected(_ coder: [[Known]], _ file: [UInt8]) -> Recognition {
    var answer = Recognition.no
    for known in coder.joined() {
      guard let found = known.agrees(file) else { continue }
      switch (found, answer) {
      case (.yes(let new), .yes(let old)): answer = .yes(strength: max(new, old))
      case (.needMore(let new), .needMore(let old)): answer = .needMore(bytes: min(new, old))
      case (.yes, _), (_, .no): answer = found
      default: break
      }
    }
    return answer
  }

  private static func step(_ answer: Recognition) -> String {
    switch answer {
    case .yes(let strength): "by \(strength) bits of its signature, priority 100"
    case .needMore(let bytes): "agrees so far, \(bytes) bytes would decide"
    case .no: "no signature agrees"
    }
  }

  /// Up to 80 coders, more than a word has bits, each with up to three formats of up to three signatures.
  @Test(arguments: 1...12) func everyBitCounts(_ seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let coders = (0..<Int.random(in: 1...80, using: &random)).map { _ in
      (0..<Int.random(in: 1...3, using: &random)).map { _ in
        (0..<Int.random(in: 1...3, using: &random)).map { _ in Known(&random) }
      }
    }
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    for (number, coder) in coders.enumerated() {
      let formats = coder.enumerated().map { index, signatures in
        #"{"uti": "org.example.f\#(number).n\#(index)", "match": [\#(signatures.map(\.match).joined(separator: ", "))]}"#
      }
      let changes = ["id": "\"org.example.c\(number)\"", "formats": "[\(formats.joined(separator: ", "))]"]
      folder.write(PluginFolder.manifest(changes), to: "\(number).imgcoder.json")
    }
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([folder.path]), preferences: CoderPreferences())
    try #require(registry.coderIDs.count == coders.count)
    for _ in 0..<200 {
      var file = (0..<Int.random(in: 1...60, using: &random)).map { _ in Known.letter(&random) }
      if Bool.random(using: &random) {
        // Made to agree with one of them, as far as it goes.
        let known = coders.randomElement(using: &random)!.randomElement(using: &random)!.randomElement(using: &random)!
        for (index, byte) in known.bytes.enumerated() where known.offset + index < file.count {
          file[known.offset + index] = byte
        }
      }
      let answers = coders.map { Self.expected($0, file) }
      var steps: [String: String] = [:]
      _ = try? registry.open(.bytes(file)) { step in
        guard [.identified, .needMore, .noMatch].contains(step.code), let coder = step.coder else { return }
        steps[coder] = step.message
      }
      for (number, answer) in answers.enumerated() {
        #expect(steps["org.example.c\(number)"] == Self.step(answer), "coder \(number), file \(file)")
      }
      // Without an explanation, most coders are ruled out by a look.
      let code = #expect(throws: CoderError.self) { try registry.open(.bytes(file)) }?.code
      let isKnown = answers.contains { if case .yes = $0 { true } else { false } }
      let isCut = answers.contains { if case .needMore = $0 { true } else { false } }
      #expect(code == (isKnown ? .pluginRejected : isCut ? .truncated : .noCoder), "file \(file)")
    }
  }
}
