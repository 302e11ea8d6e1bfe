// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCodersBuiltIn
import ImageCodersNIO
import NIOCore
import Testing

/// Pictures in buffers of SwiftNIO.
@Suite struct ByteBufferTests {
  let registry = CoderRegistry(builtIn: .all)

  static func picture(_ shade: UInt8) throws -> PixelBuffer {
    let samples = (0..<3600).map { (place: Int) -> UInt8 in UInt8(truncatingIfNeeded: place * 7) &+ shade }
    return try PixelBuffer(copying: samples, size: Size(width: 40, height: 30), format: .rgb8)
  }

  /// Buffers as a body has them, the last of one byte.
  static func body(_ bytes: [UInt8], pieces: Int) -> AsyncStream<ByteBuffer> {
    AsyncStream { body in
      let length = max(1, bytes.count / pieces)
      for start in stride(from: 0, to: bytes.count, by: length) {
        body.yield(ByteBuffer(bytes: bytes[start..<min(start + length, bytes.count)]))
      }
      body.finish()
    }
  }

  @Test func aBufferIsDecodedWhereItLies() async throws {
    let pixels = try Self.picture(3)
    let file = try await registry.async.encode(Image(pixels), as: .png)
    // The file in the middle of a buffer.
    var buffer = ByteBuffer(bytes: [1, 2, 3] + file + [4])
    buffer.moveReaderIndex(forwardBy: 3)
    buffer.moveWriterIndex(to: 3 + file.count)
    let source = ByteSource.buffer(buffer)
    let before = buffer.withUnsafeReadableBytes { $0.baseAddress }
    // What is written now is not what the source has.
    buffer.setBytes([UInt8](repeating: 0, count: file.count), at: 3)
    #expect(buffer.withUnsafeReadableBytes { $0.baseAddress } != before)
    #expect(try await registry.async.decode(source).pixels.copyBytes() == pixels.copyBytes())
  }

  @Test func aSourceKeepsItsBuffer() async throws {
    let pixels = try Self.picture(5)
    func source() throws -> ByteSource {
      .buffer(ByteBuffer(bytes: try registry.encode(Image(pixels), as: .png)))
    }
    let kept = try source()
    // Other memory would be here now.
    let others = (0..<100).map { ByteBuffer(repeating: UInt8($0), count: 4096) }
    #expect(try await registry.async.decode(kept).pixels.copyBytes() == pixels.copyBytes())
    #expect(others.count == 100)
  }

  @Test(arguments: [1, 7]) func aBodyIsCollected(pieces: Int) async throws {
    let pixels = try Self.picture(9)
    let file = try await registry.async.encode(Image(pixels), as: .png)
    let source = try await ByteSource.collecting(Self.body(file, pieces: pieces), maxBytes: file.count)
    #expect(try await registry.async.decode(source).pixels.copyBytes() == pixels.copyBytes())
    let error = await #expect(throws: CoderError.self) {
      try await ByteSource.collecting(Self.body(file, pieces: pieces), maxBytes: file.count - 1)
    }
    #expect(error?.limit == .maxFileSize)
  }

  @Test func aFileBecomesABuffer() async throws {
    let source = ByteSource.bytes(try await registry.async.encode(Image(try Self.picture(1)), as: .png))
    let file = try await registry.async.makeThumbnail(of: source)
    #expect(Array(ByteBuffer(file).readableBytesView) == file.bytes)
  }

  @Test func picturesAndAnimationsArrive() async throws {
    let frames = try (0..<6).map { Frame(pixels: try Self.picture(UInt8($0 * 20)), delay: .milliseconds(50)) }
    let file = try await registry.async.encode(Image(frames: frames), as: .png)
    let whole = try await registry.async.decode(.bytes(file))
    let animation = StreamingAnimation(registry: registry)
    try await animation.feed(Self.body(file, pieces: 20))
    #expect(animation.isComplete)
    #expect(animation.frameCount == 6)
    for (index, frame) in whole.frames.enumerated() {
      #expect(try animation.frame(at: index).pixels.copyBytes() == frame.pixels.copyBytes())
    }
    let still = try await registry.async.encode(Image(frames[2].pixels), as: .png)
    var last: ImageUpdate?
    for try await update in registry.async.images(arriving: Self.body(still, pieces: 9)) { last = update }
    #expect(last?.isFinal == true)
    #expect(last?.image.pixels.copyBytes() == frames[2].pixels.copyBytes())
  }
}
