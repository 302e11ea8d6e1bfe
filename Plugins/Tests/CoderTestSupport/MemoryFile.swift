// SPDX-License-Identifier: Apache-2.0

import CImageCoder
public import ImageCoderPlugin

/// A file in memory that a writer or an operation writes. It is never freed.
public final class MemoryFile {
  public private(set) var bytes: [UInt8] = []
  private let raw: UnsafeMutablePointer<imgcoder_output>

  public var output: ByteOutput { ByteOutput(UnsafePointer(raw)) }

  public init() {
    raw = .allocate(capacity: 1)
    raw.initialize(to: imgcoder_output())
    raw.pointee.struct_size = UInt32(MemoryLayout<imgcoder_output>.size)
    raw.pointee.context = Unmanaged.passRetained(self).toOpaque()
    raw.pointee.write = { output, bytes, length in
      MemoryFile.object(output)?.bytes += UnsafeBufferPointer(start: bytes, count: Int(clamping: length))
      return UInt32(IMGCODER_STATUS_OK)
    }
    raw.pointee.patch = { output, offset, bytes, length in
      guard let own = MemoryFile.object(output), Int(offset) + Int(length) <= own.bytes.count else {
        return UInt32(IMGCODER_STATUS_INVALID_ARGUMENT)
      }
      own.bytes.replaceSubrange(
        Int(offset)..<Int(offset) + Int(length), with: UnsafeBufferPointer(start: bytes, count: Int(length)))
      return UInt32(IMGCODER_STATUS_OK)
    }
  }

  private static func object(_ output: UnsafePointer<imgcoder_output>?) -> MemoryFile? {
    output?.pointee.context.map { Unmanaged<MemoryFile>.fromOpaque($0).takeUnretainedValue() }
  }

  /// What an operation makes of a file, and what it says of its work.
  public static func made(
    of bytes: [UInt8], _ format: ImageFormat, limits: Limits = .standard,
    by operation: (OperationContext) throws(CoderError) -> Void
  ) throws(CoderError) -> (bytes: [UInt8], facts: Properties) {
    let file = MemoryFile()
    let context = OperationContext(
      MemorySource(bytes).view, from: format, output: file.output, host: MemoryHost(limits).host)
    try operation(context)
    return (file.bytes, context.facts)
  }

  /// Bytes from text and numbers: `bytes("abc", 0, [1, 2])`.
  public static func bytes(_ parts: any BytePart...) -> [UInt8] { parts.flatMap(\.partBytes) }

  /// A manifest store of C2PA with a payload of so many bytes, as a box of JUMBF.
  public static func store(_ count: Int, fill: UInt8 = 7) -> [UInt8] {
    let description = bytes(
      [0, 0, 0, 30], "jumdc2pa", [0, 0x11, 0, 0x10, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71, 3], "c2pa\0")
    let size = 8 + description.count + count
    return bytes([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) }, "jumb", description)
      + [UInt8](repeating: fill, count: count)
  }
}

/// A part of ``MemoryFile/bytes(_:)``.
public protocol BytePart {
  var partBytes: [UInt8] { get }
}

extension String: BytePart {
  public var partBytes: [UInt8] { Array(utf8) }
}

extension Int: BytePart {
  public var partBytes: [UInt8] { [UInt8(self)] }
}

extension Array: BytePart where Element == UInt8 {
  public var partBytes: [UInt8] { self }
}
