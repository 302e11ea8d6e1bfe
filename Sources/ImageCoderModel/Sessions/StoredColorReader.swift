// SPDX-License-Identifier: Apache-2.0

/// A reader of files that say more of their colors than a header has room for.
///
/// A part of a draft: see `imgcoder/draft/stored_color.h`.
public protocol StoredColorReader: ReaderSession {
  /// What a page says of its colors.
  func storedColor(page: Int) throws(CoderError) -> StoredColor

  /// What ``decodeInks(_:into:)`` would deliver: `rgba8` or `rgba16`, whose four samples are cyan, magenta, yellow and
  /// black, from no ink to all of it.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a page without inks.
  func inkOffer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer

  /// Decodes a page's inks, as `decode` does its colors.
  func decodeInks(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError)
}

extension StoredColorReader {
  /// Implements ``ReaderSession/storedColorReader``: this reader.
  public var storedColorReader: (any StoredColorReader)? { self }

  /// The default for formats without inks: throws ``CoderError/Code/unsupported``.
  public func inkOffer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    throw .unsupported("page \(request.page) has no inks")
  }

  /// The default for formats without inks: throws ``CoderError/Code/unsupported``.
  public func decodeInks(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    throw .unsupported("page \(offer.page) has no inks")
  }
}

/// A writer of files that say how bright light is.
///
/// A part of a draft: see `imgcoder/draft/stored_color.h`.
public protocol LightLevelWriter: WriterSession {
  /// Says how bright the light of a page is; called after the metadata and before the first frame, at most once for each
  /// page.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if the file has no place for it.
  func setLight(_ light: LightLevels) throws(CoderError)
}
