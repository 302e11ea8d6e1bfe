// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  extension CGImageSource {
    /// The thumbnail that the file has of a picture, as it is stored, and how the picture is turned; nil for none.
    func embeddedThumbnail(_ index: Int) -> (pixels: PixelBuffer, orientation: Orientation)? {
      lock.withLock {
        guard let small = embeddedDecoder(index), let frame = try? small.decoder.frame(at: 0) else { return nil }
        return (frame.pixels, small.orientation)
      }
    }

    /// Its size, for which it is not decoded.
    func embeddedThumbnailSize(_ index: Int) -> Size? {
      lock.withLock { embeddedDecoder(index)?.decoder.header.canvas }
    }

    private func embeddedDecoder(_ index: Int) -> (decoder: ImageDecoder, orientation: Orientation)? {
      guard let page = page(index), let small = (try? page.embeddedThumbnail()) ?? nil else { return nil }
      return (small, page.header.orientation)
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
