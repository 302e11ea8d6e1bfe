// SPDX-License-Identifier: Apache-2.0

import CImageCoderStructs
import CIsolation
import FuzzStructures

/// What a worker and its server say, in the form of ``ConversationStructure``.
struct Conversation {
  private(set) var bytes: [UInt8]

  /// - Parameters:
  ///   - wish: What the worker is asked for.
  ///   - flags: How.
  init(wish: UInt8, flags: UInt8 = 0) { bytes = [wish, flags] }

  mutating func say(
    _ kind: Int, words: [UInt32] = [], longs: [UInt64] = [], payload: [UInt8] = [], lies: UInt8 = 0
  ) {
    bytes += [UInt8(truncatingIfNeeded: kind), lies]
    add(UInt16(truncatingIfNeeded: payload.count))
    for index in 0..<5 { add(index < words.count ? words[index] : 0) }
    for index in 0..<4 { add(index < longs.count ? longs[index] : 0) }
    bytes += payload
  }

  private mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
  }

  /// An answer without a reason.
  mutating func reply(_ results: [UInt8] = [], status: UInt32 = 0, output: Int = 0, ahead: UInt32 = 0) {
    say(
      ISOLATION_REPLY, words: [status, 0, UInt32(results.count), 0, ahead], longs: [0, UInt64(output)], payload: results
    )
  }

  /// The bytes of a struct without pointers.
  static func raw<Value: BitwiseCopyable>(_ value: Value) -> [UInt8] { withUnsafeBytes(of: value) { [UInt8]($0) } }
}
