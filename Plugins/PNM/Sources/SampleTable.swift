// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What each stored sample becomes: scaled from the maxval to all of 8 or 16 bits, to the nearest value.
///
/// Samples above the maxval count as the maxval.
///
/// - Lifetime: Lives in memory of the host, which ``release(to:)`` gives back.
struct SampleTable {
  private let samples: UnsafeMutablePointer<UInt16>
  let maximum: Int

  /// - Returns: Nil where samples are what they are.
  init?(for page: PNMHeader, host: CoderHost) throws(CoderError) {
    guard page.maximum != 255, page.maximum != 65_535, !page.isFloat, page.storage != .bits else { return nil }
    maximum = page.maximum
    let memory = try host.allocate(bytes: Self.memory(for: page), for: "the table of samples")
    samples = memory.bindMemory(to: UInt16.self, capacity: maximum + 1)
    let top = maximum > 255 ? 65_535 : 255
    for value in 0...maximum { samples[value] = UInt16((value * top * 2 + maximum) / (2 * maximum)) }
  }

  static func memory(for page: PNMHeader) -> Int { 2 * (page.maximum + 1) }

  func release(to host: CoderHost) { host.free(samples) }

  subscript(value: Int) -> UInt16 { samples[min(value, maximum)] }
}
