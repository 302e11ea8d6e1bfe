// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CIsolation
import ImageCoderModel

extension Properties {
  /// What a worker's plugin put into a dictionary. They go through the same collector as those of a plugin in this process.
  ///
  /// - Returns: Nil if the bytes end inside of a value, or are none.
  init?(isolated bytes: [UInt8]) {
    let (status, properties) = Self.collect { target in
      bytes.withUnsafeBytes { bytes in
        var reader = Reader(rest: bytes[...])
        while !reader.rest.isEmpty {
          guard reader.put(into: target) else { return CoderError.Code.malformed.rawValue }
        }
        return InterfaceStatus.ok
      }
    }
    guard status == InterfaceStatus.ok else { return nil }
    self = properties
  }

  private struct Reader {
    var rest: Slice<UnsafeRawBufferPointer>

    private mutating func value<Value: BitwiseCopyable>(_ type: Value.Type) -> Value? {
      let size = MemoryLayout<Value>.size
      guard rest.count >= size else { return nil }
      defer { rest = rest.dropFirst(size) }
      return UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: type)
    }

    private mutating func text() -> String? {
      guard let length = value(UInt32.self), length <= UInt32(IMGCODER_MAX_TEXT), Int(length) <= rest.count else {
        return nil
      }
      defer { rest = rest.dropFirst(Int(length)) }
      return String(decoding: rest.prefix(Int(length)), as: UTF8.self)
    }

    mutating func put(into target: UnsafePointer<imgcoder_properties>) -> Bool {
      guard let kind = value(UInt8.self) else { return false }
      if Int(kind) == ISOLATION_PROPERTY_END {
        target.pointee.end(target)
        return true
      }
      guard let name = text() else { return false }
      switch Int(kind) {
      case ISOLATION_PROPERTY_BEGIN: name.withCoderString { target.pointee.begin(target, $0) }
      case ISOLATION_PROPERTY_BEGIN_LIST: name.withCoderString { target.pointee.begin_list(target, $0) }
      case ISOLATION_PROPERTY_INTEGER:
        guard let number = value(Int64.self) else { return false }
        name.withCoderString { target.pointee.put_integer(target, $0, number) }
      case ISOLATION_PROPERTY_NUMBER:
        guard let number = value(Double.self) else { return false }
        name.withCoderString { target.pointee.put_number(target, $0, number) }
      case ISOLATION_PROPERTY_TEXT:
        guard let text = text() else { return false }
        name.withCoderString { name in text.withCoderString { target.pointee.put_text(target, name, $0) } }
      default: return false
      }
      return true
    }
  }
}
