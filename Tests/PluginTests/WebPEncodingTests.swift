// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import Synchronization
import TestSupport
import Testing

/// What the options of the writer of WebP do, and how its frames are drawn.
@Suite(.needs("WebP")) struct WebPEncodingTests {
  private static let registry = CoderRegistry(
    searchPath: .only([StagedTree.plugins]),
    preferences: CoderPreferences())
  private static let size = Size(width: 96, height: 80)

  /// Like a photograph, with soft alpha and a corner of colors that nobody sees.
  private static func photo(_ format: PixelFormat = .rgba8, seed: UInt64 = 3) throws -> PixelBuffer {
    var random = SplitMix(seed: seed)
    let buffer = try PixelBuffer(size: size, format: format, alpha: .straight)
    let channels = format.channelCount
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<buffer.rowBytes { row[x] = UInt8((x + y * (1 + x % channels)) / 3 % 200 + random.below(40)) }
      guard channels == 4 else { continue }
      for x in 0..<size.width { row[4 * x + 3] = x < 40 && y < 40 ? 0 : UInt8(min(255, 20 + (x * x + y * y) / 60)) }
    }
    return buffer
  }

  /// A box walks over a busy ground.
  private static func walk(_ step: Int) throws -> PixelBuffer {
    let buffer = try photo(seed: 8)
    for y in 0..<size.height {
      let row = buffer.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        if y >= 40 || x >= 40 { row[4 * x + 3] = 255 }
        guard (20..<50).contains(y), (5 * step..<5 * step + 30).contains(x) else { continue }
        let isMarked = (x + y) % 7 < 3
        for channel in 0..<3 { row[4 * x + channel] = isMarked ? UInt8(60 * channel + 20 * step % 100) : 230 }
        row[4 * x + 3] = 255
      }
    }
    return buffer
  }

  private static func encode(
    _ image: Image, lossless: Bool = false, quality: Double? = nil, _ values: [String: OptionValue] = [:]
  ) throws(CoderError) -> [UInt8] {
    var options = EncodeOptions()
    options.isLossless = lossless
    options.quality = quality
    options.values = values
    return try registry.encode(image, as: .webP, options: options)
  }

  private static func decode(_ bytes: [UInt8], _ format: PixelFormat = .rgba8) throws(CoderError) -> Image {
    var options = DecodeOptions()
    options.pixelFormat = format
    return try registry.decode(.bytes(bytes), options: options)
  }

  // MARK: Options

  @Test(
    arguments: [
      ("method", 0.0), ("alpha-quality", 20), ("near-lossless", 20), ("sharp-yuv", 1), ("preset", 3), ("exact", 1),
      ("target-psnr", 50), ("preprocessing", 2), ("segments", 1), ("sns-strength", 0),
      ("filter-strength", 0), ("filter-sharpness", 7), ("filter-type", 0), ("autofilter", 1), ("alpha-compression", 0),
      ("alpha-filtering", 0),
    ] as [(String, Double)]) func anOptionReachesTheLibrary(_ name: String, _ value: Double) throws
  {
    let image = Image(try Self.photo())
    #expect(try Self.encode(image, [name: .number(value)]) != Self.encode(image))
  }

  /// What libwebp uses in company only.
  @Test func optionsThatNeedOthersReachTheLibrary() throws {
    let image = Image(try Self.photo())
    let pairs: [([String: OptionValue], [String: OptionValue])] = [
      (["target-psnr": 45.0, "pass": 1], ["target-psnr": 45, "pass": 10]),
      (["low-memory": 1], ["low-memory": 1, "partitions": 3]),
    ]
    for (one, other) in pairs { #expect(try Self.encode(image, one) != Self.encode(image, other), "\(other)") }
  }

  /// What is said to be the default is what holds when nothing is said.
  @Test func defaultsAreTheLibrarys() throws {
    let coder = try #require(Self.registry.catalog.entries.first { $0.id == "org.imagecoders.webp" })
    let options = try #require(coder.manifest).options.filter { CommonOption(rawValue: $0.name) == nil }
    #expect(options.count == 22)
    let image = Image(try Self.photo())
    let plain = try Self.encode(image)
    for option in options {
      let value: Double =
        switch option.kind {
        case .boolean(let value): value ? 1 : 0
        case .integer(_, let value), .choice(_, let value): Double(value)
        case .number(_, let value): value
        case .text: 0
        }
      #expect(try Self.encode(image, [option.name: .number(value)]) == plain, "\(option.name) of \(value)")
    }
  }

  /// A preset's own values hold unless they are given.
  @Test func presetsAreNotOverridden() throws {
    let image = Image(try Self.photo())
    let text = try Self.encode(image, ["preset": 5])
    #expect(try Self.encode(image, ["preset": 5, "segments": 2, "sns-strength": 0, "filter-strength": 0]) == text)
    #expect(try Self.encode(image, ["preset": 5, "segments": 4, "sns-strength": 50]) != text)
  }

  @Test func aTargetIsReached() throws {
    let pixels = try Self.photo(.rgb8)
    var sizes: [Int] = []
    for decibels in [30.0, 36, 42] {
      let bytes = try Self.encode(Image(pixels), ["target-psnr": .number(decibels)])
      sizes.append(bytes.count)
    }
    #expect(sizes[0] < sizes[1] && sizes[1] < sizes[2])
  }

  @Test(arguments: [["near-lossless": 50.0], ["exact": 0], ["mixed": 1]])
  func whatExcludesLosslessIsRefused(_ values: [String: OptionValue]) throws {
    let image = Image(try Self.photo())
    let error = #expect(throws: CoderError.self) { try Self.encode(image, lossless: true, values) }
    #expect(error?.code == .unsupported && values.keys.allSatisfy { error?.message.contains($0) == true })
    let both = #expect(throws: CoderError.self) { try Self.encode(image, ["mixed": 1, "near-lossless": 9]) }
    #expect(both?.code == .unsupported)
  }

  @Test func mixedTakesWhatIsSmaller() throws {
    let photo = Image(try Self.photo(.rgb8))
    #expect(try Self.encode(photo, ["mixed": 1]) == Self.encode(photo))
    let flat = try PixelBuffer(size: Self.size, format: .rgb8, alpha: .opaque)
    for y in 0..<flat.size.height {
      let row = flat.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<flat.rowBytes { row[x] = (x / 9 + y / 9) % 2 == 0 ? 240 : 17 }
    }
    let mixed = try Self.encode(Image(flat), ["mixed": 1])
    #expect(try mixed.count < Self.encode(Image(flat)).count)
    #expect(try Self.decode(mixed, .rgb8).pixels.samples == flat.samples)
  }

  // MARK: Layouts and payloads

  /// Gray rows make the file that gray as RGB makes.
  @Test(arguments: [[:], ["sharp-yuv": 1], ["preprocessing": 2], ["method": 0]] as [[String: OptionValue]])
  func grayIsTakenAsItIs(_ values: [String: OptionValue]) throws {
    let gray = try Self.photo(.gray8)
    let colors = try gray.converted(to: PixelLayout(.rgb8, .opaque))
    #expect(try Self.encode(Image(gray), values) == Self.encode(Image(colors), values))
    #expect(try Self.encode(Image(gray), lossless: true) == Self.encode(Image(colors), lossless: true))
  }

  @Test func aProfileOfGrayIsLeftOut() throws {
    let said = Mutex<[String]>([])
    var options = EncodeOptions()
    options.log = { _, text in said.withLock { $0.append(text) } }
    var image = Image(try Self.photo(.gray8))
    var profile = [UInt8](repeating: 0, count: 132)
    profile.replaceSubrange(16..<20, with: Array("GRAY".utf8))
    image.metadata[.icc] = profile
    let bytes = try Self.registry.encode(image, as: .webP, options: options)
    #expect(try Self.registry.open(.bytes(bytes)).header.metadata.isEmpty)
    #expect(said.withLock { $0.contains { $0.contains("gray") } })
  }

  /// A directory without the tag gets it.
  @Test func anOrientationIsPutIntoExif() throws {
    var image = Image(try Self.photo())
    image.orientation = .left
    image.metadata[.exif] =
      [0x49, 0x49, 42, 0, 8, 0, 0, 0, 1, 0, 0x0F, 1, 2, 0, 4, 0, 0, 0] + Array("Acme".utf8) + [0, 0, 0, 0]
    var options = EncodeOptions()
    options.preservesOrientation = true
    let decoder = try Self.registry.open(.bytes(Self.registry.encode(image, as: .webP, options: options)))
    #expect(decoder.header.orientation == .left)
    #expect(try #require(try decoder.metadata(.exif)).has(Array("Acme".utf8)))
  }

  // MARK: Animations

  /// However a frame is drawn, what is shown is what was given: exactly, or as nearly as a still of it.
  @Test(arguments: [[:], ["min-size": 1], ["mixed": 1], ["mixed": 1, "min-size": 1]] as [[String: OptionValue]])
  func framesShowWhatWasGiven(_ values: [String: OptionValue]) throws {
    let frames = try (0..<8).map { Frame(pixels: try Self.walk($0), delay: .milliseconds(40)) }
    var image = Image(frames: frames)
    var profile = [UInt8](repeating: 7, count: 133)
    profile.replaceSubrange(16..<20, with: Array("RGB ".utf8))
    image.metadata[.icc] = profile
    image.metadata[.exif] = ExifOrientation.payload(.up)
    image.metadata[.xmp] = Array("<x/>".utf8)
    let lossy = try Self.encode(image, values)
    let found = try Self.decode(lossy)
    #expect(found.frames.count == 8 && found.metadata == image.metadata)
    for (frame, given) in zip(found.frames, frames) {
      #expect(frame.pixels.alphas == given.pixels.alphas)
      let still = try Self.decode(Self.encode(Image(given.pixels))).pixels
      #expect(frame.pixels.squaredError(given.pixels) < still.squaredError(given.pixels) * 1.5 + 2)
    }
    var whole = EncodeOptions()
    whole.optimizesFrames = false
    whole.values = values
    #expect(try lossy.count < Self.registry.encode(image, as: .webP, options: whole).count)
    guard values["mixed"] == nil else { return }
    let exact = try Self.encode(image, lossless: true, values)
    #expect(try Self.decode(exact).frames.map(\.pixels.samples) == frames.map(\.pixels.samples))
    #expect(try values.isEmpty || exact.count <= Self.encode(image, lossless: true).count)
  }
}

extension PixelBuffer {
  /// All rows' bytes.
  fileprivate var samples: [UInt8] { (0..<size.height).flatMap { y in withRow(y) { [UInt8]($0) } } }

  fileprivate var alphas: [UInt8] {
    let samples = samples
    return Swift.stride(from: 3, to: samples.count, by: 4).map { samples[$0] }
  }

  /// The mean over the samples of opaque pixels.
  fileprivate func squaredError(_ other: PixelBuffer) -> Double {
    let (mine, theirs) = (samples, other.samples)
    var (sum, count) = (0, 0)
    for start in Swift.stride(from: 0, to: mine.count, by: 4) where theirs[start + 3] == 255 {
      for index in start..<start + 3 {
        let difference = Int(mine[index]) - Int(theirs[index])
        sum += difference * difference
        count += 1
      }
    }
    return Double(sum) / Double(max(count, 1))
  }
}

extension [UInt8] {
  /// Whether bytes occur one after the other.
  fileprivate func has(_ bytes: [UInt8]) -> Bool {
    indices.dropLast(bytes.count - 1).contains { Array(self[$0..<($0 + bytes.count)]) == bytes }
  }
}
