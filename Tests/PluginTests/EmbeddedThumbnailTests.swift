// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// The small copy that a file has of its picture: its bytes, and as a picture.
@Suite(.needs("JPEG", "EXR")) struct EmbeddedThumbnailTests {
  private static let registry = EncodingPictures.registry

  private static func code(_ body: () throws -> Void) -> CoderError.Code? {
    do {
      try body()
      return nil
    } catch { return (error as? CoderError)?.code }
  }

  /// A JPEG of 320 × 240, stored to be turned, with a thumbnail of 64 × 48 in Exif.
  private static func photo() throws -> [UInt8] {
    var image = Image(try EncodingPictures.photo(Size(width: 320, height: 240)))
    image.orientation = .right
    var options = EncodeOptions()
    options.preservesOrientation = true
    options.embeddedThumbnailSide = 64
    return try registry.encode(image, as: .jpeg, options: options)
  }

  @Test func exifHasAFileInTheFile() throws {
    let bytes = try Self.photo()
    let decoder = try Self.registry.open(.bytes(bytes))
    let file = try #require(try decoder.exifThumbnail())
    // Exactly what lies between the second start of an image and the end that belongs to it.
    let start = try #require((2..<bytes.count).first { bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF]) })
    #expect(Array(bytes[start..<(start + file.count)]) == file)
    #expect(file.suffix(2) == [0xFF, 0xD9])
    let small = try #require(try decoder.embeddedThumbnail())
    // It lies as the picture does.
    #expect(small.header.canvas == Size(width: 64, height: 48) && small.header.orientation == .right)
    let wanted = EncodingPictures.rows(try Self.registry.decode(.bytes(file)).pixels)
    // Neither the size that is asked for nor the orientation counts.
    let other = try Self.registry.open(.bytes(bytes), options: .thumbnail(width: 30, height: 30))
    #expect(EncodingPictures.rows(try small.image().pixels) == wanted)
    #expect(EncodingPictures.rows(try #require(try other.embeddedThumbnail()).image().pixels) == wanted)
  }

  @Test func tasksGetTheSame() async throws {
    let bytes = try Self.photo()
    let image = try await Self.registry.async.open(.bytes(bytes)).embeddedThumbnail()
    let file = try await Self.registry.async.open(.bytes(bytes)).metadata(.exif)
    // The payload ends with the thumbnail.
    let start = try #require(file?.indices.first { file?[$0...].starts(with: [0xFF, 0xD8, 0xFF]) == true })
    let wanted = try await Self.registry.async.decode(.bytes(Array(try #require(file)[start...])))
    #expect(image.map { EncodingPictures.rows($0.pixels) } == EncodingPictures.rows(wanted.pixels))
  }

  /// The levels of a pyramid go down to one pixel, which nobody would show.
  @Test func aPixelIsNoThumbnail() throws {
    let levels = try Self.registry.open(.file("\(StagedTree.fixtures("exr"))/valid/mipmap.exr"))
    #expect(try levels.auxiliaryPictures().contains { $0.kind == .reduced && $0.size == Size(width: 1, height: 1) })
    let largest = try levels.auxiliaryPictures().filter { $0.kind == .reduced }.compactMap { $0.size?.width }.max()
    #expect(try levels.embeddedThumbnail()?.header.canvas.width == largest)
    let plain = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 32, height: 32))), as: .jpeg)
    #expect(try Self.registry.open(.bytes(plain)).embeddedThumbnail() == nil)
  }

  @Test func limitsAndFormatsHold() throws {
    let bytes = try Self.photo()
    var damaged = bytes
    let start = try #require((2..<bytes.count).first { bytes[$0...].starts(with: [0xFF, 0xD8, 0xFF]) })
    // The marker of its frame is gone: what is left has no size.
    let frame = try #require((start..<bytes.count).first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
    damaged[frame + 1] = 0xEE
    let decoder = try Self.registry.open(.bytes(damaged))
    #expect(try decoder.exifThumbnail() != nil)
    #expect(Self.code { _ = try decoder.embeddedThumbnail()?.image() } == .malformed)
    var options = DecodeOptions()
    options.limits.maxMetadata = 100
    let small = try Self.registry.open(.bytes(bytes), options: options)
    #expect(Self.code { _ = try small.embeddedThumbnail() } == .limitExceeded)
  }
}
