// SPDX-License-Identifier: Apache-2.0

import CImageCodersFacade
import ImageCoderModel

/// A struct of the header: it begins with its size, and later versions append fields.
protocol Growing {
  /// The size that version 1.0 has: what is smaller was never published.
  static var firstSize: UInt32 { get }
  /// All fields 0.
  init()
  /// The bytes of the struct that the caller knows.
  var size: UInt32 { get set }
}

extension ic_error: Growing { static var firstSize: UInt32 { 624 } }
extension ic_source: Growing { static var firstSize: UInt32 { 48 } }
extension ic_request: Growing { static var firstSize: UInt32 { 104 } }
extension ic_info: Growing { static var firstSize: UInt32 { 224 } }
extension ic_sink: Growing { static var firstSize: UInt32 { 32 } }
extension ic_pixels: Growing { static var firstSize: UInt32 { 56 } }
extension ic_encoding: Growing { static var firstSize: UInt32 { 96 } }
extension ic_bytes: Growing { static var firstSize: UInt32 { 32 } }
extension ic_registry_options: Growing { static var firstSize: UInt32 { 32 } }
extension ic_job: Growing { static var firstSize: UInt32 { 72 } }

extension UnsafePointer where Pointee: Growing {
  /// The struct as far as the caller and this library know it; the rest is 0.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a struct that is smaller than any version's.
  func known() throws(CoderError) -> Pointee {
    let given = UnsafeRawPointer(self).loadUnaligned(as: UInt32.self)
    guard given >= Pointee.firstSize else {
      throw .invalidArgument("\(Pointee.self).size is \(given), at least \(Pointee.firstSize): set it to sizeof")
    }
    var known = Pointee()
    withUnsafeMutableBytes(of: &known) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: self, count: min(Int(given), $0.count)))
    }
    return known
  }
}

extension UnsafeMutablePointer where Pointee: Growing {
  /// Fills the fields that the caller knows.
  ///
  /// - Throws: As ``UnsafePointer/known()``.
  func fill(_ value: Pointee) throws(CoderError) {
    let given = try UnsafePointer(self).known().size
    var value = value
    value.size = given
    withUnsafeBytes(of: value) {
      UnsafeMutableRawPointer(self).copyMemory(from: $0.baseAddress!, byteCount: min(Int(given), $0.count))
    }
  }

  /// Sets the fields that the caller knows to 0, so that nobody takes what a call left there before for an answer.
  func clear() throws(CoderError) { try fill(Pointee()) }
}

/// Puts a text into an array of characters: as much as fits, cut between characters, and a null byte.
func put<Array>(_ text: String, into array: inout Array) {
  withUnsafeMutableBytes(of: &array) { target in
    var bytes = text.utf8.prefix(target.count)
    if bytes.count == target.count {
      bytes = bytes.dropLast()
      // A byte that goes on with a character may not be the first of what is left out.
      let next = text.utf8.dropFirst(bytes.count).first
      if let next, next & 0xC0 == 0x80 {
        while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
      }
    }
    target.copyBytes(from: bytes)
    for index in bytes.count..<target.count { target[index] = 0 }
  }
}
