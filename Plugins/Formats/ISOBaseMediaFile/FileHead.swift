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
      guard let box = try Self.box(at: offset, in: source) else { return nil }
      guard box.type != .mediaData else {
        guard last == nil else { return nil }
        break
      }
      // A box without an end of its own reaches up to that of the file.
      guard offset > 0 || box.type == .fileType, box.end < .max else { return nil }
      offset = box.end
      isFound = box.type == last
    }
    let view = try source.view(at: 0, count: offset)
    guard view.count == offset else { return nil }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: offset, alignment: 8)
    copy.copyMemory(from: view)
    bytes = UnsafeRawBufferPointer(copy)
  }

  /// - Returns: nil for a damaged or cut one.
  private static func box(at offset: Int, in source: SourceView) throws(CoderError) -> Box? {
    do throws(CoderError) {
      return try source.box(at: offset, before: .max)
    } catch {
      guard error.code == .malformed else { throw error }
      return nil
    }
  }

  deinit { bytes.deallocate() }
}
