// SPDX-License-Identifier: Apache-2.0

import ImageMemory
import Testing

/// How memory is divided, worked out by hand.
@Suite struct FairSharesTests {
  private static func claim(_ floor: Int, _ want: Int, _ weight: Int = 1) -> FairShares.Claim {
    FairShares.Claim(floor: floor, want: want, weight: weight)
  }

  @Test func whoWantsLittleLeavesTheRestToOthers() {
    // 30 for all above the floors: 10 each, but the first wants 4, which leaves 13 to each of the others.
    let shares = FairShares.divide(60, among: [Self.claim(10, 14), Self.claim(10, 100), Self.claim(10, 100)])
    #expect(shares == [14, 23, 23])
  }

  @Test func weightsCount() {
    // 50 above the floors: 10 for each weight.
    let shares = FairShares.divide(65, among: [Self.claim(5, 100, 4), Self.claim(5, 100, 1), Self.claim(5, 100, 0)])
    #expect(shares == [45, 15, 5])
  }

  @Test func everybodyHasItsFloor() {
    #expect(FairShares.divide(5, among: [Self.claim(10, 14), Self.claim(20, 30)]) == [10, 20])
    #expect(FairShares.divide(100, among: []) == [])
  }

  @Test func nobodyGetsMoreThanItWants() {
    #expect(FairShares.divide(1000, among: [Self.claim(1, 7), Self.claim(0, 9, 3)]) == [7, 9])
  }
}
