// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// Pictures that belong to the page: gain maps, depth, mattes.
extension ImageDecoder {
  /// The auxiliary pictures of the page. Of a file whose bytes still arrive, none.
  ///
  /// - Throws: ``CoderError/Code/limitExceeded`` for more of them than pages are allowed; any error of the reader.
  public func auxiliaryPictures() throws(CoderError) -> [AuxiliaryPicture] {
    try attributing { () throws(CoderError) in try file.auxiliaryPictures().filter { $0.owner == page } }
  }

  /// An auxiliary picture as it is stored: in its own size and colors. It is turned as the page is, if the options say so.
  ///
  /// The limits, and the formats that are allowed, hold for it as for the page.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a picture that is none of this page; as ``image()``.
  public func decodeAuxiliary(_ picture: AuxiliaryPicture) throws(CoderError) -> Image {
    try auxiliaryDecoder(picture).image()
  }

  /// A decoder of an auxiliary picture, which shares the file with this one.
  func auxiliaryDecoder(_ picture: AuxiliaryPicture) throws(CoderError) -> ImageDecoder {
    try attributing { () throws(CoderError) in
      guard try file.auxiliaryPictures().contains(where: { $0.page == picture.page && $0.owner == page }) else {
        throw .invalidArgument("auxiliary picture \(picture.page) is none of page \(page)")
      }
      return try ImageDecoder(file, context.auxiliary(picture))
    }
  }
}
