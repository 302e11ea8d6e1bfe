// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  /// A small picture that is there, and how it is to be turned.
  struct StoredThumbnail {
    let pixels: PixelBuffer
    let orientation: Orientation
    let colorSpace: CGColorSpace?
  }

  extension CGImageSource {
    /// The thumbnail that the file has of a picture, as it is stored; nil for none.
    func embeddedThumbnail(_ index: Int) -> StoredThumbnail? {
      lock.withLock {
        guard let decoder = embeddedDecoder(index), let frame = try? decoder.frame(at: 0) else { return nil }
        return StoredThumbnail(
          pixels: frame.pixels, orientation: decoder.header.orientation, colorSpace: CGColorSpace(of: decoder))
      }
    }

    /// Its size, for which it is not decoded.
    func embeddedThumbnailSize(_ index: Int) -> Size? {
      lock.withLock { embeddedDecoder(index)?.header.canvas }
    }

    private func embeddedDecoder(_ index: Int) -> ImageDecoder? {
      page(index).flatMap { page in (try? page.embeddedThumbnail()) ?? nil }
    }

    /// The decoder of the file for what is said of a picture; nil for an index that the file does not have.
    ///
    /// It shares the file with the source, and is used under the lock.
    func page(_ index: Int) -> ImageDecoder? {
      lock.withLock {
        guard let decoder, index >= 0, index < max(count, 1) else { return nil }
        return isSequence || decoder.page == index ? decoder : try? decoder.page(index)
      }
    }
  }
#endif
