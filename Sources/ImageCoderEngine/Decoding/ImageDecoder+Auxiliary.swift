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

  /// The bytes of an auxiliary picture that is a file inside the file, or nil. What is turned is no longer what the file has.
  package func fileOfAuxiliary(_ picture: AuxiliaryPicture) throws(CoderError) -> [UInt8]? {
    guard !options.appliesOrientation || header.orientation == .up,
      let place = try file.reader.header(page: picture.page).embedded
    else { return nil }
    let source = context.source
    try session.limits.check(memory: place.count)
    return try withExtendedLifetime(source) { () throws(CoderError) in
      try ArrayMemory.copy(try source.view(at: place.lowerBound, count: place.count), for: "a picture in the file")
    }
  }

  /// A decoder of an auxiliary picture, which shares the file with this one.
  package func auxiliaryDecoder(_ picture: AuxiliaryPicture) throws(CoderError) -> ImageDecoder {
    try attributing { () throws(CoderError) in
      guard try file.auxiliaryPictures().contains(where: { $0.page == picture.page && $0.owner == page }) else {
        throw .invalidArgument("auxiliary picture \(picture.page) is none of page \(page)")
      }
      return try ImageDecoder(file, context.auxiliary(picture))
    }
  }
}
