// SPDX-License-Identifier: Apache-2.0

extension Int {
  /// This number, which is not negative, divided by a positive one, rounded up.
  func dividedRoundingUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }

  /// This number, which is not negative, halved a number of times, rounded up.
  func halvedRoundingUp(times count: Int) -> Int { (self + (1 << count) - 1) >> count }
}
