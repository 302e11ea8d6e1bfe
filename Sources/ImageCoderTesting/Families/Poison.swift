// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Every byte of a row is written and none beside it, whatever the memory held before.
  var poison: [ConformanceCheck] {
    let valid = fixtures.valid.map { ($0.name, $0.bytes) }
    let broken = fixtures.invalid.filter { $0.answer.rows ?? "none" != "none" }.map { ($0.name, $0.bytes) }
    return (valid + broken).map { name, bytes in
      check(.poison, name) { (claim) throws(ConformanceFailure) in
        var expected: Image
        do { expected = try coder.decode(.bytes(bytes)) } catch { return }
        for fill in [UInt8(0x00), 0xAA] {
          let target = try Self.poisoned(like: expected.pixels, fill: fill, claim)
          var options = DecodeOptions()
          options.destination = target.buffer
          let image = try claim.value("decode over \(fill)") { try coder.decode(.bytes(bytes), options: options) }
          try claim.holds(image.pixels === target.buffer, "buffer", expected: "the caller's", found: "another")
          try claim.equal(image.pixels.hash, expected.pixels.hash, "hash over \(fill)")
          try claim.holds(target.isUntouched(fill), "bytes beside rows", expected: "untouched", found: "written")
        }
      }
    }
  }

  /// A buffer whose rows lie apart, filled with one byte.
  private struct Target {
    let buffer: PixelBuffer
    let memory: Memory

    final class Memory {
      let bytes: UnsafeMutableRawBufferPointer
      init(count: Int) { bytes = .allocate(byteCount: count, alignment: 64) }
      deinit { bytes.deallocate() }
    }

    func isUntouched(_ fill: UInt8) -> Bool {
      memory.bytes.enumerated().allSatisfy { offset, byte in
        let (row, column) = offset.quotientAndRemainder(dividingBy: buffer.stride)
        return (row < buffer.size.height && column < buffer.rowBytes) || byte == fill
      }
    }
  }

  private static func poisoned(
    like pixels: PixelBuffer, fill: UInt8, _ claim: Claim
  ) throws(ConformanceFailure) -> Target {
    let stride = (pixels.rowBytes + 31) / 16 * 16
    let memory = Target.Memory(count: stride * (pixels.size.height + 1))
    memory.bytes.initializeMemory(as: UInt8.self, repeating: fill)
    let buffer = try claim.value("buffer") {
      try PixelBuffer(
        wrapping: memory.bytes, size: pixels.size, format: pixels.format, alpha: pixels.alpha, stride: stride,
        owner: memory)
    }
    return Target(buffer: buffer, memory: memory)
  }
}
