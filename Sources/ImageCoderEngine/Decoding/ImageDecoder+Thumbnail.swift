// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// The small copy that a file has of its picture.
extension ImageDecoder {
  /// The file of the thumbnail in Exif (Exif 2.32 §4.6.4 A), as it is: almost always JPEG. Nil for none.
  ///
  /// - Throws: As ``metadata(_:)``.
  public func exifThumbnail() throws(CoderError) -> [UInt8]? {
    guard header.metadata.contains(.exif), let exif = try metadata(.exif),
      let file = ExifDirectories(exif)?.thumbnailFile, !file.isEmpty
    else { return nil }
    return file
  }

  /// A decoder of the thumbnail that the file has of the page: that of Exif, or else the smallest preview, or the smallest
  /// smaller version with a side of 64 pixels or more, or the largest below. Nil for none.
  ///
  /// It comes as it is stored: of its own size, and not turned. Its header says its size and how it is to be turned, without
  /// decoding it. Of an animation, and of a file whose bytes still arrive, only that of Exif counts.
  ///
  /// The limits, and the formats that are allowed, hold for it as for the page. It shares the file with this decoder.
  ///
  /// - Throws: ``CoderError/Code/noCoder`` or ``CoderError/Code/unsupported`` for the file of a thumbnail that no coder reads;
  ///   any error of a reader.
  public func embeddedThumbnail() throws(CoderError) -> ImageDecoder? {
    if let file = try exifThumbnail() {
      guard let open = context.openEmbedded else { throw .noCoder("there is no coder for the thumbnail in the file") }
      // Exif says nothing of how its thumbnail is turned: it is as the picture is (Exif 2.32 §4.6.4 A, Orientation).
      var inner = context.embedded(try OpenSource(.bytes(file), limits: options.limits), shownAs: header.orientation)
      inner.options.size = .own
      inner.options.appliesOrientation = false
      return try open(inner)
    }
    guard !header.isAnimated else { return nil }
    let pictures = try auxiliaryPictures()
    func side(_ picture: AuxiliaryPicture) -> Int { max(picture.size?.width ?? 0, picture.size?.height ?? 0) }
    let previews = pictures.filter { $0.kind == .preview && $0.size != nil }
    let levels = pictures.filter { $0.kind == .reduced && $0.size != nil }
    let smallest =
      previews.min { side($0) < side($1) } ?? levels.filter { side($0) >= 64 }.min { side($0) < side($1) }
      ?? levels.max { side($0) < side($1) }
    guard let smallest else { return nil }
    return try attributing { () throws(CoderError) in
      var inner = context.auxiliary(smallest)
      inner.options.appliesOrientation = false
      return try ImageDecoder(file, inner)
    }
  }
}
