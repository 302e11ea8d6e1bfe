// SPDX-License-Identifier: Apache-2.0

/// Divides memory among those who ask for some.
package enum FairShares {
  /// What one of them asks for.
  package struct Claim: Equatable {
    /// What it gets at least, in bytes.
    package let floor: Int
    /// What it can use, in bytes.
    package let want: Int
    /// How its share compares with that of others; 0 gets no more than the floor.
    package let weight: Int

    package init(floor: Int, want: Int, weight: Int) {
      self.floor = floor
      self.want = want
      self.weight = weight
    }
  }

  /// Weighted max-min shares: everybody gets its floor; of the rest, nobody gets more than it wants, and nobody who wants
  /// more gets less for its weight than another.
  ///
  /// - Parameter total: At least the sum of all floors; otherwise everybody gets its floor.
  package static func divide(_ total: Int, among claims: [Claim]) -> [Int] {
    var shares = claims.map(\.floor)
    var rest = total - shares.reduce(0, +)
    var open = claims.indices.filter { claims[$0].weight > 0 && claims[$0].want > claims[$0].floor }
    while rest > 0, !open.isEmpty {
      let weights = open.reduce(0) { $0 + claims[$1].weight }
      // Who wants less than its part leaves what is left over to the others.
      let satisfied = open.filter { claims[$0].want - shares[$0] <= rest / weights * claims[$0].weight }
      guard !satisfied.isEmpty else {
        for index in open { shares[index] += rest / weights * claims[index].weight }
        return shares
      }
      for index in satisfied {
        rest -= claims[index].want - shares[index]
        shares[index] = claims[index].want
      }
      open.removeAll(where: satisfied.contains)
    }
    return shares
  }
}
