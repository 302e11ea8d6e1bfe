// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import Testing

/// Files that tests read: test pictures, encoded once with the staged plugins.
enum Fixture {
  private static let folder = Folder()
  private static let files = Result { () throws(CoderError) in try write() }

  /// The path of a file.
  static func path(_ name: String) throws -> String {
    try #require(try files.get()[name], "no file \(name)")
  }

  private static func write() throws(CoderError) -> [String: String] {
    var files: [String: String] = [:]
    func add(_ name: String, _ bytes: [UInt8]) { files[name] = folder.write(name, bytes) }
    let registry = Decoded.registry
    let window = Image(try TestPictures.window())
    let shapes = Image(try TestPictures.shapes())
    let comet = try TestPictures.comet()
    var (lossless, photo, icon) = (EncodeOptions(), EncodeOptions(), EncodeOptions())
    lossless.isLossless = true
    photo.quality = 0.9
    icon.iconSizes = [16, 32, 48, 128]
    add("window.png", try registry.encode(window, as: .png))
    add("shapes-alpha.png", try registry.encode(shapes, as: .png))
    add("shapes-alpha.gif", try registry.encode(shapes, as: .gif))
    add("shapes-alpha.webp", try registry.encode(shapes, as: .webP))
    add("comet-alpha.gif", try registry.encode(comet, as: .gif))
    add("comet-alpha.apng", try registry.encode(comet, as: .png))
    add("comet-alpha.webp", try registry.encode(comet, as: .webP, options: lossless))
    add("icon.ico", try registry.encode(Image(try TestPictures.cometFrame(5)), as: .ico, options: icon))
    let deep = Image(try TestPictures.gradient())
    add("pages.tiff", try registry.encode([window, shapes, deep], as: .tiff))
    // The picture is 600×400 when upright, and stored as a camera stores it that was held on its side.
    let turned = Image(try TestPictures.landscape().oriented(by: .left))
    add(
      "landscape-orientation-6.jpg",
      insertOrientation(.right, into: try registry.encode(turned, as: .jpeg, options: photo)))
    return files
  }

  /// Inserts an Exif segment with an orientation and nothing else into a JPEG file.
  private static func insertOrientation(_ orientation: Orientation, into file: [UInt8]) -> [UInt8] {
    // TIFF 6.0 §2: big-endian header, IFD0 at 8 with one entry: tag 0x0112, SHORT, one value.
    let payload: [UInt8] =
      Array("Exif\0\0MM\0*".utf8)
      + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    let length = payload.count + 2
    return file.prefix(2) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload + file.dropFirst(2)
  }
}
