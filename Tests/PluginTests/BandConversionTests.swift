// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import TestSupport
import Testing

/// Pictures of more rows than a band, from each format to each other.
@Suite struct BandConversionTests {
  private static let registry = EncodingPictures.registry
  private static let isolated = IsolationWorker.registry()

  static let formats: [ImageFormat] = [
    .avif, .bmp, .cur, .gif, .heic, .icns, .ico, .jpeg, .jpeg2000, .jpegXL, .png, .pnm, .qoi, .tiff, .webP,
  ]
  /// Those that are written row by row.
  private static let rowTargets: Set<ImageFormat> = [.jpeg, .png, .pnm, .qoi, .tiff]
  private static let animated: Set<ImageFormat> = [.avif, .gif, .jpegXL, .png, .webP]
  private static let lossless: Set<ImageFormat> = [.png, .pnm, .qoi, .tiff]
  /// Icons are squares of 256 pixels at most.
  private static let icons: Set<ImageFormat> = [.cur, .icns, .ico]

  struct Source: Sendable, CustomTestStringConvertible {
    let format: ImageFormat
    let isIcon: Bool
    let name: String
    let bytes: [UInt8]
    var testDescription: String { "\(name) \(format)" }
  }

  /// Stills and animations of each format, opaque and with alpha.
  static let sources: [Source] = formats.flatMap { format in
    let isIcon = icons.contains(format)
    return ["opaque", "clear"].flatMap { alpha in
      (animated.contains(format) ? [1, 2] : [1]).map { count in
        let frames = (0..<count).map { step in
          Frame(pixels: picture(isIcon, isOpaque: alpha == "opaque", step), delay: .milliseconds(100))
        }
        let bytes = try! registry.encode(Image(frames: frames), as: format)
        let name = "\(alpha) \(count == 1 ? "still" : "animation")"
        return Source(format: format, isIcon: isIcon, name: name, bytes: bytes)
      }
    }
  }

  private static func picture(_ isIcon: Bool, isOpaque: Bool, _ step: Int) -> PixelBuffer {
    let size = isIcon ? Size(width: 256, height: 256) : Size(width: 320, height: 240)
    let pixels = try! PixelBuffer(size: size, format: .rgba8, alpha: isOpaque ? .opaque : .straight)
    for y in 0..<size.height {
      let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
      for x in 0..<size.width {
        let isClear = !isOpaque && (x / 32 + y / 24 + step) % 5 == 0
        for channel in 0..<3 { row[4 * x + channel] = isClear ? 0 : UInt8((x / 8 * (channel + 2) + y / 8 * 5) % 256) }
        row[4 * x] = isClear ? 0 : UInt8(step * 90 + y / 12 * 4)
        row[4 * x + 3] = isClear ? 0 : 255
      }
    }
    return pixels
  }

  /// The samples of RGBA, without colors of pixels that do not show.
  private static func visible(_ pixels: PixelBuffer) -> [UInt8] {
    var samples = EncodingPictures.rows(pixels).flatMap { $0 }
    for pixel in stride(from: 0, to: samples.count, by: 4) where samples[pixel + 3] == 0 {
      for channel in 0..<3 { samples[pixel + channel] = 0 }
    }
    return samples
  }

  /// A conversion writes what encoding the decoded picture does.
  @Test(arguments: Turn.rows(sources)) func bandsMakeTheSameFile(_ source: Source) throws {
    for target in Self.formats where source.isIcon || !Self.icons.contains(target) {
      let byRows = Self.rowTargets.contains(target)
      for isFirst in byRows ? [true, false] : [true] {
        var options = EncodeOptions()
        options.allowsCopy = false
        options.firstFrameOnly = isFirst || !Self.animated.contains(target)
        let found = try Self.registry.convert(.bytes(source.bytes), to: target, at: .memory, options: options)
        guard byRows else { continue }
        var reading = DecodeOptions()
        reading.firstFrameOnly = options.firstFrameOnly
        let encoder = try Self.registry.makeEncoder(as: target, options: options)
        try encoder.add(try Self.registry.open(.bytes(source.bytes), options: reading))
        let expected = try encoder.finish().bytes
        #expect(found.bytes == expected, "\(target), first frame: \(isFirst)")
        guard Self.lossless.contains(target) else { continue }
        reading.pixelFormat = .rgba8
        let written = try Self.registry.decode(.bytes(found.bytes), options: reading)
        let decoded = try Self.registry.decode(.bytes(source.bytes), options: reading)
        let same = zip(written.frames, decoded.frames).allSatisfy { Self.visible($0.pixels) == Self.visible($1.pixels) }
        #expect(same && written.frames.count == decoded.frames.count, "\(target), first frame: \(isFirst)")
      }
    }
  }

  /// What may stand between the rows of a reader and those of a writer.
  private typealias Change = @Sendable (_ writing: inout EncodeOptions, _ reading: inout DecodeOptions) -> Void
  private static let ways: [(name: String, change: Change)] = [
    ("page", { _, reading in reading.page = 0 }),
    ("crop", { writing, _ in writing.edit.crop = Rect(x: 20, y: 30, width: 200, height: 100) }),
    ("smaller", { writing, _ in writing.maxSize = Size(width: 100, height: 100) }),
    ("same size", { writing, _ in writing.maxSize = Size(width: 400, height: 400) }),
    ("small reading", { _, reading in reading.size = .fitting(Size(width: 100, height: 100)) }),
    ("color of the file", { writing, _ in writing.color = .convert(to: .displayP3) }),
    ("color of the pixels", { _, reading in reading.color = .convert(to: .displayP3) }),
    ("premultiplied", { _, reading in reading.alpha = .premultiplied }),
    ("deep", { _, reading in reading.pixelFormat = .rgba16 }),
    ("another order", { _, reading in reading.pixelFormat = .bgra8 }),
  ]

  @Test(arguments: Turn.rows(sources.filter { animated.contains($0.format) || $0.format == .jpeg }))
  func bandsAreTheSameInEachWay(_ source: Source) throws {
    for target in Self.rowTargets {
      for (name, change) in Self.ways {
        for registry in name == "page" ? [Self.registry, Self.isolated] : [Self.registry] {
          var (writing, reading) = (EncodeOptions(), DecodeOptions())
          writing.firstFrameOnly = true
          reading.firstFrameOnly = true
          change(&writing, &reading)
          let found = try registry.makeEncoder(as: target, options: writing)
          try found.addPage(try registry.open(.bytes(source.bytes), options: reading))
          let expected = try registry.makeEncoder(as: target, options: writing)
          try expected.add(try registry.open(.bytes(source.bytes), options: reading))
          #expect(try found.finish().bytes == expected.finish().bytes, "\(target), \(name)")
        }
      }
    }
  }

  /// TIFF whose strips or tiles are smaller than the picture, 27 MB of it.
  private static func stored(tile: Int) throws -> [UInt8] {
    var options = EncodeOptions()
    options.values["tile"] = .number(Double(tile))
    let picture = try EncodingPictures.photo(Size(width: 3000, height: 3000))
    return try registry.encode(Image(picture), as: .tiff, options: options)
  }

  /// Strips and tiles may come in any order, and come from the top where nobody keeps the picture.
  @Test(arguments: [0, 256]) func stripsAreConvertedWithoutTheWholePicture(tile: Int) throws {
    let source = try Self.stored(tile: tile)
    var options = EncodeOptions()
    var reading = DecodeOptions()
    options.limits.maxMemory = 26 << 20
    reading.limits = options.limits
    #expect { try Self.registry.decode(.bytes(source), options: reading) } throws: {
      ($0 as? CoderError)?.limit == .maxMemory
    }
    for target in [ImageFormat.jpeg, .png, .pnm] {
      let converted = try Self.registry.convert(
        .bytes(source), to: target, at: .memory, options: options, reading: reading)
      let expected = try Self.registry.encode(try Self.registry.decode(.bytes(source)), as: target)
      #expect(converted.bytes == expected, "\(target)")
    }
  }

  /// Damage costs no rows but its own, although rows from the top end there.
  @Test func rowsBelowADamagedStripAreKept() throws {
    var source = try Self.stored(tile: 0)
    let middle = source.count / 2
    // The beginning of a strip is among them.
    for index in middle..<middle + 200_000 { source[index] = 0xFF }
    var problems: [CoderError] = []
    let found = try Self.registry.convert(.bytes(source), to: .pnm, at: .memory) { problems.append($0) }
    let image = try Self.registry.decode(.bytes(source))
    #expect(image.problem?.code == .malformed && problems.map(\.code) == [.malformed])
    #expect(found.bytes == (try Self.registry.encode(image, as: .pnm)))
    let rows = EncodingPictures.rows(image.frames[0].pixels)
    #expect(rows[2999] == EncodingPictures.rows(try EncodingPictures.photo(Size(width: 3000, height: 3000)))[2999])
    #expect(rows.contains { $0.allSatisfy { $0 == 0 } })
  }

  /// No byte of an opaque row changes for a writer of straight alpha, and yet it is given what it asked for.
  @Test func opaqueRowsReachAWriterOfStraightAlpha() throws {
    let format = ImageFormat(rawValue: "org.example.straight")
    let coder = AnimatedCoder(
      SwiftContainer(id: "org.example.straight", formats: [format], signatures: [], writer: StraightWriter.self))
    var reading = DecodeOptions()
    reading.pixelFormat = .rgba8
    let source = try Self.registry.encode(Image(Self.picture(false, isOpaque: true, 0)), as: .png)
    let encoder = try coder.makeEncoder(as: format, to: .memory, options: EncodeOptions(), pageCount: 1)
    try encoder.addPage(try Self.registry.open(.bytes(source), options: reading))
    let notes = String(decoding: try encoder.finish().bytes, as: UTF8.self)
    #expect(notes == "straight rgba8, 15 bands: straight rgba8")
  }
}

/// Notes the layouts that it is given.
private final class StraightWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput
  private var agreed = ""
  private var bands: [String] = []

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) { self.output = output }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout { PixelLayout(.rgba8, .straight) }
  func setHeader(_ header: ImageHeader) throws(CoderError) {}
  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) { throw .unsupported("a frame that is whole") }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    agreed = "\(layout)"
    return true
  }

  func add(rows: PixelView) throws(CoderError) { bands.append("\(rows.layout)") }
  func endRows() throws(CoderError) {}

  func finish() throws(CoderError) {
    try output.write(
      Array("\(agreed), \(bands.count) bands: \(Set(bands).sorted().joined(separator: " and "))".utf8))
  }
}
