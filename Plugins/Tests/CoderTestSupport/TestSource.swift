// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A file in memory, as a reader sees it.
///
/// Each view shows a copy that the next view overwrites, as the plugin interface allows: a reader that keeps a view for
/// too long reads other bytes than it should.
public final class TestSource {
  private let bytes: [UInt8]
  private var shown: UnsafeMutableRawBufferPointer?
  private let raw: UnsafeMutablePointer<imgcoder_source>

  /// - Parameters:
  ///   - bytes: Of the file.
  ///   - isIncremental: Whether the size is not known, as while a file is being received.
  public init(_ bytes: [UInt8], isIncremental: Bool = false) {
    self.bytes = bytes
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_source())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_source>.size)
    raw.pointee.size = isIncremental ? .max : UInt64(bytes.count)
    raw.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    raw.pointee.view = { raw, offset, wanted, bytes, length in
      guard let source = TestSource.of(raw), let bytes, let length else { return CoderError.Code.io.rawValue }
      let view = source.show(Int(clamping: offset), Int(clamping: wanted))
      bytes.pointee = view.baseAddress.map { $0.assumingMemoryBound(to: UInt8.self) }
      length.pointee = UInt64(view.count)
      return 0
    }
    raw.pointee.view_some = { raw, offset, _, wanted, bytes, length in
      guard let raw else { return CoderError.Code.io.rawValue }
      return raw.pointee.view(raw, offset, wanted, bytes, length)
    }
  }

  deinit {
    shown?.deallocate()
    raw.deallocate()
  }

  /// Valid as long as the source.
  public var view: SourceView { SourceView(raw) }

  private static func of(_ raw: UnsafePointer<imgcoder_source>?) -> TestSource? {
    raw?.pointee.context.map { Unmanaged<TestSource>.fromOpaque($0).takeUnretainedValue() }
  }

  private func show(_ offset: Int, _ wanted: Int) -> UnsafeRawBufferPointer {
    let part = bytes.dropFirst(offset).prefix(wanted)
    if let shown {
      for index in shown.indices { shown[index] = 0xA5 }
      shown.deallocate()
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, part.count), alignment: 16)
    copy.copyBytes(from: part)
    shown = copy
    return UnsafeRawBufferPointer(rebasing: copy[..<part.count])
  }
}
