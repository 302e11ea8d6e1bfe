// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Rows of a plane at the size of the widest plane.
///
/// Samples lie in the middle of those that they stand for: next to each, three quarters of it and a quarter of the next one.
final class ChromaRows {
  private let planes: LowFrequencyPlanes
  private let plane: Int
  private let shifts: (x: Int, y: Int)
  private let line: PlainBuffer<Float>
  private let size: Size

  /// - Parameter shifts: By how many powers of two the plane is narrower and lower, 0 or 1.
  init(_ planes: LowFrequencyPlanes, _ plane: Int, shifts: (x: Int, y: Int)) throws(CoderError) {
    self.planes = planes
    self.plane = plane
    self.shifts = shifts
    size = Size(width: planes.size.width >> shifts.x, height: planes.size.height >> shifts.y)
    line = try PlainBuffer(count: planes.size.width, for: "low frequencies")
  }

  /// - Returns: Samples that are good until the next call.
  func row(_ y: Int) -> UnsafeMutablePointer<Float> {
    guard shifts != (0, 0) else { return planes.row(y, of: plane) }
    let near = planes.row(y >> shifts.y, of: plane)
    let beside = shifts.y == 0 ? y : y & 1 == 0 ? max(0, y / 2 - 1) : min(size.height - 1, y / 2 + 1)
    let far = planes.row(beside, of: plane)
    func value(_ x: Int) -> Float { shifts.y == 0 ? near[x] : 0.75 * near[x] + 0.25 * far[x] }
    let target = line.base
    for x in 0..<size.width {
      guard shifts.x > 0 else {
        target[x] = value(x)
        continue
      }
      let own = 0.75 * value(x)
      target[2 * x] = own + 0.25 * value(max(0, x - 1))
      target[2 * x + 1] = own + 0.25 * value(min(size.width - 1, x + 1))
    }
    return target
  }
}
