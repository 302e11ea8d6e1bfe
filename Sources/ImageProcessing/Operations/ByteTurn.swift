// SPDX-License-Identifier: Apache-2.0

import CProcessing
import ImageCoderEngine
import ImageCoderModel

/// The inside of a turned picture of 8 bits per channel without alpha, filtered in whole numbers.
struct ByteTurn: @unchecked Sendable {
  // Unchecked: who turns a picture holds it, and nobody changes it meanwhile.
  private let turn: processing_turn
  private let cosine: Double
  private let sine: Double
  private let source: Size
  private let target: Size

  /// Memory of the process.
  private static nonisolated(unsafe) let weights = {
    let weights = UnsafeMutablePointer<(Int16, Int16, Int16, Int16)>.allocate(capacity: phases)
    processing_turn_weights(weights)
    return weights
  }()
  private static let phases = Int(PROCESSING_TURN_PHASES)
  /// What the loops read at once.
  private static let readBytes = 16

  /// - Returns: nil where layouts are not for these loops.
  init?(_ pixels: PixelBuffer, to layout: PixelLayout, size: Size, cosine: Double, sine: Double) {
    guard Self.takes(pixels.layout, to: layout), pixels.rowBytes >= Self.readBytes else { return nil }
    func whole(_ step: Double) -> Int64 { Int64((step * 4_294_967_296).rounded()) }
    turn = processing_turn(
      pixels: UnsafeRawPointer(pixels.base).assumingMemoryBound(to: UInt8.self), stride: pixels.stride,
      channels: UInt32(pixels.format.channelCount), out_channels: UInt32(layout.format.channelCount),
      u_step: whole(cosine), v_step: whole(-sine), weights: Self.weights)
    (self.cosine, self.sine) = (cosine, sine)
    (source, target) = (pixels.size, size)
  }

  /// Whether a picture may be turned so, but for its size.
  static func takes(_ layout: PixelLayout, to target: PixelLayout) -> Bool {
    switch layout.format {
    case .rgb8: target.format == .rgb8 || target.format == .rgba8
    case .gray8: target.format == .gray8 || target.format == .grayAlpha8
    default: false
    }
  }

  /// Where the centers of pixels of a row are in the picture: that of pixel x at this and x times cosine and -sine.
  private func start(of y: Int) -> (u: Double, v: Double) {
    let (across, down) = (0.5 - Double(target.width) / 2, Double(y) + 0.5 - Double(target.height) / 2)
    return (
      across * cosine + down * sine + Double(source.width) / 2,
      down * cosine - across * sine + Double(source.height) / 2
    )
  }

  /// The pixels of a row that are covered, with all that they are made of inside the picture.
  func columns(of y: Int) -> Range<Int> {
    let (u, v) = start(of: y)
    var (first, last) = (0.0, Double(target.width - 1))
    // Rows of four pixels below the last but one would be read beyond the picture's memory.
    for (place, step, end) in [(u, cosine, Double(source.width) - 2.5), (v, -sine, Double(source.height) - 3.5)] {
      guard abs(step) > 1e-9 else {
        if place < 2 || place > end { return 0..<0 }
        continue
      }
      let (a, b) = ((2 - place) / step, (end - place) / step)
      first = max(first, min(a, b).rounded(.up))
      last = min(last, max(a, b).rounded(.down))
    }
    return first <= last ? Int(first)..<(Int(last) + 1) : 0..<0
  }

  /// Fills ``columns(of:)`` of a row.
  func fill(_ columns: Range<Int>, of y: Int, in result: PixelBuffer) {
    guard !columns.isEmpty else { return }
    let (u, v) = start(of: y)
    let x = Double(columns.lowerBound)
    func place(_ center: Double) -> Int64 { Int64(((center - 0.5) * 4_294_967_296).rounded()) }
    var turn = turn
    let first = result.row(y) + columns.lowerBound * result.format.bytesPerPixel
    processing_turn_fill(
      &turn, place(u + x * cosine), place(v - x * sine), first.assumingMemoryBound(to: UInt8.self),
      UInt32(columns.count))
  }
}
