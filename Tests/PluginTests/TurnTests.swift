// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite struct TurnTests {
  @Test func fourTurnsHaveEachRowOnce() {
    #expect(Turn.rows(Array(0..<10), in: 1) == [1, 5, 9])
    #expect((0..<4).flatMap { Turn.rows(Array(0..<10), in: $0) }.sorted() == Array(0..<10))
    #expect(Turn.rows(Array(0..<3), in: 3) == [])
    #expect(Turn.rows(Array(0..<10), in: nil) == Array(0..<10))
  }
}
