// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// What the writer of JPEG puts around its picture, and what its options do.
@Suite(.needs("JPEG")) struct JPEGEncodingTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())

  /// Like a photograph, with some noise.
  private static func photo(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgb8, noise: Int = 20
  ) throws -> PixelBuffer {
    var random = SplitMix(seed: 11)
    let buffer = try PixelBuffer(size: Size(width: width, height: height), format: format, alpha: .opaque)
    for y in 0..<height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<buffer.rowBytes {
        row[x] = UInt8((x / 2 + y * (1 + x % 3)) / 3 % (256 - noise) + random.below(noise))
      }
    }
    return buffer
  }

  /// The file, and what was said.
  private static func encode(
    _ image: Image, _ change: (inout EncodeOptions) -> Void = { _ in }
  ) throws -> (file: JPEGFile, bytes: [UInt8], said: [String]) {
    let said = Mutex<[String]>([])
    var options = EncodeOptions()
    options.log = { _, text in said.withLock { $0.append(text) } }
    change(&options)
    let bytes = try registry.encode(image, as: .jpeg, options: options)
    return (JPEGFile(bytes), bytes, said.withLock { $0 })
  }

  // MARK: Thumbnails

  @Test(arguments: [PixelFormat.rgb8, .gray8]) func aThumbnailStandsInExifThatIsMadeForIt(_ format: PixelFormat) throws
  {
    let pixels = try Self.photo(300, 200, format)
    let made = try Self.encode(Image(pixels)) { $0.embeddedThumbnailSide = 96 }
    let exif = try #require(made.file.exif)
    let thumbnail = try #require(exif.thumbnail)
    #expect(exif.second[0x0103] == 6 && exif.second[0x0128] == 2)
    // Exif 2.32 §4.5.8: no application segments.
    #expect(JPEGFile(thumbnail).segments.allSatisfy { !(0xE0...0xEF).contains($0.marker) && $0.marker != 0xDD })
    let small = try Self.registry.decode(.bytes(thumbnail))
    #expect(small.size == Size(width: 96, height: 64))
    #expect(format == .gray8 || small.header?.subsampling == .s420)
    let wanted = try pixels.resampled(to: small.size)
    #expect(small.pixels.distance(wanted) < 12)
    // The picture itself is as it is without.
    let plain = try Self.encode(Image(pixels))
    #expect(made.bytes.suffix(plain.bytes.count - 2 - 18).elementsEqual(plain.bytes.dropFirst(2 + 18)))
    #expect(made.said.isEmpty)
  }

  @Test(arguments: [true, false]) func aThumbnailChangesNothingElseOfExif(_ isBigEndian: Bool) throws {
    var image = Image(try Self.photo(200, 200))
    let given = ExifFile.payload(isBigEndian: isBigEndian, thumbnail: nil, padding: 5)
    image.metadata[.exif] = given
    let once = try #require(try Self.encode(image) { $0.embeddedThumbnailSide = 64 }.file.exif)
    #expect(once.thumbnail != nil)
    var cut = Array(once.bytes.prefix(given.count))
    cut.replaceSubrange(once.link..<once.link + 4, with: [0, 0, 0, 0])
    #expect(cut == given)
    // Another one takes its place.
    image.metadata[.exif] = once.bytes
    let twice = try #require(try Self.encode(image) { $0.embeddedThumbnailSide = 64 }.file.exif)
    #expect(twice.bytes == once.bytes)
    image.metadata[.exif] = ExifFile.payload(
      isBigEndian: isBigEndian, thumbnail: [0xFF, 0xD8] + [UInt8](repeating: 0x77, count: 900) + [0xFF, 0xD9],
      padding: 5)
    let replaced = try #require(try Self.encode(image) { $0.embeddedThumbnailSide = 64 }.file.exif)
    #expect(replaced.thumbnail == once.thumbnail && !replaced.bytes.has([UInt8](repeating: 0x77, count: 9)))
    // Without the option, a payload is what it was.
    #expect(try Self.encode(image).file.exif?.bytes == image.metadata[.exif])
  }

  @Test func aThumbnailAndAnOrientationShareExif() throws {
    let pixels = try Self.photo(120, 60)
    for payload in [nil, ExifFile.payload(isBigEndian: false, thumbnail: nil, padding: 0)] {
      var image = Image(pixels)
      image.orientation = .right
      image.metadata[.exif] = payload
      let made = try Self.encode(image) {
        $0.preservesOrientation = true
        $0.embeddedThumbnailSide = 40
      }
      let exif = try #require(made.file.exif)
      #expect(ExifOrientation.read(exif.bytes) == .right)
      // Stored as the picture is.
      #expect(try Self.registry.decode(.bytes(#require(exif.thumbnail))).size == Size(width: 40, height: 20))
    }
  }

  @Test func aThumbnailThatDoesNotFitIsLeftOut() throws {
    var image = Image(try Self.photo(1210, 900, noise: 250))
    let large = try Self.encode(image) { $0.embeddedThumbnailSide = 1200 }
    #expect(large.file.exif == nil && large.said.contains { $0.contains("thumbnail is left out") })
    // A lower quality makes room.
    image = Image(try Self.photo(450, 330, noise: 250))
    let middle = try Self.encode(image) { $0.embeddedThumbnailSide = 440 }
    #expect(try #require(middle.file.exif?.thumbnail).count < 65_400 && middle.said.isEmpty)
    image.metadata[.exif] = ExifFile.payload(isBigEndian: true, thumbnail: nil, padding: 65_400)
    #expect(try Self.encode(image) { $0.embeddedThumbnailSide = 64 }.said.contains { $0.contains("fills its segment") })
    image.metadata[.exif] = [1, 2, 3]
    #expect(try Self.encode(image) { $0.embeddedThumbnailSide = 64 }.said.contains { $0.contains("cannot be read") })
  }

  // MARK: XMP

  @Test func aLargePacketIsSplit() throws {
    var image = Image(try Self.photo(16, 16))
    let body =
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">" + String(repeating: "0123456789", count: 20_000) + "</x:xmpmeta>"
    let head = "<?xpacket begin=\"\u{FEFF}\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>"
    image.metadata[.xmp] = Array("\(head)\(body)\n   \n<?xpacket end=\"w\"?>".utf8)
    let packets = try Self.encode(image).file.segments(0xE1, "http://ns.adobe.com/xap/1.0/\0")
    let parts = try Self.encode(image).file.segments(0xE1, "http://ns.adobe.com/xmp/extension/\0")
    let standard = String(decoding: try #require(packets.first), as: UTF8.self)
    #expect(packets.count == 1 && parts.count == 4)
    var joined: [UInt8] = []
    for part in parts {
      #expect(standard.contains("xmpNote:HasExtendedXMP=\"\(String(decoding: part.prefix(32), as: UTF8.self))\""))
      func number(_ at: Int) -> Int { part[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
      #expect(number(32) == body.utf8.count && number(36) == joined.count)
      joined += part[40...]
    }
    #expect(joined == Array(body.utf8))
    let folder = TemporaryFolder()
    let sum = Command.run("md5sum <'\(folder.write(joined, to: "body"))' | cut -c1-32").output
    #expect(standard.contains(sum.split(separator: "\n")[0].uppercased()))
    #expect(standard.contains("<?xpacket begin") && standard.hasSuffix("<?xpacket end=\"w\"?>"))
  }

  @Test func aPacketThatFitsIsWrittenAsItIsAndPaddingIsNoReasonToSplit() throws {
    var image = Image(try Self.photo(16, 16))
    let largest = [UInt8](repeating: 0x20, count: 65_502)
    image.metadata[.xmp] = largest
    #expect(try Self.encode(image).file.segments(0xE1, "http://ns.adobe.com/xap/1.0/\0") == [largest])
    let body = Array("<a>\(String(repeating: "b", count: 60_000))</a>".utf8)
    image.metadata[.xmp] = body + [UInt8](repeating: 0x20, count: 9_000)
    let file = try Self.encode(image).file
    #expect(file.segments(0xE1, "http://ns.adobe.com/xmp/extension/\0").isEmpty)
    let packet = try #require(file.segments(0xE1, "http://ns.adobe.com/xap/1.0/\0").first)
    #expect(String(decoding: packet, as: UTF8.self).contains(String(decoding: body, as: UTF8.self)))
  }

  // MARK: Options

  @Test func optionsReachTheLibrary() throws {
    let image = Image(try Self.photo(160, 120))
    let plain = try Self.encode(image) { $0.values = ["optimize": 0] }
    let optimized = try Self.encode(image)
    #expect(optimized.bytes.count < plain.bytes.count)
    let restarted = try Self.encode(image) { $0.values = ["restart": 2] }
    #expect(restarted.file.segments.contains { $0.marker == 0xDD })
    let progressive = try Self.encode(image) { $0.isProgressive = true }
    #expect(progressive.file.segments.contains { $0.marker == 0xC2 })
    for other in [optimized, restarted, progressive] {
      #expect(
        try Self.registry.decode(.bytes(other.bytes)).pixels.distance(Self.registry.decode(.bytes(plain.bytes)).pixels)
          == 0)
    }
    for subsampling in [Subsampling.s444, .s422, .s420, .s440, .s411, .s400] {
      let made = try Self.encode(image) { $0.subsampling = subsampling }
      #expect(try Self.registry.open(.bytes(made.bytes)).header.subsampling == subsampling)
    }
  }

  @Test func effortDecidesWhichTablesThereAre() throws {
    let image = Image(try Self.photo(160, 120))
    func file(_ effort: String, _ quality: Double = 0.75) throws -> (file: JPEGFile, bytes: [UInt8], said: [String]) {
      try Self.encode(image) { $0.values = ["effort": .word(effort), "quality": .number(quality)] }
    }
    func tables(_ file: JPEGFile) -> [[UInt8]] {
      file.segments.filter { $0.marker == 0xDB }.map { Array($0.payload.prefix(7)) }
    }
    let (fast, standard, small) = (try file("fast"), try file("default"), try file("small"))
    // T.81 tables K.1 and K.2 halved and rounded up, in zigzag order.
    #expect(tables(fast.file) == [[0, 8, 6, 6, 7, 6, 5], [1, 9, 9, 9, 12, 11, 12]])
    #expect(tables(standard.file).count == 3 && tables(small.file).count == 3)
    #expect(standard.bytes.count < fast.bytes.count && small.bytes.count < standard.bytes.count)
    #expect(small.file.segments.contains { $0.marker == 0xC2 })
    #expect(standard.file.segments.contains { $0.marker == 0xC0 })
    let sequential = try Self.encode(image) { $0.values = ["effort": "small", "quality": 0.75, "progressive": false] }
    #expect(sequential.file.segments.contains { $0.marker == 0xC0 })
    #expect(
      try Self.registry.decode(.bytes(sequential.bytes)).pixels
        .distance(Self.registry.decode(.bytes(small.bytes)).pixels) == 0)
    // Steps of 1 only.
    #expect(try tables(file("small", 1).file).allSatisfy { $0.dropFirst().allSatisfy { $0 == 1 } })
  }

  /// Sides that end inside of blocks and MCUs, in each sampling and layout; restart markers; densities.
  @Test(arguments: [(1, 1), (7, 9), (16, 16), (33, 18), (250, 130)]) func aSmallFileIsThePicture(
    _ width: Int, _ height: Int
  ) throws {
    for format in [PixelFormat.gray8, .rgb8, .rgba8, .bgra8] {
      let pixels = try Self.photo(width, height, format, noise: 1)
      for subsampling in [Subsampling.s444, .s422, .s420, .s440, .s411] {
        var options: [String: OptionValue] = ["effort": "small", "quality": 0.95, "restart": 1]
        options["subsampling"] = .word(subsampling.description)
        let made = try Self.encode(Image(pixels)) {
          $0.values = options
          $0.density = Density(150)
        }
        let read = try Self.registry.decode(.bytes(made.bytes))
        #expect(read.density == Density(150), "\(format) \(subsampling)")
        #expect(made.file.segments.contains { $0.marker == 0xDD })
        // Chroma of this picture changes from pixel to pixel.
        let allowed = format == .gray8 || subsampling == .s444 ? 3.0 : 60
        let expected = try pixels.converted(to: read.pixels.layout)
        #expect(read.pixels.distance(expected) < allowed, "\(format) \(subsampling)")
      }
    }
  }

  /// The file of gray pixels, byte for byte; a profile for colors, or one pixel that is colored, leave three channels.
  @Test(arguments: ["default", "small"], [PixelFormat.rgb8, .rgba8, .bgra8])
  func filesOfGrayHaveOneChannel(_ effort: String, _ format: PixelFormat) throws {
    let gray = try Self.photo(75, 41, .gray8)
    func channels(_ file: JPEGFile) throws -> UInt8 {
      try #require(file.segments.first { $0.marker == 0xC0 || $0.marker == 0xC2 }).payload[5]
    }
    for subsampling in [Subsampling.s444, .s420, .s411] {
      let colored = try gray.converted(to: PixelLayout(format, .opaque))
      func encode(_ image: Image) throws -> (file: JPEGFile, bytes: [UInt8], said: [String]) {
        try Self.encode(image) {
          $0.values = ["effort": .word(effort), "quality": 0.8]
          $0.subsampling = subsampling
        }
      }
      let expected = try encode(Image(gray))
      #expect(try channels(expected.file) == 1)
      #expect(try encode(Image(colored)).bytes == expected.bytes)
      var profiled = Image(colored)
      profiled.metadata[.icc] = MatrixProfile.displayP3.bytes
      #expect(try channels(encode(profiled).file) == 3)
      for y in [20, 40] {
        colored.row(y).storeBytes(of: 255, toByteOffset: 30 * format.bytesPerPixel, as: UInt8.self)
        let file = try encode(Image(colored))
        #expect(try channels(file.file) == 3)
        // Rows of a picture with a profile are written as they come.
        let direct = try encode(profiled).bytes
        let tables: (ArraySlice<UInt8>) throws -> Int = { bytes in
          try #require(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDB })
        }
        let profile = try #require(direct.firstRange(of: Array("ICC_PROFILE".utf8)))
        let first = profile.upperBound + MatrixProfile.displayP3.bytes.count
        #expect(try file.bytes[tables(file.bytes[...])...] == direct[tables(direct[first...])...])
      }
    }
  }

  /// DC of luma is alone in the first scan, so that its order is that of rows.
  @Test func smallFilesBeginWithLuma() throws {
    let small = try Self.encode(Image(try Self.photo(160, 120))) { $0.values = ["effort": "small", "quality": 0.6] }
    let scans = small.bytes.indices.dropLast(9).filter { small.bytes[$0] == 0xFF && small.bytes[$0 + 1] == 0xDA }
    let first = try #require(scans.first)
    let second = try #require(scans.dropFirst().first)
    // T.81 B.2.3: the channels with their tables, the first and last coefficient, bits.
    #expect(small.bytes[first + 4..<first + 10].elementsEqual([1, 1, 0x00, 0, 0, 0]))
    #expect(small.bytes[second + 4..<second + 12].elementsEqual([2, 2, 0x10, 3, 0x10, 0, 0, 0]))
  }

  /// Codes that are short in the usual tables and rare in the picture, several behind one another: together they are longer
  /// than what is written at once.
  @Test(arguments: [0, 3]) func rareCodesBehindOneAnotherAreWrittenWhole(_ restart: Double) throws {
    let side = 320
    let buffer = try PixelBuffer(size: Size(width: side, height: side), format: .gray8, alpha: .opaque)
    for y in 0..<side {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<side {
        let block = y / 8 * (side / 8) + x / 8
        let isSmooth = y < 8 && block % 11 == 3
        // A checkerboard has its last coefficient, so that no block but the smooth ones ends early.
        let amount = isSmooth ? (x % 8 < 2 + block % 3 && y < 2 + block % 3 ? 1 : 0) : 30 + block * 37 % 90
        row[x] = UInt8(isSmooth || (x + y) % 2 == 1 ? 128 + amount : 128 - amount)
      }
    }
    func encode(_ optimize: Double) throws -> [UInt8] {
      try Self.encode(Image(buffer)) {
        $0.values = ["quality": 1, "optimize": .number(optimize), "restart": .number(restart)]
      }.bytes
    }
    let (plain, optimized) = (try encode(0), try encode(1))
    #expect(plain.count > 1 << 16 && optimized.count < plain.count / 2)
    #expect(
      try Self.registry.decode(.bytes(optimized)).pixels.distance(Self.registry.decode(.bytes(plain)).pixels) == 0)
  }
}

extension PixelBuffer {
  /// The mean difference of samples.
  fileprivate func distance(_ other: PixelBuffer) -> Double {
    guard size == other.size, format == other.format else { return .infinity }
    var sum = 0
    for y in 0..<size.height {
      withRow(y) { mine in
        other.withRow(y) { theirs in sum += zip(mine, theirs).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) } }
      }
    }
    return Double(sum) / Double(size.height * rowBytes)
  }
}

extension [UInt8] {
  /// Whether bytes occur one after the other.
  fileprivate func has(_ bytes: [UInt8]) -> Bool {
    indices.dropLast(bytes.count - 1).contains { self[$0..<($0 + bytes.count)].elementsEqual(bytes) }
  }
}

/// The segments of a JPEG file, up to the first scan.
private struct JPEGFile {
  private(set) var segments: [(marker: UInt8, payload: [UInt8])] = []

  init(_ bytes: [UInt8]) {
    var offset = 2
    while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
      let length = Int(bytes[offset + 2]) << 8 | Int(bytes[offset + 3])
      segments.append((bytes[offset + 1], Array(bytes[offset + 4..<offset + 2 + length])))
      offset += 2 + length
    }
  }

  /// What stands behind a prefix.
  func segments(_ marker: UInt8, _ prefix: String) -> [[UInt8]] {
    segments.filter { $0.marker == marker && $0.payload.starts(with: prefix.utf8) }
      .map { Array($0.payload.dropFirst(prefix.utf8.count)) }
  }

  var exif: ExifFile? { segments(0xE1, "Exif\0\0").first.map(ExifFile.init) }
}

/// An Exif payload.
private struct ExifFile {
  let bytes: [UInt8]

  private func number(_ at: Int, _ count: Int) -> Int {
    let part = bytes[at..<at + count]
    return bytes[0] == 0x4D ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Where the first directory says where the second is.
  var link: Int { number(4, 4) + 2 + 12 * number(number(4, 4), 2) }

  /// The second directory.
  var second: [Int: Int] {
    let directory = number(link, 4)
    guard directory > 0 else { return [:] }
    var values: [Int: Int] = [:]
    for index in 0..<number(directory, 2) {
      let entry = directory + 2 + 12 * index
      values[number(entry, 2)] = number(entry + 8, number(entry + 2, 2) == 3 ? 2 : 4)
    }
    return values
  }

  var thumbnail: [UInt8]? {
    guard let offset = second[0x0201], let count = second[0x0202] else { return nil }
    return Array(bytes[offset..<offset + count])
  }

  /// A payload with a maker's name; in front of the name, the picture of a second directory.
  static func payload(isBigEndian: Bool, thumbnail: [UInt8]?, padding: Int) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
      return isBigEndian ? little.reversed() : little
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: Int) -> [UInt8] {
      number(tag, 2) + number(type, 2) + number(count, 4) + number(value, 4)
    }
    let second = 26
    let picture = second + (thumbnail == nil ? 0 : 30)
    let name = picture + (thumbnail?.count ?? 0)
    var bytes = Array((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4)
    bytes += number(1, 2) + entry(0x010F, 2, 7, name) + number(thumbnail == nil ? 0 : second, 4)
    if let thumbnail {
      bytes += number(2, 2) + entry(0x0201, 4, 1, picture) + entry(0x0202, 4, 1, thumbnail.count) + number(0, 4)
      bytes += thumbnail
    }
    return bytes + Array("Coders\0".utf8) + [UInt8](repeating: 1, count: padding)
  }
}
