// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel

/// Texts and blocks that a worker gets with a request, each after its length, and numbers.
struct Parcel {
  private(set) var bytes: [UInt8] = []

  mutating func add(_ text: String) { add([UInt8](text.utf8)) }

  mutating func add(_ block: [UInt8]) {
    add(value: UInt64(block.count))
    bytes += block
  }

  /// Adds a number, or a struct without pointers.
  mutating func add<Value: BitwiseCopyable>(value: Value) {
    withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) }
  }

  /// Adds values of options, after their number.
  mutating func add(values: UnsafeBufferPointer<UnsafePointer<imgcoder_option_value>?>) {
    let values = values.compactMap { $0?.pointee }
    add(value: UInt32(values.count))
    for value in values {
      add(value: value.type)
      add(value: value.number)
      add(String(value.name))
      add(String(value.text))
    }
  }
}
