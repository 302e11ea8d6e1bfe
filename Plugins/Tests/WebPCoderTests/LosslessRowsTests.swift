// SPDX-License-Identifier: Apache-2.0

import CVP8L
import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import WebPCoder

/// Lossless pixels and alpha that are decoded without libwebp, held against libwebp's.
@Suite struct LosslessRowsTests {
  static let lossless: [EncodedPicture] =
    EncodedPicture.Content.allCases.flatMap { content in
      [(64, 64, 0, 0), (301, 77, 4, 75), (1, 513, 3, 50), (513, 1, 4, 100), (130, 131, 6, 100)].map {
        EncodedPicture(
          content: content, size: Size(width: $0.0, height: $0.1), method: $0.2, quality: Float($0.3))
      }
    }

  static let withAlpha: [EncodedPicture] = [EncodedPicture.Content.noise, .slopes, .two, .sixteen, .flat, .repeated]
    .flatMap { content in
      [(0, 0, 100), (0, 1, 100), (1, 0, 100), (1, 1, 100), (1, 2, 100), (1, 2, 30)].map {
        EncodedPicture(
          content: content, size: Size(width: 203, height: 101), alpha: (compression: $0.0, filter: $0.1, quality: $0.2)
        )
      }
    }

  private struct Decoded {
    var pixels: [UInt8] = []
    var rows = 0
    var problem: CoderError?

    /// Whether rows that both have are equal.
    func isLike(_ other: Decoded, rowBytes: Int) -> Bool {
      let count = min(rows, other.rows) * rowBytes
      return pixels.prefix(count).elementsEqual(other.pixels.prefix(count))
    }
  }

  /// How a file is decoded.
  private enum Way {
    case byLibwebp
    case whole
    case arriving
  }

  private static func read(
    _ bytes: [UInt8], _ way: Way = .whole, format: PixelFormat? = nil, alpha: AlphaMode? = nil, most: Int = .max
  ) throws(CoderError) -> Decoded {
    let source = MemorySource(bytes)
    defer { withExtendedLifetime(source) {} }
    let reader = try WebPReader(
      source.view, host: MemoryHost().host, options: way == .arriving ? [.incremental] : [])
    reader.isLibwebpAlone = way == .byLibwebp
    var request = DecodeRequest()
    request.pixelFormat = format
    if let alpha { request.alpha = alpha }
    let offer = try reader.offer(for: request)
    let sink = MemorySink(offer, most: most)
    var problem: CoderError?
    do throws(CoderError) { try reader.decode(offer, into: sink.sink) } catch { problem = error }
    return Decoded(pixels: sink.pixels, rows: sink.rowsDone, problem: problem)
  }

  /// Where the payload of a chunk begins, and how long it is.
  private static func chunk(_ name: String, in file: [UInt8]) throws -> Range<Int> {
    var at = 12
    while at + 8 <= file.count {
      let size = (0..<4).reduce(0) { $0 | Int(file[at + 4 + $1]) << (8 * $1) }
      if file[at..<at + 4].elementsEqual(name.utf8) { return at + 8..<at + 8 + size }
      at += 8 + size + size & 1
    }
    throw CoderError.invalidArgument("a file without \(name)")
  }

  /// How many rows the kernel makes alone, of bytes that come in nine parts.
  private static func aloneRows(_ file: [UInt8], _ size: Size) throws -> Int {
    let payload = try chunk("VP8L", in: file)
    return file[payload].withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress,
        let picture = open(start + 5, bytes.count / 9, size) ?? open(start + 5, bytes.count - 5, size)
      else { return 0 }
      defer { vp8l_close(picture) }
      var pixels = [UInt8](repeating: 0, count: size.pixelCount * 4)
      var rows = Int(vp8l_rows(picture, UInt32(size.height), &pixels, size.width * 4, VP8L_BGRA, 0))
      for share in 2...9 where rows < size.height && vp8l_is_cut(picture) != 0 {
        vp8l_extend(picture, start + 5, share == 9 ? bytes.count - 5 : bytes.count * share / 9)
        rows += Int(vp8l_rows(picture, UInt32(size.height - rows), &pixels, size.width * 4, VP8L_BGRA, 0))
      }
      return rows
    }
  }

  private static func open(_ start: UnsafePointer<UInt8>, _ count: Int, _ size: Size) -> OpaquePointer? {
    var isCut: Int32 = 0
    return vp8l_open(start, count, UInt32(size.width), UInt32(size.height), &isCut)
  }

  @Test(arguments: lossless) func pixelsAreLibwebps(_ picture: EncodedPicture) throws {
    let bytes = try picture.bytes()
    let rows = try Self.aloneRows(bytes, picture.size)
    #expect(rows == picture.size.height)
    for (format, alpha) in [
      (nil, nil), (PixelFormat.rgba8, nil), (.bgra8, nil), (.rgba8, AlphaMode.premultiplied), (.bgra8, .premultiplied),
      (.rgb8, nil),
    ] {
      let expected = try Self.read(bytes, .byLibwebp, format: format, alpha: alpha)
      #expect(expected.problem == nil && expected.rows == picture.size.height)
      for (most, way) in [(Int.max, Way.whole), (1, .whole), (7, .whole), (7, .arriving)] {
        let found = try Self.read(bytes, way, format: format, alpha: alpha, most: most)
        let isSame = found.pixels == expected.pixels
        #expect(
          isSame && found.problem == nil && found.rows == expected.rows, "\(String(describing: format)) \(most) \(way)")
      }
    }
  }

  @Test(arguments: withAlpha) func alphaIsLibwebps(_ picture: EncodedPicture) throws {
    let bytes = try picture.bytes()
    for (format, alpha) in [
      (PixelFormat.rgba8, AlphaMode.straight), (.bgra8, .straight), (.rgba8, .premultiplied), (.bgra8, .premultiplied),
    ] {
      let expected = try Self.read(bytes, .byLibwebp, format: format, alpha: alpha)
      #expect(expected.problem == nil && expected.rows == picture.size.height)
      for (most, way) in [(Int.max, Way.whole), (1, .whole), (7, .whole), (7, .arriving)] {
        let found = try Self.read(bytes, way, format: format, alpha: alpha, most: most)
        let isSame = found.pixels == expected.pixels
        #expect(isSame && found.problem == nil && found.rows == expected.rows, "\(format) \(most) \(way)")
      }
    }
  }

  /// More pixels than are kept: those that copies reach move to the front. The encoder looks for rows that far above from
  /// quality 76 on.
  @Test func copiesReachAsFarAsTheyMay() throws {
    let picture = EncodedPicture(content: .repeated, size: Size(width: 1601, height: 2200), method: 0, quality: 80)
    let bytes = try picture.bytes()
    let rows = try Self.aloneRows(bytes, picture.size)
    #expect(rows == picture.size.height)
    let (found, expected) = (try Self.read(bytes), try Self.read(bytes, .byLibwebp))
    let isSame = found.pixels == expected.pixels
    #expect(isSame && found.problem == nil)
  }

  /// Files of which some bytes are other ones: both decoders stop at the same damage, or show the same picture.
  @Test(arguments: lossless.filter { $0.method > 3 } + withAlpha.filter { $0.alpha?.compression == 1 })
  func damageIsLibwebps(_ picture: EncodedPicture) throws {
    let bytes = try picture.bytes()
    let payload = try Self.chunk(picture.alpha == nil ? "VP8L" : "ALPH", in: bytes)
    // Most of the damage is where the codes are.
    let header = picture.alpha == nil ? 5 : 1
    for seed in 0..<60 {
      var damaged = bytes
      let reach = seed % 2 == 0 ? payload.count - header : min(payload.count - header, 60)
      let chosen = Int(EncodedPicture.noise(seed)) << 8 | Int(EncodedPicture.noise(seed + 77))
      let place = payload.lowerBound + header + chosen % reach
      damaged[place] ^= 1 << UInt8(seed % 8)
      let expected = try Self.read(damaged, .byLibwebp, format: .rgba8)
      let found = try Self.read(damaged, format: .rgba8)
      #expect(found.isLike(expected, rowBytes: picture.size.width * 4), "byte \(place)")
      #expect(found.problem?.code == expected.problem?.code && found.rows >= expected.rows, "byte \(place)")
      let passed = try Self.read(damaged, format: .rgba8, most: 3)
      #expect(passed.isLike(found, rowBytes: picture.size.width * 4), "byte \(place)")
      #expect(passed.problem?.code == found.problem?.code && passed.rows >= expected.rows, "byte \(place)")
    }
  }

  @Test(arguments: lossless.filter { $0.size.height > 60 } + withAlpha)
  func aCutFileIsLibwebps(_ picture: EncodedPicture) throws {
    let bytes = try picture.bytes()
    for share in stride(from: 5, to: 100, by: 9) {
      let cut = Array(bytes.prefix(bytes.count * share / 100))
      let name = "\(share) %"
      let expected: Result<Decoded, CoderError> = Result { () throws(CoderError) in
        try Self.read(cut, .byLibwebp, format: .rgba8)
      }
      let found: Result<Decoded, CoderError> = Result { () throws(CoderError) in try Self.read(cut, format: .rgba8) }
      switch (found, expected) {
      case (.success(let found), .success(let expected)):
        #expect(found.isLike(expected, rowBytes: picture.size.width * 4), "\(name)")
        #expect(found.problem?.code == expected.problem?.code && found.rows >= expected.rows, "\(name)")
      case (.failure(let found), .failure(let expected)): #expect(found.code == expected.code, "\(name)")
      default: Issue.record("\(name): \(found), of an arriving file \(expected)")
      }
    }
  }
}
