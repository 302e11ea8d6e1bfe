// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

@Suite struct CoderOptionTests {
  private enum Effort: String, CaseIterable { case fast, best }

  private static let level = CoderOption.integer("level", 0...12, default: 6, "Effort.")
  private static let effort = CoderOption.choice("effort", default: Effort.best, "Effort in words.")
  private static let sampling = CoderOption.subsampling([.s444, .s420], default: .s420)
  private static let table = [level.description, effort.description, sampling.description]

  private static func checked(_ values: [String: OptionValue]) throws(CoderError) -> [String: OptionValue] {
    try OptionDescription.checked(values, for: table, writing: .png)
  }

  @Test func valuesReadAsTheyWereGiven() throws {
    var options = WriteOptions(format: .png)
    #expect(options[Self.level] == 6 && options.given(Self.level) == nil)
    #expect(options[Self.effort] == .best && options[Self.sampling] == .s420)
    options.values = try Self.checked(["level": 12, "effort": "fast", "subsampling": "4:4:4"])
    #expect(options[Self.level] == 12 && options[Self.effort] == .fast && options[Self.sampling] == .s444)
  }

  @Test func numbersMayBeSpelled() throws {
    #expect(try Self.checked(["level": "3"]) == ["level": 3])
    #expect(throws: CoderError.invalidArgument("option level is 13, 0 to 12 is allowed")) {
      try Self.checked(["level": "13"])
    }
    #expect(throws: CoderError.invalidArgument("option level is \"much\", 0 to 12 is allowed")) {
      try Self.checked(["level": "much"])
    }
    #expect(throws: CoderError.invalidArgument("option level is 2.5, 0 to 12 is allowed")) {
      try Self.checked(["level": 2.5])
    }
    #expect(throws: CoderError.invalidArgument("option effort is \"good\", fast, best is allowed")) {
      try Self.checked(["effort": "good"])
    }
  }

  @Test func aTextIsKeptAsItIsAndHasALength() throws {
    let comment = CoderOption.text("comment", maximumBytes: 4, default: "none", "A comment.")
    var options = WriteOptions(format: .png)
    #expect(options[comment] == "none")
    options.values = try OptionDescription.checked(["comment": "12"], for: [comment.description], writing: .png)
    #expect(options.values == ["comment": "12"])
    #expect(options[comment] == "12")
    for value: OptionValue in ["12345", "ééé", 12, true] {
      #expect(
        throws: CoderError.invalidArgument("option comment is \(value), a text of at most 4 bytes is allowed")
      ) { try OptionDescription.checked(["comment": value], for: [comment.description], writing: .png) }
    }
  }

  @Test func aCommonOptionThatIsNotFollowedIsLeftOutAndAnUnknownOneIsAnError() throws {
    #expect(try Self.checked(["quality": 0.5, "progressive": true]) == [:])
    #expect(
      throws: CoderError.invalidArgument("public.png has no option levle; it has level, effort, subsampling")
    ) { try Self.checked(["levle": 1]) }
  }
}
