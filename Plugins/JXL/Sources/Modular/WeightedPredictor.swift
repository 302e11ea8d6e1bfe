// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The predictor that weighs four others by how wrong they were nearby (ISO/IEC 18181-1 §H.5).
struct WeightedPredictor {
  /// What a stream says of it.
  struct Settings {
    var factors: (Int, Int, Int, Int, Int, Int, Int) = (16, 10, 7, 7, 7, 0, 0)
    var weights: (Int, Int, Int, Int) = (13, 12, 12, 12)

    init(parsing bits: inout CodeBits) {
      guard !bits.flag() else { return }
      factors = (
        bits.bits(5), bits.bits(5), bits.bits(5), bits.bits(5), bits.bits(5), bits.bits(5), bits.bits(5)
      )
      weights = (bits.bits(4), bits.bits(4), bits.bits(4), bits.bits(4))
    }
  }

  /// How wrong the four predictions of a sample were.
  private struct Errors: BitwiseCopyable {
    var values: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  }

  private let settings: Settings
  private let width: Int
  /// Two rows by turns, with room for one column more.
  private let errors: PlainBuffer<Errors>
  /// The errors of predictions that were chosen, in eighths.
  private let chosenErrors: PlainBuffer<Int>
  private let memory: PlainBuffer<Int>
  private var errorRow: UnsafeMutablePointer<Errors>
  private var errorRowAbove: UnsafeMutablePointer<Errors>
  private var chosenRow: UnsafeMutablePointer<Int>
  private var chosenRowAbove: UnsafeMutablePointer<Int>
  private let reciprocals: UnsafeMutablePointer<Int>
  private var predictions = (0, 0, 0, 0)
  private var prediction = 0

  init(_ settings: Settings, width: Int) throws(CoderError) {
    self.settings = settings
    self.width = width
    errors = try PlainBuffer(count: 2 * (width + 2), for: "errors of predictions")
    chosenErrors = try PlainBuffer(count: 2 * (width + 2), for: "errors of predictions")
    memory = try PlainBuffer(count: 64, for: "errors of predictions")
    reciprocals = memory.base
    for index in 0..<64 { reciprocals[index] = (1 << 24) / (index + 1) }
    errorRow = errors.base
    errorRowAbove = errors.base + width + 2
    chosenRow = chosenErrors.base
    chosenRowAbove = chosenErrors.base + width + 2
  }

  /// Begins the next row.
  mutating func nextRow() {
    swap(&errorRow, &errorRowAbove)
    swap(&chosenRow, &chosenRowAbove)
  }

  @inline(__always)
  private func weight(_ error: Int, _ most: Int) -> Int {
    let shift = max(0, 58 &- (error &+ 1).leadingZeroBitCount)
    return 4 &+ (most &* reciprocals[error &>> shift]) &>> shift
  }

  /// The largest error nearby, which is property 15, and the prediction of a sample.
  @inline(__always)
  mutating func predict(
    x: Int, west: Int, north: Int, northEast: Int, northWest: Int, northNorth: Int
  ) -> (error: Int, value: Int) {
    let left = x > 0 ? x &- 1 : 0
    let right = x &+ 1 < width ? x &+ 1 : x
    let (n, e, w) = (errorRowAbove[x].values, errorRowAbove[right].values, errorRowAbove[left].values)
    let weights = settings.weights
    var w0 = weight(Int(n.0) &+ Int(e.0) &+ Int(w.0), weights.0)
    var w1 = weight(Int(n.1) &+ Int(e.1) &+ Int(w.1), weights.1)
    var w2 = weight(Int(n.2) &+ Int(e.2) &+ Int(w.2), weights.2)
    var w3 = weight(Int(n.3) &+ Int(e.3) &+ Int(w.3), weights.3)
    let (N, W, NE) = (north &<< 3, west &<< 3, northEast &<< 3)
    let (NW, NN) = (northWest &<< 3, northNorth &<< 3)
    let errorW = x > 0 ? chosenRow[left] : 0
    let (errorN, errorNW, errorNE) = (chosenRowAbove[x], chosenRowAbove[left], chosenRowAbove[right])
    let sum = errorN &+ errorW
    var largest = errorW
    if errorN.magnitude > largest.magnitude { largest = errorN }
    if errorNW.magnitude > largest.magnitude { largest = errorNW }
    if errorNE.magnitude > largest.magnitude { largest = errorNE }
    let f = settings.factors
    let p0 = W &+ NE &- N
    let p1 = N &- ((sum &+ errorNE) &* f.0) &>> 5
    let p2 = W &- ((sum &+ errorNW) &* f.1) &>> 5
    let p3 =
      N &- (errorNW &* f.2 &+ errorN &* f.3 &+ errorNE &* f.4 &+ (NN &- N) &* f.5 &+ (NW &- W) &* f.6) &>> 5
    predictions = (p0, p1, p2, p3)
    let shift = 59 &- (w0 &+ w1 &+ w2 &+ w3).leadingZeroBitCount
    w0 &>>= shift
    w1 &>>= shift
    w2 &>>= shift
    w3 &>>= shift
    let total = w0 &+ w1 &+ w2 &+ w3
    let weighted = total &>> 1 &- 1 &+ p0 &* w0 &+ p1 &* w1 &+ p2 &* w2 &+ p3 &* w3
    prediction = (weighted &* reciprocals[(total &- 1) & 63]) &>> 24
    if (errorN ^ errorW) | (errorN ^ errorNW) <= 0 {
      prediction = max(min(W, N, NE), min(prediction, max(W, N, NE)))
    }
    return (largest, (prediction &+ 3) &>> 3)
  }

  /// Notes what the sample was.
  @inline(__always)
  mutating func note(_ sample: Int, x: Int) {
    let value = sample &<< 3
    chosenRow[x] = prediction &- value
    let wrong = (
      UInt32(truncatingIfNeeded: ((predictions.0 &- value).magnitude &+ 3) &>> 3),
      UInt32(truncatingIfNeeded: ((predictions.1 &- value).magnitude &+ 3) &>> 3),
      UInt32(truncatingIfNeeded: ((predictions.2 &- value).magnitude &+ 3) &>> 3),
      UInt32(truncatingIfNeeded: ((predictions.3 &- value).magnitude &+ 3) &>> 3)
    )
    errorRow[x].values = wrong
    let above = errorRowAbove + x + 1
    above.pointee.values = (
      above.pointee.values.0 &+ wrong.0, above.pointee.values.1 &+ wrong.1, above.pointee.values.2 &+ wrong.2,
      above.pointee.values.3 &+ wrong.3
    )
  }
}
