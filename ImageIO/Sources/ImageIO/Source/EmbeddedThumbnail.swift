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
      guard let page = page(index) else { return nil }
      return lock.withLock {
        let orientation = page.header.orientation
        if let exif = try? page.metadata(.exif), let place = ExifThumbnail.place(in: exif) {
          var options = self.options()
          options.allowedFormats = options.allowedFormats?.intersection([.jpeg]) ?? [.jpeg]
          if let decoder = try? Coders.registry.open(.bytes(exif[place]), options: options) {
            return (decoder, orientation)
          }
        }
        // HEIF has small pictures beside the large one, with numbers after those of all pages.
        let header = page.header
        guard [.heic, .heif, .avif].contains(header.format), header.hiddenPageCount > 0 else { return nil }
        for hidden in header.pageCount..<header.pageCount + header.hiddenPageCount {
          guard let small = try? page.page(hidden), [.reduced, .preview].contains(small.header.role.kind),
            small.header.role.owner == page.page
          else { continue }
          return (small, orientation)
        }
        return nil
      }
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

  /// The JPEG file in Exif's second directory (Exif 2.32 §4.5.5).
  enum ExifThumbnail {
    /// Where it is in a payload that begins with the header of TIFF; nil for none.
    static func place(in exif: [UInt8]) -> Range<Int>? {
      guard exif.count > 8 else { return nil }
      let isBig = exif[0] == UInt8(ascii: "M")
      func number(_ place: Int, _ count: Int) -> Int? {
        guard place >= 0, place + count <= exif.count else { return nil }
        let bytes = exif[place..<place + count]
        return (isBig ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
      }
      guard let first = number(4, 4), let entries = number(first, 2), let second = number(first + 2 + 12 * entries, 4),
        second > 0, let count = number(second, 2)
      else { return nil }
      var (start, length): (Int?, Int?) = (nil, nil)
      for entry in 0..<count {
        let place = second + 2 + 12 * entry
        guard let tag = number(place, 2), let value = number(place + 8, 4) else { return nil }
        if tag == 0x0201 { start = value }
        if tag == 0x0202 { length = value }
      }
      guard let start, let length, length > 0, start <= exif.count - length else { return nil }
      return start..<start + length
    }
  }
#endif
