// SPDX-License-Identifier: Apache-2.0

/// When a buffer may grow again after memory was short.
package struct PressureTimes {
  /// The time of the last event, or nil.
  private var last: Duration?
  private var growth: Duration?
  /// How many times longer than usual is waited: events that follow each other mean that too much was taken.
  private var factor = 1
  private var random: RandomNumbers

  /// Events that follow each other faster are one.
  static let shortestInterval = Duration.seconds(2)
  /// Events that follow each other faster double the wait.
  static let closeInterval = Duration.seconds(15)
  static let longestWait = Duration.seconds(300)

  package init(seed: UInt64) { random = RandomNumbers(seed: seed) }

  /// Notes an event.
  ///
  /// - Returns: Whether it counts.
  package mutating func note(at time: Duration) -> Bool {
    if let last, time - last < Self.shortestInterval { return false }
    factor = last.map { time - $0 < Self.closeInterval } ?? false ? min(factor * 2, 64) : 1
    last = time
    growth = time + wait()
    return true
  }

  /// Whether another step may be taken now; then the next one has to wait again.
  package mutating func mayGrow(at time: Duration) -> Bool {
    guard let growth, time >= growth else { return false }
    self.growth = time + wait()
    return true
  }

  /// 5 to 15 seconds, or a multiple.
  private mutating func wait() -> Duration {
    min(.milliseconds(Int.random(in: 5000...15000, using: &random)) * factor, Self.longestWait)
  }
}

/// Random numbers that are not the same in two processes: SplitMix64 by Steele, Lea and Flood.
package struct RandomNumbers: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
