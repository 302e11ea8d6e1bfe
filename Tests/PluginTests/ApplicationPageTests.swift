// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import TestSupport
import Testing

/// docs/applications.md: its samples compile, as they stand in the functions below.
@Suite struct ApplicationPageTests {
  // Never called: they name files that a reader has.

  private func server(_ registry: CoderRegistry, upload: [UInt8], reading: DecodeOptions) async throws {
    let small = try await registry.async.makeThumbnail(
      of: .bytes(upload), .web.sized(width: 300, height: 0), reading: reading)
    let type = registry.mimeType(of: small.format)
    _ = type
  }

  private func reading() -> DecodeOptions {
    var reading = DecodeOptions(isStrict: true, allowedFormats: [.jpeg, .png, .webP, .heic])
    reading.limits.maxPixels = 100_000_000
    return reading
  }

  private func status(of error: CoderError) -> Int {
    let status =
      switch error.code.group {
      case .file: 422
      case .unsupported: 415
      case .limits: 413
      case .caller: 400
      case .environment: 500
      }
    return status
  }

  private func sizes(_ registry: CoderRegistry) throws {
    let small = try registry.decode(
      "photo.jpg", options: DecodeOptions(size: .fitting(Size(width: 320, height: 200), .fill)))
    let print = try registry.decode("logo.svg", options: DecodeOptions(size: .resolution(300)))
    let corner = Rect(x: 0, y: 0, width: 2048, height: 2048)
    let tile = try registry.decode("map.tiff", options: DecodeOptions(size: .scaled(0.25), part: corner))
    _ = (small, print, tile)
  }

  private func show(_ pixels: PixelBuffer) {}

  private func player(_ registry: CoderRegistry) async throws {
    let options = DecodeOptions(size: .fitting(Size(width: 480, height: 0)))
    let animation = try await registry.async.open("party.gif", options: options)
    for try await frame in animation.frames {
      show(frame.pixels)
      try await Task.sleep(for: frame.delay.clamped(by: .browser).duration)
    }
  }

  private func colors(_ registry: CoderRegistry) throws {
    print(try registry.open("photo.heic").colorDescription)  // "Display P3, ICC"
    let shown = try registry.decode("photo.heic", options: DecodeOptions(color: .convert(to: .sRGB)))
    let light = try registry.decode(
      "sunset.avif", options: DecodeOptions(pixelFormat: .rgbaFloat16, color: .convert(to: .linearDisplayP3)))
    _ = (shown, light)
  }

  private func metadata(_ registry: CoderRegistry) throws {
    let properties = try registry.open("photo.jpg").properties()
    if case .text(let camera)? = properties["{TIFF}", "Model"] { print(camera) }
  }

  private func tree(_ decoder: ImageDecoder) throws {
    var packet = if let bytes = try decoder.metadata(.xmp) { try XMPPacket(bytes) } else { XMPPacket() }
    let creators = packet["dc:creator"]?.texts ?? []
    try packet.set("dc:title[de]", to: .text("Hafen"))
    try packet.set("Iptc4xmpCore:CreatorContactInfo.CiAdrCity", to: .text("Wien"))
    let sidecar = try packet.bytes()
    _ = (creators, sidecar)
    let parts = AuxiliaryParts(file: sidecar, typeName: "depth", xmp: sidecar)
    _ = FileOperation.attachAuxiliary(parts)
  }

  private func editing(_ registry: CoderRegistry) async throws {
    var edit = MetadataEdit(removing: [.gps, .thumbnail])
    edit.values["{TIFF}", "Copyright"] = .text("© 2026 A. Author")
    try edit.set("dc:title", to: "Harbour")  // from text, as people write it
    try await registry.async.editMetadata("photo.jpg", edit, at: .file("public.jpg"))
  }

  private func samples(_ pixels: PixelBuffer) throws {
    let row = pixels.samples(inRow: 0)
    print(row[0], row[1], row[2])  // red, green and blue of the first pixel of an rgb8 picture
    let gray = try PixelBuffer(copying: [0, 64, 128, 255], size: Size(width: 2, height: 2), format: .gray8)
    _ = gray
  }

  private func arriving(_ registry: CoderRegistry, _ download: AsyncStream<[UInt8]>) async throws {
    for try await snapshot in registry.async.images(arriving: download) {
      show(snapshot.image.pixels)
    }
  }

  private func waiting(
    _ registry: CoderRegistry, customer: String, upload: [UInt8], reading: DecodeOptions
  ) async throws {
    WorkQueue.shared.policy = WorkQueue.Policy(maxWaiting: 200, maxWaitingOfTenant: 20, maxExpectedWait: .seconds(5))
    let small = try await WorkQueue.$tenant.withValue(WorkQueue.Tenant(customer)) {
      try await registry.async.makeThumbnail(of: .bytes(upload), reading: reading)
    }
    _ = small
  }

  private func fingerprint(of pixels: PixelBuffer) throws -> Int { pixels.size.pixelCount }

  private func working(_ image: Image) async throws {
    let mark = try await WorkQueue.shared.run { try fingerprint(of: image.pixels) }
    _ = mark
  }

  /// Height maps of a game: their name, two bytes for each side, and a byte for each pixel.
  struct HeightMapCoder: ImageCoder {
    let id = "com.example.height-map"
    let formats = [ImageFormat(rawValue: "com.example.height-map")]
    let signatures = [FormatSignature(Array("HMAP".utf8))]

    func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
      let bytes = try context.contents()
      guard bytes.count >= 8 else { throw .truncated("a height map of \(bytes.count) bytes") }
      let size = Size(width: Int(bytes[4]) << 8 | Int(bytes[5]), height: Int(bytes[6]) << 8 | Int(bytes[7]))
      try context.options.limits.check(canvas: size)
      guard bytes.count - 8 >= size.pixelCount else { throw .truncated("a height map of \(size)", at: bytes.count) }
      let pixels = try PixelBuffer(copying: bytes.dropFirst(8), size: size, format: .gray8)
      return try ImageDecoder(Image(pixels), format: formats[0], coder: id, context: context)
    }
  }

  /// Pictures that the application keeps encrypted.
  struct SealedCoder: ImageCoder {
    let id = "com.example.sealed"
    let formats = [ImageFormat(rawValue: "com.example.sealed-picture")]
    let signatures = [FormatSignature(Array("SEALED".utf8))]
    let inner: any ImageCoder

    func makeDecoder(_ context: DecodeContext) throws(CoderError) -> ImageDecoder {
      try inner.makeDecoder(context.reading(opened(context.contents()), as: formats[0]))
    }

    func canEncode(_ format: ImageFormat) -> Bool { formats.contains(format) }

    func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
      sealed(try inner.encode(pages, as: inner.formats[0], options: options))
    }
  }

  @Test func aCoderOfTheApplicationReadsItsFiles() throws {
    let registry = CoderRegistry(searchPath: .only([StagedTree.plugins]), preferences: CoderPreferences())
    registry.register(HeightMapCoder())
    let file = Array("HMAP".utf8) + [0, 2, 0, 1, 7, 9]
    #expect(try registry.decode(.bytes(file)).pixels.copyBytes() == [7, 9])
    let cut = #expect(throws: CoderError.self) { try registry.decode(.bytes(file.dropLast())) }
    #expect(cut?.code == .truncated)
    registry.register(SealedCoder(inner: try registry.coder("org.imagecoders.png")))
    let sealed = ImageFormat(rawValue: "com.example.sealed-picture")
    let written = try registry.convert(.bytes(file), to: sealed, at: .memory).bytes
    #expect(try registry.decode(.bytes(written)).pixels.copyBytes() == [7, 9])
    let png = try registry.convert(.bytes(written), to: .png, at: .memory).bytes
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }

  @Test func samplesCompile() throws {
    let source = Self.lines(Command.run("cat '\(#filePath)'").output)
    let page = Command.run("cat '\(StagedTree.root)/docs/applications.md'").output
    let samples = page.split(separator: "```swift\n").dropFirst().compactMap { $0.split(separator: "```").first }
    #expect(samples.count == 17)
    // The first one is what the functions have as parameters.
    for sample in samples.dropFirst() {
      let lines = Self.lines(String(sample))
      let isFound = source.indices.contains { source[$0...].starts(with: lines) }
      #expect(isFound, "no function of this file has\n\(sample)")
    }
  }

  /// Lines that hold something, without the spaces around them.
  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.isEmpty }
  }
}

private func opened(_ bytes: [UInt8]) -> [UInt8] { bytes.dropFirst(6).map { $0 ^ 0x5A } }

private func sealed(_ bytes: [UInt8]) -> [UInt8] { Array("SEALED".utf8) + bytes.map { $0 ^ 0x5A } }
