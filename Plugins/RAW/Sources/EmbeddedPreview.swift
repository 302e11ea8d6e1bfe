// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A JPEG file in a camera's file that shows the picture as the camera developed it.
struct EmbeddedPreview {
  let place: Range<Int>
  let size: Size

  /// Nil if there is none, or none that can be read.
  init?(of file: CameraFile, in contents: UnsafeRawBufferPointer, limits: Limits) {
    guard let place = file.preview, place.upperBound <= contents.count else { return nil }
    let bytes = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: contents[place]))
    // Sizes that the library gives are those of tags, which some makers leave out.
    guard let size = Self.size(in: ByteReader(bytes)), (try? limits.check(canvas: size)) != nil else { return nil }
    self.place = place
    self.size = size
  }

  /// The size that a JPEG file states in its frame header (ITU-T T.81 §B.2.2).
  private static func size(in reader: borrowing ByteReader) -> Size? {
    do throws(CoderError) {
      var place = 2
      // Segments before the frame; a file has a few dozen.
      for _ in 0..<256 {
        let marker = Int(try reader.uint16(at: place))
        guard marker & 0xFF00 == 0xFF00, marker != 0xFFD9, marker != 0xFFDA else { return nil }
        // A marker may have any number of bytes 0xFF before it.
        if marker == 0xFFFF {
          place += 1
          continue
        }
        // Frames of all kinds; 0xC4, 0xC8 and 0xCC are others.
        if 0xFFC0...0xFFCF ~= marker, ![0xFFC4, 0xFFC8, 0xFFCC].contains(marker) {
          return Size(
            width: Int(try reader.uint16(at: place + 7)), height: Int(try reader.uint16(at: place + 5)))
        }
        place += 2 + Int(try reader.uint16(at: place + 2))
      }
      return nil
    } catch {
      return nil
    }
  }

  /// A hidden page that the host opens as a file of its own. It lies as the samples of the sensor do.
  func header(in format: ImageFormat, orientation: Orientation) -> ImageHeader {
    var header = ImageHeader(format: format, canvas: size, pixelFormat: .rgb8, bitsPerChannel: 8, alpha: .opaque)
    header.embedded = place
    header.orientation = orientation
    header.hiddenPageCount = 1
    header.role = PageRole(.preview, name: "camera preview", showsOwner: true)
    return header
  }
}
