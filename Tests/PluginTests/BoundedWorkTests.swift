// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Small files that ask for much work, and a process that has nothing left for a moment.
@Suite struct BoundedWorkTests {
  /// An animation whose frames change one pixel each.
  private static func animation(_ frames: Int, width: UInt8, height: UInt8) -> [UInt8] {
    var bytes = Array("GIF89a".utf8) + [width, 0, height, 0, 0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    for index in 0..<frames {
      bytes += [0x21, 0xF9, 4, 4, 5, 0, 0, 0]
      bytes += [0x2C, UInt8(index % Int(width)), 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x4C, 1, 0]
    }
    return bytes + [0x3B]
  }

  @Test func theFramesOfAnAnimationAreBoundedTogether() throws {
    let registry = EncodingPictures.registry
    let source = ByteSource.bytes(Self.animation(50, width: 20, height: 10))
    var options = DecodeOptions()
    options.limits.maxComposedPixels = 50 * 200
    #expect(try registry.decode(source, options: options).frames.count == 50)
    options.limits.maxComposedPixels -= 1
    // What needs no other frames goes on.
    let decoder = try registry.open(source, options: options)
    #expect(decoder.header.frameCount == 50)
    _ = try decoder.frame(at: 0)
    let error = #expect(throws: CoderError.self) { try decoder.frame(at: 1) }
    #expect(error?.limit == .maxComposedPixels)
    #expect(
      error?.message
        == "50 frames of 20×10, a pixel count of 10000 is over the limit maxComposedPixels of 9999")
    // Of a file that arrives, what is there is shown.
    let incremental = registry.makeIncrementalDecoder(options: options)
    let arriving = #expect(throws: CoderError.self) {
      try incremental.append(Self.animation(50, width: 20, height: 10))
      _ = try incremental.finish()
    }
    #expect(arriving?.limit == .maxComposedPixels)
  }

  /// A progressive picture is held twice: as coefficients, and as pixels; while it arrives, what is looked at is a copy.
  @Test func allThatADecoderHoldsIsCountedTogether() throws {
    let registry = EncodingPictures.registry
    let size = Size(width: 800, height: 600)
    let picture = Image(try EncodingPictures.photo(size))
    var encoding = EncodeOptions()
    encoding.isProgressive = true
    let bytes = try registry.encode(picture, as: .jpeg, options: encoding)
    var options = DecodeOptions()
    options.limits.maxMemory = size.pixelCount * 5
    let whole = #expect(throws: CoderError.self) { try registry.decode(.bytes(bytes), options: options) }
    #expect(whole?.limit == .maxMemory)
    // 4:2:0 has 1.5 coefficients of two bytes for each pixel, and the picture has three bytes.
    options.limits.maxMemory = size.pixelCount * 7
    #expect(try registry.decode(.bytes(bytes), options: options).problem == nil)
    let decoder = registry.makeIncrementalDecoder(options: options)
    let arriving = #expect(throws: CoderError.self) {
      try decoder.append(bytes)
      _ = try decoder.finish()
    }
    #expect(arriving?.limit == .maxMemory)
    // Lent memory is not the decoder's.
    options.limits.maxMemory = size.pixelCount * 4
    options.destination = try PixelBuffer(size: size, format: .rgb8, alpha: .opaque)
    #expect(try registry.decode(.bytes(bytes), options: options).problem == nil)
  }

  /// What would have to be inflated behind the last row may be a thousand times as long as the file.
  @Test func imageDataBehindTheLastRowIsNotRead() throws {
    func chunk(_ name: String, _ payload: [UInt8], damage: UInt32 = 0) -> [UInt8] {
      let named = Array(name.utf8) + payload
      return Self.bigEndian(UInt32(payload.count)) + named + Self.bigEndian(Self.crc(named) ^ damage)
    }
    let stored: [UInt8] = [0, 4, 0, 0xFB, 0xFF, 0, 10, 20, 30]
    let long: [UInt8] = [0, 0xFF, 0xFF, 0, 0] + [UInt8](repeating: 0, count: 65_535)
    for interlacing: UInt8 in [0, 1] {
      let start =
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        + chunk("IHDR", Self.bigEndian(1) + Self.bigEndian(1) + [8, 2, 0, 0, interlacing])
        + chunk("IDAT", [0x78, 0x01] + stored)
      // A chunk that is read has to be as its checksum says.
      let near = start + chunk("IDAT", [0, 0, 0, 0xFF, 0xFF], damage: 1) + chunk("IEND", [])
      #expect(try EncodingPictures.registry.decode(.bytes(near)).problem?.code == .checksumMismatch)
      let far = start + chunk("IDAT", long, damage: 1) + chunk("IDAT", long, damage: 1) + chunk("IEND", [])
      let image = try EncodingPictures.registry.decode(.bytes(far))
      #expect(image.problem == nil)
      withExtendedLifetime(image) {
        #expect(Array(UnsafeRawBufferPointer(start: image.frames[0].pixels.row(0), count: 3)) == [10, 20, 30])
      }
    }
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  /// PNG Third Edition, annex D.
  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  /// A library that cannot be opened for want of a descriptor is opened when there is one again.
  @Test func aPassingLackOfDescriptorsIsForgotten() async {
    await #expect(processExitsWith: .success) {
      let registry = EncodingPictures.registry
      func decode(_ bytes: [UInt8]) throws { _ = try registry.decode(.bytes(bytes)) }
      // Reads manifests, and no library.
      try? decode([0])
      let bytes = BoundedWorkTests.animation(1, width: 2, height: 2)
      var limits = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      let before = limits
      let free = dup(0)
      close(free)
      limits.rlim_cur = rlim_t(free)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
      do {
        try decode(bytes)
        exit(1)
      } catch {
        print(error)
      }
      var restored = before
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
      do { try decode(bytes) } catch {
        print(error)
        exit(2)
      }
      exit(0)
    }
  }
}
