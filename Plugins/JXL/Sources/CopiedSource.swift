// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderPlugin

/// A file inside another one, as the source of a reader: a copy of its bytes.
final class CopiedSource {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let raw: UnsafeMutablePointer<imgcoder_source>

  /// - Lifetime: That of this object.
  var view: SourceView { SourceView(UnsafePointer(raw)) }

  init(_ contents: some Collection<UInt8>) {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: contents.count)
    _ = bytes.initialize(from: contents)
    self.bytes = bytes
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_source())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_source>.size)
    raw.pointee.size = UInt64(bytes.count)
    raw.pointee.context = UnsafeMutableRawPointer(bytes.baseAddress)
    raw.pointee.view = { source, offset, wanted, bytes, length in
      CopiedSource.show(source, offset, wanted, bytes, length)
    }
    raw.pointee.view_available = { source, offset, _, wanted, bytes, length in
      CopiedSource.show(source, offset, wanted, bytes, length)
    }
  }

  deinit {
    raw.deallocate()
    bytes.deallocate()
  }

  private static func show(
    _ source: UnsafePointer<imgcoder_source>?, _ offset: UInt64, _ wanted: UInt64,
    _ bytes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt64>?
  ) -> imgcoder_status {
    guard let source, let base = source.pointee.context else { return UInt32(IMGCODER_STATUS_INVALID_ARGUMENT) }
    let start = min(offset, source.pointee.size)
    bytes?.pointee = UnsafePointer(base.assumingMemoryBound(to: UInt8.self) + Int(start))
    length?.pointee = min(wanted, source.pointee.size - start)
    return UInt32(IMGCODER_STATUS_OK)
  }
}
