// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderPlugin

/// Keeps what an encoder writes, for pictures that become a part of something else.
final class MemoryOutput {
  private(set) var bytes: [UInt8] = []
  private let raw = UnsafeMutablePointer<imgcoder_output>.allocate(capacity: 1)

  /// Valid as long as this object.
  var output: ByteOutput { ByteOutput(UnsafePointer(raw)) }

  init() {
    raw.initialize(to: imgcoder_output())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_output>.size)
    raw.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    raw.pointee.write = { output, bytes, length in
      guard let context = output?.pointee.context else { return UInt32(IMGCODER_STATUS_INVALID_ARGUMENT) }
      Unmanaged<MemoryOutput>.fromOpaque(context).takeUnretainedValue().bytes.append(
        contentsOf: UnsafeBufferPointer(start: bytes, count: Int(clamping: length)))
      return UInt32(IMGCODER_STATUS_OK)
    }
    raw.pointee.patch = { _, _, _, _ in UInt32(IMGCODER_STATUS_INVALID_ARGUMENT) }
  }

  deinit { raw.deallocate() }
}
