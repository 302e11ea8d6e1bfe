// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Synchronization

/// The averages of blocks of 8 × 8: three planes in the order X, Y, B or Cb, Y, Cr (ISO/IEC 18181-1 §G.2.2).
final class LowFrequencyPlanes: @unchecked Sendable {
  /// The size of all three planes.
  let size: Size
  private(set) var planes: [PlainBuffer<Float>]

  init(size: Size) throws(CoderError) {
    self.size = size
    let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    guard !overflow else { throw .malformed("planes of \(size)") }
    planes = []
    for _ in 0..<3 { planes.append(try PlainBuffer(count: count, for: "low frequencies")) }
  }

  func row(_ y: Int, of plane: Int) -> UnsafeMutablePointer<Float> { planes[plane].base + y * size.width }

  /// Bytes that reading takes at most, with samples before they are scaled.
  static func memory(for size: Size) -> Int {
    let (count, overflow) = size.width.multipliedReportingOverflow(by: size.height)
    return overflow || count > .max / 64 ? .max : count * 40
  }

  /// Smooths steps of quantization in large even areas (§I.2.2, adaptive smoothing).
  ///
  /// - Parameter steps: What one step of each plane is.
  func smooth(steps: [Float]) throws(CoderError) {
    let (width, height) = (size.width, size.height)
    guard width > 2, height > 2 else { return }
    var smoothed: [PlainBuffer<Float>] = []
    for plane in planes {
      let copy = try PlainBuffer<Float>(count: plane.count, for: "low frequencies")
      copy.base.update(from: plane.base, count: plane.count)
      smoothed.append(copy)
    }
    let (x, y, b) = (planes[0].base, planes[1].base, planes[2].base)
    let targets = (smoothed[0].base, smoothed[1].base, smoothed[2].base)
    let inverse = (1 / steps[0], 1 / steps[1], 1 / steps[2])
    for line in 1..<height - 1 {
      for place in line * width + 1..<line * width + width - 1 {
        let (meanX, meanY, meanB) = (
          Self.mean(x + place, width), Self.mean(y + place, width), Self.mean(b + place, width)
        )
        let gap = max(
          0.5, ((meanX - x[place]) * inverse.0).magnitude, ((meanY - y[place]) * inverse.1).magnitude,
          ((meanB - b[place]) * inverse.2).magnitude)
        let factor = max(0, 3 - 4 * gap)
        targets.0[place] = x[place] + (meanX - x[place]) * factor
        targets.1[place] = y[place] + (meanY - y[place]) * factor
        targets.2[place] = b[place] + (meanB - b[place]) * factor
      }
    }
    planes = smoothed
  }

  /// The weighted mean of a sample and its eight neighbors.
  @inline(__always)
  private static func mean(_ sample: UnsafeMutablePointer<Float>, _ width: Int) -> Float {
    let beside: Float = 0.20345139757231578
    let corner: Float = 0.0334829185968739
    let center: Float = 1 - 4 * (beside + corner)
    let (above, below) = (sample - width, sample + width)
    return center * sample[0] + beside * (sample[-1] + sample[1] + above[0] + below[0])
      + corner * (above[-1] + above[1] + below[-1] + below[1])
  }
}

/// Reads the low-frequency groups of a VarDCT frame.
struct LowFrequencyGroups {
  let layout: FrameLayout
  let global: LowFrequencyGlobal
  let host: CoderHost

  /// Planes of one group, in blocks.
  private struct Group {
    let columns: Range<Int>
    let rows: Range<Int>
  }

  private func group(_ index: Int) -> Group {
    let (blocks, side) = (layout.blocks, layout.groupSide)
    let (x, y) = (index % layout.lowGroups.width * side, index / layout.lowGroups.width * side)
    return Group(columns: x..<min(x + side, blocks.width), rows: y..<min(y + side, blocks.height))
  }

  /// Reads one group into its place.
  ///
  /// - Parameter bits: Its section.
  func read(_ index: Int, _ bits: inout CodeBits, into target: LowFrequencyPlanes) throws(CoderError) {
    let group = group(index)
    let precision = Float(1 << bits.bits(2))
    // Y comes first.
    let order = [1, 0, 2]
    let shapes = order.map { plane in
      let shifts = layout.shifts(of: plane)
      return ModularShape(width: group.columns.count >> shifts.x, height: group.rows.count >> shifts.y)
    }
    var stream = try ModularStream(parsing: &bits, shapes, stream: 1 + index, host: host)
    _ = try stream.read(&bits, tree: global.tree)
    try stream.undoTransforms()
    let factors = global.steps.map { $0 / precision }
    for (channel, plane) in order.enumerated() {
      let (source, shifts) = (stream.channels[channel], layout.shifts(of: plane))
      let (x, y) = (group.columns.lowerBound >> shifts.x, group.rows.lowerBound >> shifts.y)
      for row in 0..<source.height {
        let (from, to) = (source.row(row), target.row(y + row, of: plane) + x)
        for column in 0..<source.width { to[column] = Float(from[column]) * factors[plane] }
      }
    }
    guard layout.xSubsampling == 0, layout.ySubsampling == 0 else { return }
    for y in group.rows {
      let (x, luma, b) = (target.row(y, of: 0), target.row(y, of: 1), target.row(y, of: 2))
      for column in group.columns {
        x[column] += luma[column] * global.xFactor
        b[column] += luma[column] * global.bFactor
      }
    }
  }
}
