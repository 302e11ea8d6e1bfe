// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import PostPictures
import TestSupport
import Testing

/// The picture functions of a social server.
@Suite struct PostPicturesTests {
  static let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
  let pictures = PostPictures(registry: registry)

  static func fixture(_ path: String) -> String {
    let parts = path.split(separator: "/")
    return "\(StagedTree.fixtures(String(parts[0])))/valid/\(parts[1])"
  }

  /// A picture of one color but for its left upper quarter, which tells how it lies.
  static func picture(_ size: Size, corner: UInt8 = 0, rest: UInt8 = 255) throws -> Image {
    var samples = [UInt8](repeating: rest, count: size.pixelCount * 3)
    for y in 0..<size.height / 2 {
      for place in (y * size.width * 3)..<(y * size.width + size.width / 2) * 3 { samples[place] = corner }
    }
    return Image(try PixelBuffer(copying: samples, size: size, format: .rgb8))
  }

  /// Lies on its side, and says where it was taken.
  static func phonePhoto() async throws -> ByteSource {
    let file = try await registry.async.encode(try picture(Size(width: 1000, height: 500)), as: .jpeg)
    var edit = MetadataEdit()
    edit.values["{TIFF}", "Orientation"] = .integer(6)
    edit.values["{GPS}", "Latitude"] = .number(52.5)
    edit.values["{GPS}", "LatitudeRef"] = .text("N")
    return .bytes(try await registry.async.editMetadata(.bytes(file), edit).bytes)
  }

  @Test func anAttachmentIsUprightAndSaysNothing() async throws {
    let upload = try await Self.phonePhoto()
    let before = try await Self.registry.async.open(upload)
    #expect(try await before.properties()["{GPS}", "Latitude"] != nil)
    #expect(before.header.orientation.rawValue == 6)
    let made = try await pictures.attachment(of: upload)
    #expect(made.size == Size(width: 200, height: 400))
    for (file, size) in [(made.file.bytes, Size(width: 500, height: 1000)), (made.preview, made.size)] {
      let shown = try await Self.registry.async.open(.bytes(file))
      #expect(shown.header.canvas == size)
      #expect(shown.header.orientation.rawValue == 1)
      #expect(shown.header.metadata.isEmpty)
      // Orientation 6: the left column of what is stored is the upper row, from right to left.
      let row = try await shown.image().pixels.samples(inRow: size.height / 8)
      #expect(row[row.count / 4] > 240)
      #expect(row[row.count - row.count / 4] < 15)
    }
    #expect(try await Self.registry.async.header(of: .bytes(made.preview)).format == .webP)
    // Four by three frequencies: 6 characters, and two for each but the first.
    #expect(made.blurHash.count == 28)
  }

  @Test func aPhotoOfAPhoneIsTurned() async throws {
    // 50×40 pixels that lie on their side.
    let made = try await pictures.attachment(of: .file(Self.fixture("heif/orientation-6.heic")))
    let shown = try await Self.registry.async.header(of: .bytes(made.file.bytes))
    #expect(shown.canvas == Size(width: 40, height: 50))
    #expect(shown.orientation.rawValue == 1)
    #expect(made.file.format != .heic)
  }

  @Test func anAvatarIsASquareThatMoves() async throws {
    let frames = try [0, 100, 200].map { (shade: UInt8) -> Frame in
      let pixels = try Self.picture(Size(width: 600, height: 450), corner: shade).pixels
      return Frame(pixels: pixels, delay: .milliseconds(UInt32(shade) + 200))
    }
    let file = try await Self.registry.async.encode(Image(frames: frames, loopCount: .plays(3)), as: .gif)
    let avatar = try await pictures.avatar(of: .bytes(file))
    #expect(avatar.format == .webP)
    let shown = try await Self.registry.async.decode(.bytes(avatar.bytes))
    #expect(shown.pixels.size == Size(width: 400, height: 400))
    #expect(shown.frames.map(\.delay.seconds) == [0.2, 0.3, 0.4])
    #expect(shown.loopCount == .plays(3))
    let still = try await pictures.avatar(of: try await Self.phonePhoto())
    #expect(try await Self.registry.async.header(of: .bytes(still.bytes)).canvas == Size(width: 400, height: 400))
    #expect(try await pictures.attachment(of: .bytes(file)).file.frameCount == 3)
  }

  @Test func whatIsNoPictureHasAStatus() async throws {
    let photo = try await Self.registry.async.encode(try Self.picture(Size(width: 600, height: 300)), as: .jpeg)
    let huge = try await Self.registry.async.encode(try Self.picture(Size(width: 8100, height: 8000)), as: .png)
    let cases: [(ByteSource, Int)] = [
      (.bytes(photo.prefix(photo.count / 2)), 422), (.bytes(Array("no picture".utf8)), 415),
      (.file(Self.fixture("bmp/rgb24.bmp")), 415), (.bytes(huge), 413),
    ]
    for (upload, status) in cases {
      let error = await #expect(throws: CoderError.self) { try await pictures.avatar(of: upload) }
      #expect(error.map(PostPictures.status) == status, "\(String(describing: error))")
    }
  }
}
