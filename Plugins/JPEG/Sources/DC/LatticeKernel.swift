// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How a row of fewer samples becomes one with 2 or 4 times as many: by Lanczos' kernel of three lobes, which keeps what
/// the samples can hold, so that a reduction after it is one of the samples themselves.
struct LatticeKernel {
  /// Samples on each side of the nearest.
  static let reach = 3
  static let taps = 2 * reach + 1

  /// Samples that are made of one.
  let factor: Int
  /// By the place of a sample among those of one: the weights of `taps` samples, of which the middle one is nearest.
  let weights: [[Float]]

  init(factor: Int) {
    self.factor = factor
    weights = (0..<factor).map { place in
      guard factor > 1 else { return (0..<Self.taps).map { $0 == Self.reach ? 1 : 0 } }
      // Samples of both stand in the middle of what they show.
      let offset = (Double(place) + 0.5) / Double(factor) - 0.5
      let taps = (-Self.reach...Self.reach).map { Self.lanczos(Double($0) - offset) }
      let sum = taps.reduce(0, +)
      return taps.map { Float($0 / sum) }
    }
  }

  private static func lanczos(_ distance: Double) -> Double {
    let reach = Double(reach)
    guard abs(distance) < reach else { return 0 }
    guard distance != 0 else { return 1 }
    let angle = .pi * distance
    return reach * sin(angle) * sin(angle / reach) / (angle * angle)
  }
}
