// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Turns rows of channels into pixels.
final class PixelRows {
  /// The samples of one row: all four have a sample for each pixel, in the format of the pixels.
  struct Planes {
    var red: UnsafeRawPointer
    var green: UnsafeRawPointer
    var blue: UnsafeRawPointer
    var alpha: UnsafeRawPointer
  }

  let format: PixelFormat
  private let host: CoderHost
  private let memory: UnsafeMutableRawPointer
  private let rowBytes: Int

  private var sampleBytes: Int { format.bytesPerChannel }

  /// Rows that are kept: zeros, ones, and one of each color and of alpha.
  private static let rows = 6

  static func memory(width: Int) -> Int { rows * width * 4 }

  init(format: PixelFormat, width: Int, host: CoderHost) throws(CoderError) {
    self.format = format
    self.host = host
    rowBytes = width * 4
    memory = try host.allocate(bytes: Self.rows * rowBytes, for: "rows of samples")
    let zeros = memory
    let ones = memory + rowBytes
    for x in 0..<width {
      if format == .rgbaFloat16 {
        zeros.storeBytes(of: 0, toByteOffset: 2 * x, as: UInt16.self)
        ones.storeBytes(of: 0x3C00, toByteOffset: 2 * x, as: UInt16.self)
      } else {
        zeros.storeBytes(of: 0, toByteOffset: 4 * x, as: Float.self)
        ones.storeBytes(of: 1, toByteOffset: 4 * x, as: Float.self)
      }
    }
  }

  deinit { host.free(memory) }

  var zeros: UnsafeRawPointer { UnsafeRawPointer(memory) }
  var ones: UnsafeRawPointer { UnsafeRawPointer(memory + rowBytes) }

  /// Room for the samples of a color (0 to 2) or of alpha (3).
  func room(_ index: Int) -> UnsafeMutableRawPointer { memory + (2 + index) * rowBytes }

  /// The samples of a channel in the format of the pixels: where they are, or converted.
  ///
  /// - Parameter index: Which room may be used.
  func samples(
    _ stored: UnsafeRawPointer, type: Channel.SampleType, count: Int, index: Int
  ) -> UnsafeRawPointer {
    if format == .rgbaFloat16 || type == .float { return stored }
    let room = room(index)
    for x in 0..<count {
      let value =
        type == .half
        ? Float(Float16(bitPattern: stored.loadUnaligned(fromByteOffset: 2 * x, as: UInt16.self)))
        : Float(stored.loadUnaligned(fromByteOffset: 4 * x, as: UInt32.self))
      room.storeBytes(of: value, toByteOffset: 4 * x, as: Float.self)
    }
    return UnsafeRawPointer(room)
  }

  /// Writes pixels one after the other.
  func write(_ planes: Planes, count: Int, to target: UnsafeMutableRawPointer) {
    if format == .rgbaFloat16 {
      interleave(planes, count: count, to: target, as: UInt16.self)
    } else {
      interleave(planes, count: count, to: target, as: UInt32.self)
    }
  }

  @inline(__always)
  private func interleave<Sample: SIMDScalar & BitwiseCopyable>(
    _ planes: Planes, count: Int, to target: UnsafeMutableRawPointer, as type: Sample.Type
  ) {
    let size = MemoryLayout<Sample>.size
    for x in 0..<count {
      let offset = size &* x
      let pixel = target + 4 &* offset
      pixel.storeBytes(of: planes.red.loadUnaligned(fromByteOffset: offset, as: type), as: type)
      pixel.storeBytes(
        of: planes.green.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: size, as: type)
      pixel.storeBytes(
        of: planes.blue.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: 2 &* size, as: type)
      pixel.storeBytes(
        of: planes.alpha.loadUnaligned(fromByteOffset: offset, as: type), toByteOffset: 3 &* size, as: type)
    }
  }

  /// Pixels where there is no picture: black and transparent.
  func clear(_ target: UnsafeMutableRawPointer, count: Int) {
    UnsafeMutableRawBufferPointer(start: target, count: count * format.bytesPerPixel).initializeMemory(
      as: UInt8.self, repeating: 0)
  }
}
