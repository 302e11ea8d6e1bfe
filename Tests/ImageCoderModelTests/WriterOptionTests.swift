// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct WriterOptionTests {
  private enum Effort: String, CaseIterable { case fast, best }

  private static let level = WriterOption.integer("level", 0...12, default: 6, "Effort.")
  private static let effort = WriterOption.choice("effort", default: Effort.best, "Effort in words.")
  private static let sampling = WriterOption.subsampling([.s444, .s420], default: .s420)
  private static let table = [level.description, effort.description, sampling.description]

  private static func numbers(_ values: [String: OptionValue]) throws(CoderError) -> [String: Double] {
    try OptionDescription.numbers(of: values, for: table, of: .png)
  }

  @Test func valuesReadAsTheyWereGiven() throws {
    var options = WriteOptions(format: .png)
    #expect(options[Self.level] == 6 && options.given(Self.level) == nil)
    #expect(options[Self.effort] == .best && options[Self.sampling] == .s420)
    options.values = try Self.numbers(["level": 12, "effort": "fast", "subsampling": "4:4:4"])
    #expect(options[Self.level] == 12 && options[Self.effort] == .fast && options[Self.sampling] == .s444)
  }

  @Test func numbersMayBeSpelled() throws {
    #expect(try Self.numbers(["level": "3"]) == ["level": 3])
    #expect(throws: CoderError.invalidArgument("option level is 13, 0 to 12 is allowed")) {
      try Self.numbers(["level": "13"])
    }
    #expect(throws: CoderError.invalidArgument("option level is \"much\", 0 to 12 is allowed")) {
      try Self.numbers(["level": "much"])
    }
    #expect(throws: CoderError.invalidArgument("option level is 2.5, 0 to 12 is allowed")) {
      try Self.numbers(["level": 2.5])
    }
    #expect(throws: CoderError.invalidArgument("option effort is \"good\", fast, best is allowed")) {
      try Self.numbers(["effort": "good"])
    }
  }

  @Test func aCommonOptionThatIsNotFollowedIsLeftOutAndAnUnknownOneIsAnError() throws {
    #expect(try Self.numbers(["quality": 0.5, "progressive": true]) == [:])
    #expect(
      throws: CoderError.invalidArgument("public.png has no option levle; it has level, effort, subsampling")
    ) { try Self.numbers(["levle": 1]) }
  }
}
