// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A copy of the first bytes of a file that arrives: all boxes up to those that tell of the pictures.
public final class FileHead {
  public let bytes: UnsafeRawBufferPointer

  /// Waits for boxes.
  ///
  /// - Parameter last: The box to wait for; nil for all before the media data.
  /// - Returns: nil when that is not there before the media data, or the boxes before it are damaged or cut.
  public init?(_ source: SourceView, upTo last: FourCC?) throws(CoderError) {
    var offset = 0
    var isFound = false
    while !isFound {
      var header = FileBoxHeader(try source.view(at: offset, least: 8, most: 16))
      if header == nil { header = FileBoxHeader(try source.view(at: offset, count: 16)) }
      guard let header else { return nil }
      guard header.type != .mediaData else {
        guard last == nil else { return nil }
        break
      }
      guard offset > 0 || header.type == .fileType, let size = header.size, size >= UInt64(header.length),
        let length = Int(exactly: size)
      else { return nil }
      let end = offset.addingReportingOverflow(length)
      guard !end.overflow else { return nil }
      offset = end.partialValue
      isFound = header.type == last
    }
    let view = try source.view(at: 0, count: offset)
    guard view.count == offset else { return nil }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: offset, alignment: 8)
    copy.copyMemory(from: view)
    bytes = UnsafeRawBufferPointer(copy)
  }

  deinit { bytes.deallocate() }
}
