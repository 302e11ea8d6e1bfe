// SPDX-License-Identifier: Apache-2.0

import CodersCommand
import ImageCoders
import TerminalGraphics
import Testing

/// What terminals answer, as they do.
@Suite struct TerminalRepliesTests {
  private static let answers: [(String, TerminalReplies.Reply?)] = [
    ("\u{1B}[?62;4;22c", .attributes([62, 4, 22])),
    ("\u{1B}[?1;2c", .attributes([1, 2])),
    // Kitty's ends with a separator.
    ("\u{1B}[?62;c", .attributes([62, 0])),
    ("\u{1B}P>|kitty(0.26.5)\u{1B}\\", .version("kitty(0.26.5)")),
    ("\u{1B}P>|tmux 3.3a\u{1B}\\", .version("tmux 3.3a")),
    ("\u{1B}_Gi=31;OK\u{1B}\\", .picture(id: 31, message: "OK")),
    ("\u{1B}_Gi=33,r=2;OK\u{1B}\\", .picture(id: 33, message: "OK")),
    ("\u{1B}_Gi=32;EBADF:no such file\u{1B}\\", .picture(id: 32, message: "EBADF:no such file")),
    ("\u{1B}[6;20;10t", .cell(Size(width: 10, height: 20))),
    ("\u{1B}[4;480;800t", .area(Size(width: 800, height: 480))),
    ("\u{1B}[?2026;2$y", .mode(2026, setting: 2)),
    ("\u{1B}[?1;0;256S", .registers(256)),
    ("\u{1B}[?2;0;1000;900S", .largestSixel(Size(width: 1000, height: 900))),
    ("\u{1B}[0n", .ready),
    // A terminal without color registers: status 3, failure.
    ("\u{1B}[?1;3;0S", nil),
    ("\u{1B}[3n", nil), ("\u{1B}[6;0;10t", nil), ("\u{1B}[6;20t", nil), ("\u{1B}[9;24;80t", nil),
    ("\u{1B}[6;99999999999999999999;10t", nil), ("\u{1B}[6;70000;10t", nil), ("\u{1B}[6;-20;10t", nil),
    ("\u{1B}[?6;20;10t", nil), ("\u{1B}[>1;95;0c", nil), ("\u{1B}[62c", nil), ("\u{1B}[?;S", nil),
    ("\u{1B}[A", nil), ("\u{1B}OP", nil), ("é", nil), ("\u{1B}P1$r0m\u{1B}\\", nil),
    ("\u{1B}_Gi=99999999999999999999;OK\u{1B}\\", nil), ("\u{1B}_Gr=1;OK\u{1B}\\", nil), ("\u{1B}_GOK\u{1B}\\", nil),
    ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", nil),
    // Keys.
    ("q", .key(.quit)), (" ", .key(.pause)), ("\u{1B}[C", .key(.forward)), ("\u{1B}[D", .key(.backward)),
    ("+", .key(.faster)),
    ("=", .key(.faster)), ("-", .key(.slower)), ("Q", nil), ("\u{1B}[1;5C", nil), ("\u{1B}[?C", nil),
    // CAN ends it.
    ("\u{1B}[?62\u{18};4c", nil), ("\u{1B}P>|kit\u{1A}ty\u{1B}\\", nil),
  ]

  @Test func eachAnswerIsUnderstood() {
    for (text, reply) in Self.answers {
      var replies = TerminalReplies()
      #expect(replies.add(text.utf8) == (reply.map { [$0] } ?? []), "\(text.debugDescription)")
    }
  }

  @Test func answersComeInPiecesAndInAnyOrder() {
    let expected = Self.answers.compactMap(\.1)
    for isReversed in [false, true] {
      let all = isReversed ? Self.answers.reversed() : Self.answers
      let bytes = all.flatMap { Array($0.0.utf8) }
      for length in [1, 2, 3, 7, bytes.count] {
        var replies = TerminalReplies()
        var found: [TerminalReplies.Reply] = []
        for start in stride(from: 0, to: bytes.count, by: length) {
          found += replies.add(bytes[start..<min(start + length, bytes.count)])
        }
        #expect(found == (isReversed ? expected.reversed() : expected))
      }
    }
  }

  @Test func anAnswerThatIsCutOffDoesNotHideTheNextOne() {
    for text in ["\u{1B}[?62;4", "\u{1B}P>|kitty", "\u{1B}_Gi=31;O", "\u{1B}", "\u{1B}[", "\u{1B}\u{1B}", "abc"] {
      var replies = TerminalReplies()
      #expect(replies.add((text + "\u{1B}[0n").utf8) == [.ready], "\(text.debugDescription)")
    }
  }

  @Test func noAnswerIsEndless() {
    var replies = TerminalReplies()
    #expect(replies.add(Array("\u{1B}P>|".utf8) + [UInt8](repeating: 0x61, count: 100_000)) == [])
    #expect(replies.add("\u{1B}\\\u{1B}[0n".utf8) == [.ready])
  }

  private static func abilities(_ replies: TerminalReplies.Reply...) -> TerminalAbilities {
    var abilities = TerminalAbilities()
    for reply in replies { abilities.take(reply) }
    return abilities
  }

  @Test func theBestProtocolIsChosen() {
    let picture = TerminalReplies.Reply.picture(id: TerminalAbilities.Question.direct, message: "OK")
    let (sixel, plain) = (TerminalReplies.Reply.attributes([62, 4]), TerminalReplies.Reply.attributes([62]))
    let rows: [(TerminalAbilities, [String: String], TerminalProtocol)] = [
      (Self.abilities(picture, .version("WezTerm 2024"), sixel), [:], .kitty),
      (Self.abilities(.version("iTerm2 3.5.0"), sixel), [:], .iTerm),
      (Self.abilities(.version("XTerm(379)"), sixel), [:], .sixel),
      (Self.abilities(.version("foot(1.13)"), plain), [:], .text(.blocks)),
      (Self.abilities(.version("XTerm(379)"), plain), ["TERM": "xterm-256color"], .text(.colors256)),
      (Self.abilities(plain), ["TERM": "vt220"], .text(.ascii)),
      (Self.abilities(), ["TERM": "xterm", "COLORTERM": "truecolor"], .text(.blocks)),
      // What is behind tmux does not count, what it says of itself does.
      (Self.abilities(.version("tmux 3.3a"), .attributes([1, 2]), picture), ["TERM": "screen"], .text(.blocks)),
      (Self.abilities(.version("tmux 3.5"), .attributes([1, 2, 4])), [:], .sixel),
      // 4 is the level of the VT132 here, no sixel.
      (Self.abilities(.attributes([4, 6])), ["TERM": "vt100"], .text(.ascii)),
      (Self.abilities(.picture(id: 31, message: "EINVAL"), plain), ["TERM": "vt100"], .text(.ascii)),
    ]
    for (abilities, environment, expected) in rows {
      #expect(TerminalProtocol(abilities) { environment[$0] } == expected, "\(abilities)")
    }
  }

  @Test func picturesAreAsLargeAsTheirCharacters() {
    let (none, window) = (Size(width: 0, height: 0), Size(width: 80, height: 23))
    func box(
      _ style: TerminalProtocol, _ replies: TerminalReplies.Reply..., cells: Size = Size(width: 80, height: 23),
      pixels: Size = Size(width: 0, height: 0)
    ) -> Size {
      var abilities = TerminalAbilities()
      for reply in replies { abilities.take(reply) }
      return TerminalDisplay(style, abilities, window: (Size(width: 80, height: 24), pixels)).box(
        cells: cells, within: window)
    }
    #expect(box(.kitty, .cell(Size(width: 9, height: 18))) == Size(width: 720, height: 414))
    #expect(box(.kitty, .area(Size(width: 800, height: 480))) == Size(width: 800, height: 460))
    #expect(box(.kitty, pixels: Size(width: 640, height: 384)) == Size(width: 640, height: 368))
    #expect(box(.kitty) == Size(width: 800, height: 460))
    // Rows of six pixels.
    #expect(box(.sixel, .cell(Size(width: 9, height: 18))) == Size(width: 720, height: 414))
    #expect(box(.sixel, .cell(Size(width: 9, height: 20))) == Size(width: 720, height: 456))
    #expect(box(.sixel, .largestSixel(Size(width: 300, height: 200))) == Size(width: 300, height: 198))
    #expect(box(.iTerm, cells: Size(width: 40, height: 0)) == Size(width: 400, height: 460))
    #expect(box(.kitty, cells: Size(width: 999, height: 2)) == Size(width: 800, height: 40))
    #expect(box(.text(.blocks)) == Size(width: 80, height: 46))
    let text = TerminalDisplay(.text(.ascii), TerminalAbilities(), window: (none, none))
    #expect(text.box(cells: Size(width: 10, height: 0), within: nil) == Size(width: 10, height: 0))
    let sixel = TerminalDisplay(.sixel, TerminalAbilities(), window: (none, none))
    #expect(sixel.cells(of: Size(width: 21, height: 37)) == Size(width: 3, height: 3))
    #expect(sixel.cells(of: Size(width: 20, height: 19)) == Size(width: 2, height: 2))
  }
}
