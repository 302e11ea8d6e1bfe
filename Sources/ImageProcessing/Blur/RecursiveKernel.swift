// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A Gaussian as the sum of two damped oscillations, each a recursion of one complex number, forward and backward.
///
/// Apart from each other, the recursions keep their precision in single floats at any width: a combined one of fourth
/// order loses it where its poles come close to 1.
struct RecursiveKernel: LineFilter {
  let reach = 0

  /// One oscillation: what is kept of its state at each step, and what of the state is seen.
  private struct Term {
    let keep: (real: Float, imaginary: Float)
    let show: (real: Float, imaginary: Float)
    /// The state of a line that has always had the value 1, the value itself included.
    let settled: (real: Float, imaginary: Float)
  }

  private let first: Term
  private let second: Term

  init(sigma: Double) {
    // exp(-x²/2) ≈ 2 Re Σ amplitude · exp(-decay · x), x ≥ 0.
    let parts: [(amplitude: (Double, Double), decay: (Double, Double))] = [
      ((0.84, 1.8675), (1.783, 0.6318)), ((-0.34015, -0.1299), (1.723, 1.997)),
    ]
    var sum = 0.0
    var poles: [(Double, Double)] = []
    var settled: [(Double, Double)] = []
    for part in parts {
      let size = exp(-part.decay.0 / sigma)
      let angle = -part.decay.1 / sigma
      let pole = (size * cos(angle), size * sin(angle))
      poles.append(pole)
      // 1 / (1 - pole)
      let (real, imaginary) = (1 - pole.0, -pole.1)
      let square = real * real + imaginary * imaginary
      settled.append((real / square, -imaginary / square))
      // Both directions count the middle, which is taken off once.
      let last = settled[settled.count - 1]
      sum += 2 * (2 * (part.amplitude.0 * last.0 - part.amplitude.1 * last.1)) - 2 * part.amplitude.0
    }
    func term(_ index: Int) -> Term {
      let amplitude = parts[index].amplitude
      return Term(
        keep: (Float(poles[index].0), Float(poles[index].1)),
        show: (Float(2 * amplitude.0 / sum), Float(-2 * amplitude.1 / sum)),
        settled: (Float(settled[index].0), Float(settled[index].1)))
    }
    first = term(0)
    second = term(1)
  }

  func filter(_ lines: FloatRow, into result: FloatRow, count: Int, lanes: Int) {
    for lane in 0..<lanes { filter(lines + lane, into: result + lane, count: count, step: lanes) }
  }

  private func filter(_ line: FloatRow, into result: FloatRow, count: Int, step: Int) {
    let (a, b) = (first, second)
    let (aKeep, aTurn, bKeep, bTurn) = (a.keep.real, a.keep.imaginary, b.keep.real, b.keep.imaginary)
    let (aShow, aCross, bShow, bCross) = (a.show.real, a.show.imaginary, b.show.real, b.show.imaginary)
    // Before the line its first value repeats.
    var value = line[0]
    var ar = value * a.settled.real
    var ai = value * a.settled.imaginary
    var br = value * b.settled.real
    var bi = value * b.settled.imaginary
    var place = 0
    for _ in 0..<count {
      value = line[place]
      let (nextA, nextB) = (ar * aKeep - ai * aTurn + value, br * bKeep - bi * bTurn + value)
      ai = ar * aTurn + ai * aKeep
      bi = br * bTurn + bi * bKeep
      ar = nextA
      br = nextB
      result[place] = (ar * aShow + ai * aCross) + (br * bShow + bi * bCross)
      place &+= step
    }
    // After it its last one does. Backward, a value counts from the next step on: the way forward had it already.
    place &-= step
    value = line[place]
    ar = value * a.settled.real
    ai = value * a.settled.imaginary
    br = value * b.settled.real
    bi = value * b.settled.imaginary
    for _ in 0..<count {
      let (oldA, oldB) = (ar * aKeep - ai * aTurn, br * bKeep - bi * bTurn)
      ai = ar * aTurn + ai * aKeep
      bi = br * bTurn + bi * bKeep
      result[place] += (oldA * aShow + ai * aCross) + (oldB * bShow + bi * bCross)
      value = line[place]
      ar = oldA + value
      br = oldB + value
      place &-= step
    }
  }
}
