// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

// What readers of stills say of a file without a picture. Files of tracks alone are for another reader.
extension MetaBox {
  /// The error for a file without a meta box.
  public static func missing(hasMovie: Bool, at end: Int) -> CoderError {
    hasMovie
      ? .wrongFormat("a file of tracks, without a meta box")
      : .truncated("the file ends before its meta box", at: end)
  }

  /// The primary item.
  ///
  /// - Parameter hasMovie: Whether the file has tracks, which counts only when no item is named.
  /// - Throws: ``CoderError/Code/wrongFormat``; ``CoderError/Code/malformed``.
  public func primaryItem(hasMovie: Bool) throws(CoderError) -> Item {
    guard let primary else {
      throw hasMovie
        ? .wrongFormat("a file of tracks, none of whose items is the primary one", at: box.start)
        : .malformed("no primary item is named", at: box.start)
    }
    guard let item = item(primary) else {
      throw .malformed("the primary item is \(primary), which the file does not have", at: box.start)
    }
    return item
  }
}
