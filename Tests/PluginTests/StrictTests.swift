// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// Who asks for whole pictures gets no parts, and a part is never handed on as if it were whole.
@Suite struct StrictTests {
  private static let registry = EncodingPictures.registry

  /// Files that end in the middle of their pixels.
  private static func cut(_ format: ImageFormat) throws -> [UInt8] {
    let image = Image(try EncodingPictures.photo(Size(width: 400, height: 300)))
    let bytes = try Self.registry.encode(image, as: format)
    return Array(bytes.prefix(bytes.count * 2 / 3))
  }

  @Test(arguments: [ImageFormat.png, .jpeg, .bmp, .qoi, .pnm]) func aPartIsAnError(_ format: ImageFormat) throws {
    let source = ByteSource.bytes(try Self.cut(format))
    #expect(try Self.registry.decode(source).problem?.code == .truncated)
    let strict = DecodeOptions(isStrict: true)
    #expect { try Self.registry.decode(source, options: strict) } throws: {
      ($0 as? CoderError)?.code == .truncated
    }
    let decoder = try Self.registry.open(source, options: strict)
    #expect { try decoder.frame(at: 0) } throws: { ($0 as? CoderError)?.code == .truncated }
    let incremental = Self.registry.makeIncrementalDecoder(options: strict)
    try incremental.append(try Self.cut(format))
    #expect(try incremental.picture() != nil)
    #expect { try incremental.finish() } throws: { ($0 as? CoderError)?.code == .truncated }
    #expect {
      try Self.registry.convert(source, to: .png, at: .memory, reading: strict, problem: { _ in })
    } throws: {
      ($0 as? CoderError)?.code == .truncated
    }
  }

  @Test func missingFramesAreAnError() throws {
    let frames = try (0..<4).map { Frame(pixels: try EncodingPictures.walk($0), delay: .milliseconds(50)) }
    let bytes = try Self.registry.encode(Image(frames: frames), as: .gif)
    let source = ByteSource.bytes(bytes.prefix(bytes.count - 40))
    #expect(try Self.registry.decode(source).problem != nil)
    #expect(throws: CoderError.self) { try Self.registry.decode(source, options: DecodeOptions(isStrict: true)) }
    // Its first frame is whole.
    let first = DecodeOptions(firstFrameOnly: true, isStrict: true)
    #expect(try Self.registry.decode(source, options: first).frames.count == 1)
  }

  /// A file of the wanted format would be copied as it is; one that is cut must not pass so.
  @Test(arguments: [ImageFormat.png, .jpeg]) func aCutFileIsNotCopied(_ format: ImageFormat) throws {
    let bytes = try Self.cut(format)
    #expect(try Self.registry.transcode(.bytes(bytes), to: format) == nil)
    #expect { try Self.registry.convert(.bytes(bytes), to: format, at: .memory) } throws: {
      ($0 as? CoderError)?.code == .truncated
    }
    var problems: [CoderError.Code] = []
    let made = try Self.registry.convert(.bytes(bytes), to: format, at: .memory) { problems.append($0.code) }
    #expect(problems == [.truncated])
    #expect(try Self.registry.decode(.bytes(made.bytes)).problem == nil)
    // JPEG XL would store a JPEG without a look at its pixels.
    #expect(try Self.registry.transcode(.bytes(bytes), to: .jpegXL) == nil)
  }

  @Test func aWholeFileIsCopied() throws {
    let bytes = try Self.registry.encode(Image(try EncodingPictures.photo(Size(width: 160, height: 120))), as: .jpeg)
    #expect(try Self.registry.transcode(.bytes(bytes), to: .jpeg) == bytes)
    #expect(try Self.registry.transcode(.bytes(bytes), to: .jpeg, reading: DecodeOptions(isStrict: true)) == bytes)
  }

  /// Whoever writes strangers' pictures anew relies on what is allowed, also where the file would be copied.
  @Test(arguments: [ImageFormat.jpeg, .jpegXL]) func limitsAndFormatsApplyToCopies(_ format: ImageFormat) throws {
    let photo = Image(try EncodingPictures.photo(Size(width: 160, height: 120)))
    let source = ByteSource.bytes(try Self.registry.encode(photo, as: .jpeg))
    var small = DecodeOptions()
    small.limits.maxPixels = 1000
    let other = DecodeOptions(allowedFormats: [.png])
    for (reading, code) in [(small, CoderError.Code.limitExceeded), (other, .unsupported)] {
      #expect { try Self.registry.transcode(source, to: format, reading: reading) } throws: {
        ($0 as? CoderError)?.code == code
      }
      #expect { try Self.registry.convert(source, to: format, at: .memory, reading: reading) } throws: {
        ($0 as? CoderError)?.code == code
      }
    }
  }
}
