// SPDX-License-Identifier: Apache-2.0

import CImageCoder
public import ImageCoderPlugin

/// Bytes in memory as the source of a reader. They are never freed: a test uses its reader as long as it likes.
///
/// An incremental source shows all bytes that are asked for, but says how many there are only after somebody reached their
/// end. A source of an old host is a smaller struct, as hosts had it before `view_available`, and whoever calls that goes
/// through a null pointer.
public final class MemorySource {
  public enum Kind: Sendable {
    case complete
    case incremental
    case ofOldHost
    case incrementalOfOldHost
  }

  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let raw: UnsafeMutablePointer<imgcoder_source>
  /// Who reads a view after the next one reads no byte of the file.
  private var lastView = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 0)

  public var view: SourceView { SourceView(UnsafePointer(raw)) }

  public init(_ contents: [UInt8], _ kind: Kind = .complete) {
    bytes = .allocate(capacity: contents.count)
    _ = bytes.initialize(from: contents)
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_source())
    let isOld = kind == .ofOldHost || kind == .incrementalOfOldHost
    let isComplete = kind == .complete || kind == .ofOldHost
    raw.pointee.struct_size = UInt32(
      isOld ? MemoryLayout<imgcoder_source>.offset(of: \.view_available) ?? 0 : MemoryLayout<imgcoder_source>.size)
    raw.pointee.context = Unmanaged.passRetained(self).toOpaque()
    raw.pointee.size = isComplete ? UInt64(contents.count) : .max
    raw.pointee.view = { source, offset, wanted, bytes, length in
      MemorySource.show(source, offset, wanted, bytes, length)
    }
    if !isOld {
      raw.pointee.view_available = { source, offset, _, wanted, bytes, length in
        MemorySource.show(source, offset, wanted, bytes, length)
      }
    }
  }

  /// Makes zeros of all bytes from `offset` on, also where they are already looked at.
  public func clear(from offset: Int) {
    UnsafeMutableBufferPointer(rebasing: bytes[offset...]).update(repeating: 0)
  }

  /// The bytes themselves if all are wanted, which stay; else a copy, which the next view overwrites.
  private func show(_ range: Range<Int>) -> UnsafePointer<UInt8>? {
    lastView.update(repeating: 0xA5)
    guard range.count < bytes.count else { return bytes.baseAddress.map { UnsafePointer($0) } }
    lastView.deallocate()
    lastView = .allocate(capacity: range.count)
    _ = lastView.initialize(from: bytes[range])
    return UnsafePointer(lastView.baseAddress)
  }

  private static func show(
    _ source: UnsafePointer<imgcoder_source>?, _ offset: UInt64, _ wanted: UInt64,
    _ bytes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<UInt64>?
  ) -> imgcoder_status {
    guard let context = source?.pointee.context else { return UInt32(IMGCODER_STATUS_INVALID_ARGUMENT) }
    let own = Unmanaged<MemorySource>.fromOpaque(context).takeUnretainedValue()
    let count = UInt64(own.bytes.count)
    let start = min(offset, count)
    let shown = min(wanted, count - start)
    if shown < wanted { own.raw.pointee.size = count }
    bytes?.pointee = own.show(Int(start)..<Int(start + shown))
    length?.pointee = shown
    return UInt32(IMGCODER_STATUS_OK)
  }
}
