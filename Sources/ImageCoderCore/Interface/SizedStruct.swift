// SPDX-License-Identifier: Apache-2.0

package import CImageCoder

/// A struct of the plugin interface that begins with its size and may be shorter or longer on the other side.
///
/// Whoever reads touches only what both sides know; what is missing counts as zero.
package protocol SizedStruct {
  init()
  // The name is the C field's.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  var struct_size: UInt32 { get set }
}

extension SizedStruct {
  /// The size that this side was built with.
  package static var knownSize: Int { MemoryLayout<Self>.size }

  /// A zero struct with this side's size, to be filled by the other side.
  package static func sized() -> Self {
    var value = Self()
    value.struct_size = UInt32(knownSize)
    return value
  }

  /// Copies what both sides know out of a struct of the other side.
  package init(reading other: UnsafePointer<Self>) {
    self.init()
    let theirs = Int(UnsafeRawPointer(other).loadUnaligned(as: UInt32.self))
    withUnsafeMutableBytes(of: &self) { bytes in
      // Both structs hold at least min(theirs, ours) bytes: each side states its own size first.
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: other, count: min(theirs, bytes.count)))
    }
  }

  /// Copies what both sides know into a struct of the other side, and leaves its size as it is.
  package func write(to other: UnsafeMutablePointer<Self>) {
    let raw = UnsafeMutableRawPointer(other)
    let theirs = raw.loadUnaligned(as: UInt32.self)
    withUnsafeBytes(of: self) { bytes in
      // As in init(reading:); the callee writes no byte behind the caller's size.
      raw.copyMemory(from: bytes.baseAddress.unsafelyUnwrapped, byteCount: min(Int(theirs), bytes.count))
    }
    raw.storeBytes(of: theirs, as: UInt32.self)
  }
}

extension imgcoder_limits: SizedStruct {}
extension imgcoder_info: SizedStruct {}
extension imgcoder_frame_info: SizedStruct {}
extension imgcoder_open_options: SizedStruct {}
extension imgcoder_request: SizedStruct {}
extension imgcoder_offer: SizedStruct {}
extension imgcoder_option: SizedStruct {}
extension imgcoder_write_options: SizedStruct {}
extension imgcoder_pixels: SizedStruct {}
extension imgcoder_container: SizedStruct {}
extension imgcoder_coder: SizedStruct {}
extension imgcoder_reader_table: SizedStruct {}
extension imgcoder_writer_table: SizedStruct {}
extension imgcoder_transcode_table: SizedStruct {}
extension imgcoder_entry: SizedStruct {}

/// Statuses of the plugin interface that are no errors of a file.
package enum InterfaceStatus {
  package static let ok: imgcoder_status = 0
  package static let needMore: imgcoder_status = 1
  package static let notPresent: imgcoder_status = 2
  package static let invalidArgument: imgcoder_status = CoderError.Code.invalidArgument.rawValue
}
