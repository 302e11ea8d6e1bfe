// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Palettes

@Suite struct ColorTableTests {
  @Test func numbersColorsInTheirOrder() {
    let table = ColorTable()
    #expect([7, 3, 7, 0, .max, 3].map { table.number(adding: $0) } == [0, 1, 0, 2, 3, 1])
    #expect(table.colors == [7, 3, 0, .max])
    #expect(table.index(of: .max) == 3)
    #expect(table.index(of: 4) == nil)
    #expect(table.count == 4)
  }

  @Test func takes256ColorsAndNoMore() {
    let table = ColorTable()
    for color: UInt32 in 0..<256 { #expect(table.number(adding: color << 12) == UInt8(color)) }
    #expect(table.number(adding: 1) == nil)
    #expect(table.number(adding: 255 << 12) == 255)
    #expect(table.count == 256)
  }

  @Test func keepsToALimit() {
    let table = ColorTable()
    #expect(table.insert(1, limit: 2) && table.insert(2, limit: 2))
    #expect(!table.insert(3, limit: 2))
    #expect(table.insert(2, limit: 2))
    #expect(table.insert(3, limit: 3))
  }

  @Test func sortsByWeightThenOrder() {
    let table = ColorTable()
    for (color, weight) in [(5, 1), (6, 9), (7, 4), (5, 3), (8, 4)] as [(UInt32, Int)] {
      table.insert(color, weight: weight)
    }
    #expect(table.weights == [4, 9, 4, 4])
    #expect(table.sorted == [6, 5, 7, 8])
  }

  /// Colors that belong into one slot, and into the last one, whose next is the first.
  @Test func findsColorsWhoseSlotsCollide() {
    let table = ColorTable()
    let last = (0..<UInt32(2_000_000)).lazy.filter { ($0 &* 0x9E37_79B1) >> 22 == 1_023 }.prefix(40)
    for color in last { #expect(table.number(adding: color) != nil) }
    #expect(last.enumerated().allSatisfy { table.index(of: $1) == UInt8($0) })
    #expect(table.count == 40)
  }
}
