// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderEngine
import ImageCoders
import RemoteScreen
import Testing

/// JPEG files by the thousand, in memory that is used again.
@Suite struct RemoteScreenTests {
  static let part = Size(width: 64, height: 48)

  static func message(_ place: Rect, _ jpeg: [UInt8]) -> [UInt8] {
    [place.x, place.y, place.width, place.height, jpeg.count].flatMap { number in
      withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
    } + jpeg
  }

  /// A file that is read as a connection is, from its beginning.
  static func connection(_ messages: [[UInt8]]) throws -> Int32 {
    let file = try #require(tmpfile())
    let descriptor = dup(fileno(file))
    for bytes in messages { #expect(fwrite(bytes, 1, bytes.count, file) == bytes.count) }
    fclose(file)
    lseek(descriptor, 0, SEEK_SET)
    return descriptor
  }

  /// Eight parts of different colors, as files.
  static func parts() async throws -> [[UInt8]] {
    var files: [[UInt8]] = []
    for index in 0..<8 {
      let picture = try PostPicturesTests.picture(part, corner: UInt8(index * 30), rest: UInt8(255 - index * 20))
      files.append(try await PostPicturesTests.registry.async.encode(picture, as: .jpeg))
    }
    return files
  }

  @Test func aFrameAllocatesNoMemoryForPixels() async {
    await #expect(processExitsWith: .success) {
      let files = try await Self.parts()
      // 2,000 parts over a screen of 8×8 of them: each place is drawn many times, last by what is expected there.
      let places = (0..<2_000).map { index in
        Rect(x: index * 5 % 8 * 64, y: index / 8 * 3 % 8 * 48, width: 64, height: 48)
      }
      let connection = try Self.connection(
        places.indices.map { Self.message(places[$0], files[$0 % 7 + $0 % 2]) })
      let size = Size(width: 512, height: 384)
      let screen = try RemoteScreen(size: size, registry: PostPicturesTests.registry)
      var whole: [[UInt8]] = []
      for file in files {
        let options = DecodeOptions(pixelFormat: .rgba8)
        let image = try await PostPicturesTests.registry.async.decode(.bytes(file), options: options)
        whole.append(image.pixels.copyBytes())
      }
      var expected = [UInt8](repeating: 0, count: size.pixelCount * 4)
      for (index, place) in places.enumerated() {
        for y in 0..<48 {
          let start = ((place.y + y) * 512 + place.x) * 4
          expected.replaceSubrange(start..<start + 256, with: whole[index % 7 + index % 2][y * 256..<(y + 1) * 256])
        }
      }
      func draw() throws -> Int {
        let first = try screen.update(from: connection)
        precondition(first == places[0])
        let base = screen.pixels.base
        PixelMemoryUse.restartPeak()
        let before = PixelMemoryUse.bytes
        var count = 1
        while let place = try screen.update(from: connection) {
          precondition(place == places[count])
          count += 1
        }
        precondition(screen.pixels.base == base)
        precondition(PixelMemoryUse.peak == before, "\(PixelMemoryUse.peak - before) bytes for pixels")
        return count
      }
      let count = try draw()
      precondition(count == 2_000)
      precondition(screen.pixels.copyBytes() == expected)
    }
  }

  private func draw(_ messages: [[UInt8]]) throws -> [Result<Rect?, CoderError>] {
    let size = Size(width: 128, height: 96)
    let screen = try RemoteScreen(size: size, maxBytes: 8000, registry: PostPicturesTests.registry)
    let connection = try Self.connection(messages)
    defer { close(connection) }
    return messages.map { _ in Result { () throws(CoderError) in try screen.update(from: connection) } }
  }

  @Test func aPartThatCannotBeDrawnIsAnError() async throws {
    let file = try await Self.parts()[3]
    let (place, good) = (Rect(x: 64, y: 48, width: 64, height: 48), Result<Rect?, CoderError>.success)
    let results = try draw([
      Self.message(Rect(x: 65, y: 48, width: 64, height: 48), file),
      Self.message(Rect(x: 0, y: 0, width: 48, height: 48), file),
      Self.message(place, Array(file.prefix(file.count / 2))),
      Self.message(place, Array("no picture".utf8)),
      Self.message(place, file),
    ])
    let codes = results.map { result -> CoderError.Code? in
      if case .failure(let error) = result { error.code } else { nil }
    }
    #expect(codes == [.invalidArgument, .invalidArgument, .truncated, .noCoder, nil])
    #expect(results.last == good(place))
  }

  @Test func aConnectionThatEndsOrAsksForTooMuch() async throws {
    let file = try await Self.parts()[3]
    let whole = Self.message(Rect(x: 0, y: 0, width: 64, height: 48), file)
    #expect(try draw([whole, []]).last == .success(nil))
    let cut = try draw([Array(whole.dropLast())])
    let large = try draw([Self.message(Rect(x: 0, y: 0, width: 64, height: 48), [UInt8](repeating: 0, count: 8001))])
    for result in cut + large {
      #expect(throws: CoderError.self) { try result.get() }
    }
  }
}
