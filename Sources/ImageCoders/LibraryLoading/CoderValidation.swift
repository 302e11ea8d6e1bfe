// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// Checks of what a library describes, made once when it is loaded, so that a fault of the plugin has a name before the
/// first file does.
enum CoderValidation {
  /// Why a coder cannot be used, or nil.
  ///
  /// - Parameter size: The coder's `struct_size`, as the library wrote it.
  static func problem(of coder: imgcoder_coder, size: UInt32, id: String) -> SkipReason? {
    let least = MemoryLayout<imgcoder_coder>.offset(of: \.options) ?? 0
    guard Int(size) >= least else {
      return SkipReason(.coderInvalid, "the coder's struct_size is \(size), \(least) is the least of version 1.0")
    }
    for (name, text) in [("id", coder.id), ("version", coder.version), ("library", coder.library)]
    where text.length > UInt64(IMGCODER_MAX_TEXT) || (text.bytes == nil && text.length > 0) {
      return SkipReason(
        .coderInvalid,
        "the coder's \(name) has \(text.length) bytes\(text.bytes == nil ? " at a null address" : ""), \(IMGCODER_MAX_TEXT) are allowed"
      )
    }
    let found = String(coder.id)
    guard found == id else {
      return SkipReason(.idMismatch, "the library holds the coder \"\(found)\", the manifest promises \(id)")
    }
    guard coder.reader != nil || coder.writer != nil else {
      return SkipReason(.coderInvalid, "the coder has neither a reader nor a writer")
    }
    if let reader = coder.reader {
      let table = imgcoder_reader_table_read(reader)
      let missing = missingCalls([
        ("open", table.open != nil), ("info", table.info != nil), ("frame_info", table.frame_info != nil),
        ("negotiate", table.negotiate != nil), ("decode", table.decode != nil), ("close", table.close != nil),
      ])
      if let missing {
        return SkipReason(.coderInvalid, "the reader's table of \(reader.pointee.struct_size) bytes has no \(missing)")
      }
    }
    if let writer = coder.writer {
      let table = imgcoder_writer_table_read(writer)
      let missing = missingCalls([
        ("open", table.open != nil), ("negotiate", table.negotiate != nil), ("set_info", table.set_info != nil),
        ("add_frame", table.add_frame != nil), ("finish", table.finish != nil), ("close", table.close != nil),
      ])
      if let missing {
        return SkipReason(.coderInvalid, "the writer's table of \(writer.pointee.struct_size) bytes has no \(missing)")
      }
    }
    guard coder.options != nil || coder.option_count == 0 else {
      return SkipReason(.coderInvalid, "the coder states \(coder.option_count) options at a null address")
    }
    guard coder.read_options != nil || coder.read_option_count == 0 else {
      return SkipReason(
        .coderInvalid, "the coder states \(coder.read_option_count) options to read at a null address")
    }
    return nil
  }

  private static func missingCalls(_ calls: [(name: String, isThere: Bool)]) -> String? {
    let missing = calls.filter { !$0.isThere }.map(\.name)
    return missing.isEmpty ? nil : missing.joined(separator: ", ")
  }
}
