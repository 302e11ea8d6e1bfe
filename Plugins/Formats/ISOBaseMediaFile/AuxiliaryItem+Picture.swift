// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// A picture as it is stored, and how it is turned.
public struct StoredPicture {
  let size: Size
  let orientation: Orientation

  public init(size: Size, orientation: Orientation) { (self.size, self.orientation) = (size, orientation) }

  /// How far the proportions of a small picture are from those of this one: as it is stored, and on its side.
  fileprivate func differences(from small: Size) -> (stored: Int, onItsSide: Int) {
    (
      abs(small.width * size.height - small.height * size.width),
      abs(small.width * size.width - small.height * size.height)
    )
  }
}

extension AuxiliaryItem {
  /// How it is shown.
  ///
  /// What its own properties say counts. A gain map that nothing turns lies as its picture is stored: Samsung's phones turn
  /// the picture alone. If only the picture as it is shown has the map's proportions, the map was turned before it was
  /// stored. A thumbnail that nothing turns is upright, unless only the picture as it is stored has its proportions.
  public func orientation(_ own: StoredPicture, of picture: StoredPicture) -> Orientation {
    guard own.orientation == .up else { return own.orientation }
    let (stored, onItsSide) = picture.differences(from: own.size)
    switch kind {
    case .gainMap where toneMap == nil:
      return picture.orientation.swapsSides && onItsSide < stored ? own.orientation : picture.orientation
    case .reduced:
      return picture.orientation.swapsSides && stored < onItsSide ? picture.orientation : own.orientation
    default: return own.orientation
    }
  }

  /// Checks that a thumbnail is no larger than its picture.
  ///
  /// - Throws: ``CoderError/Code/malformed``
  public func check(size: Size, of picture: Size) throws(CoderError) {
    guard kind == .reduced, size.pixelCount > picture.pixelCount else { return }
    throw .malformed("item \(item) of \(size), a thumbnail of a picture of \(picture)")
  }
}
