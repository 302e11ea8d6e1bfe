// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import Glibc
public import ImageCoderPlugin

/// A host for tests of a coder's parts: memory without a budget, one thread, nothing is logged. It is
/// never freed: the readers of a test may be used as long as the test likes.
public final class MemoryHost {
  private let raw: UnsafeMutablePointer<imgcoder_host>
  private let limits: UnsafeMutablePointer<imgcoder_limits>

  public var host: CoderHost { CoderHost(UnsafePointer(raw)) }

  public var isCancelled = false {
    didSet {
      if isCancelled {
        raw.pointee.is_cancelled = { _ in 1 }
      } else {
        raw.pointee.is_cancelled = { _ in 0 }
      }
    }
  }

  public init(_ allowed: Limits = .standard) {
    limits = .allocate(capacity: 1)
    limits.initialize(to: imgcoder_limits())
    limits.pointee.struct_size = UInt32(MemoryLayout<imgcoder_limits>.size)
    limits.pointee.max_side = UInt32(clamping: allowed.maxSide)
    limits.pointee.max_pixels = UInt64(clamping: allowed.maxPixels)
    limits.pointee.max_memory = UInt64(clamping: allowed.maxMemory)
    limits.pointee.max_metadata = UInt64(clamping: allowed.maxMetadata)
    limits.pointee.max_frames = UInt32(clamping: allowed.maxFrames)
    limits.pointee.max_pages = UInt32(clamping: allowed.maxPages)
    limits.pointee.max_scans = UInt32(clamping: allowed.maxScans)
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_host())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_host>.size)
    raw.pointee.limits = UnsafePointer(limits)
    raw.pointee.fail = { _, status, _, _ in status }
    raw.pointee.allocate = { _, size, alignment in
      var memory: UnsafeMutableRawPointer?
      // A size of 0 is memory too.
      return posix_memalign(&memory, max(16, Int(alignment)), max(1, Int(size))) == 0 ? memory : nil
    }
    raw.pointee.free = { _, memory in free(memory) }
    raw.pointee.log = { _, _, _ in }
    raw.pointee.is_cancelled = { _ in 0 }
    raw.pointee.progress = { _, _ in }
    raw.pointee.parallel_for = { _, count, body, argument in for index in 0..<count { body?(argument, index) } }
    raw.pointee.get_extension = { _, _ in nil }
  }
}
