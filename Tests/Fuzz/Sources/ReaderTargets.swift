// SPDX-License-Identifier: Apache-2.0

import CFuzzing
import FuzzStructures
import ImageCoders

/// Readers, each by itself, in the ways that a file can be gone through.
struct ReaderTargets {
  /// Makes a registry of these coders alone, or of all.
  let registry: (Set<String>?) -> CoderRegistry

  static var limits: Limits {
    Limits(
      maxPixels: 1 << 22, maxSide: 65_535, maxMemory: FuzzTarget.mostMemory, maxFrames: 512, maxMetadata: 1 << 20,
      maxPages: 64, maxScans: 50, maxComposedPixels: 1 << 24)
  }

  private static var options: DecodeOptions {
    var options = DecodeOptions()
    options.limits = limits
    return options
  }

  /// A coder's reader, by the name of its format: `png`, `libheif`.
  struct Subject: Sendable {
    let coder: String
    let name: String
    let fixtures: String
    let structure: (any FileStructure.Type)?
    /// The coders of files inside its files.
    var embedded: Set<String> = []
  }

  /// Those whose files have parts that changes know, are read by two coders, or hold other files.
  private static let known = [
    Subject(coder: "org.imagecoders.avif", name: "avif", fixtures: "avif", structure: BoxStructure.self),
    Subject(coder: "org.imagecoders.gif", name: "gif", fixtures: "gif", structure: GIFStructure.self),
    Subject(coder: "org.imagecoders.gif.giflib", name: "giflib", fixtures: "gif", structure: GIFStructure.self),
    Subject(coder: "org.imagecoders.heif", name: "heif", fixtures: "heif", structure: BoxStructure.self),
    Subject(
      coder: "org.imagecoders.icns", name: "icns", fixtures: "icns", structure: ICNSStructure.self,
      embedded: ["org.imagecoders.png", "org.imagecoders.jpeg2000"]),
    Subject(
      coder: "org.imagecoders.ico", name: "ico", fixtures: "ico", structure: nil, embedded: ["org.imagecoders.png"]),
    Subject(coder: "org.imagecoders.jpeg", name: "jpeg", fixtures: "jpeg", structure: JPEGStructure.self),
    Subject(coder: "org.imagecoders.jpeg2000", name: "jpeg2000", fixtures: "jpeg2000", structure: BoxStructure.self),
    Subject(coder: "org.imagecoders.jxl", name: "jxl", fixtures: "jxl", structure: BoxStructure.self),
    Subject(coder: "org.imagecoders.heif.libheif", name: "libheif", fixtures: "heif", structure: BoxStructure.self),
    Subject(coder: "org.imagecoders.png", name: "png", fixtures: "png", structure: PNGStructure.self),
    Subject(
      coder: "org.imagecoders.psd", name: "psd", fixtures: "psd", structure: nil, embedded: ["org.imagecoders.jpeg"]),
    Subject(
      coder: "org.imagecoders.raw", name: "raw", fixtures: "raw", structure: TIFFStructure.self,
      embedded: ["org.imagecoders.jpeg"]),
    Subject(coder: "org.imagecoders.tiff", name: "tiff", fixtures: "tiff", structure: TIFFStructure.self),
    Subject(coder: "org.imagecoders.webp", name: "webp", fixtures: "webp", structure: RIFFStructure.self),
  ]

  /// The targets of the coders that there are. Without more known of it, `org.imagecoders.qoi` reads the fixtures `qoi`.
  func targets() -> [FuzzTarget] {
    let subjects = registry(nil).coderIDs.map { (id) -> Subject in
      let name = String(id.split(separator: ".").last ?? "")
      return Self.known.first { $0.coder == id }
        ?? Subject(coder: id, name: name, fixtures: name, structure: nil)
    }
    return subjects.sorted { $0.name < $1.name }.flatMap { subject in
      targets(of: subject, registry(subject.embedded.union([subject.coder])))
    } + deepJPEG
  }

  /// JPEG files that libjpeg-turbo does not read, and that have a reader of ours. Among all files they would be few.
  private var deepJPEG: [FuzzTarget] {
    let registry = registry(["org.imagecoders.jpeg"])
    guard registry.coderIDs == ["org.imagecoders.jpeg"] else { return [] }
    let files = Files.below("Tests/Fixtures/jpeg").filter { $0.contains("lossless") || $0.contains("deep") }
    return [
      FuzzTarget(
        name: "jpeg-deep", about: "jpeg: files of 12 bits and without loss, in one call", seeds: .files(files),
        structure: JPEGStructure.self, run: { Self.decode($0, registry) })
    ]
  }

  private func targets(of subject: Subject, _ registry: CoderRegistry) -> [FuzzTarget] {
    let ways: [(String, String, @Sendable ([UInt8], CoderRegistry) -> Void)] = [
      ("decode", "the whole file in one call", Self.decode),
      ("arriving", "bytes that arrive in pieces", { Self.arriving($0, $1) }),
      ("layouts", "pixels in another layout than the file's, at once or in pieces", Self.layouts),
      ("frames", "frames in any order", Self.frames),
      ("thumbnail", "a small picture in sRGB", Self.thumbnail),
      ("pages", "pages, metadata, properties, auxiliary pictures and other parts", Self.pages),
    ]
    return ways.map { (way, about, run) in
      FuzzTarget(
        name: "\(subject.name)-\(way)", about: "\(subject.name): \(about)",
        seeds: .files(["Tests/Fixtures/\(subject.fixtures)/valid", "Tests/Fixtures/\(subject.fixtures)/invalid"]),
        structure: subject.structure,
        run: { run($0, registry) })
    }
  }
}

extension ReaderTargets {
  @Sendable private static func open(_ bytes: [UInt8], _ registry: CoderRegistry) -> ImageDecoder? {
    try? registry.open(.bytes(bytes), options: options)
  }

  @Sendable private static func decode(_ bytes: [UInt8], _ registry: CoderRegistry) {
    guard let image = try? registry.decode(.bytes(bytes), options: options) else { return }
    check(image)
  }

  /// What a picture promises, whatever it was made of.
  @Sendable private static func check(_ image: Image) {
    guard let header = image.header else { FuzzTarget.broken("a decoded image has a header") }
    if image.frames.isEmpty { FuzzTarget.broken("a decoded image has a frame") }
    for frame in image.frames {
      if frame.pixels.size.isEmpty || frame.pixels.size.pixelCount > limits.maxPixels {
        FuzzTarget.broken("a frame of \(frame.pixels.size) keeps to maxPixels")
      }
      if !header.isAnimated, header.frameCount > 1 { continue }
      if frame.pixels.size != image.frames[0].pixels.size { FuzzTarget.broken("frames are as large as the canvas") }
    }
  }

  /// Layouts that a reader has loops for, or another library, or that the host makes.
  @Sendable private static func layouts(_ bytes: [UInt8], _ registry: CoderRegistry) {
    var choices = Choices(bytes)
    var options = Self.options
    let formats = PixelFormat.allCases
    options.pixelFormat = formats[choices.below(formats.count)]
    options.alpha = choices.below(2) == 0 ? .straight : .premultiplied
    if choices.below(2) == 0 { return arriving(bytes, registry, options) }
    guard let image = try? registry.decode(.bytes(bytes), options: options) else { return }
    check(image)
    if image.frames.contains(where: { $0.pixels.format != options.pixelFormat }) {
      FuzzTarget.broken("pixels have the layout that was asked for")
    }
  }

  private static func arriving(_ bytes: [UInt8], _ registry: CoderRegistry, _ options: DecodeOptions = options) {
    var choices = Choices(bytes)
    let decoder = registry.makeIncrementalDecoder(options: options)
    var start = 0
    let most = [1, 16, 300, 5000][choices.below(4)]
    let leavesEarly = choices.below(8) == 0
    do throws(CoderError) {
      // Few pieces of any size: one by one, a file of a megabyte would take all the time there is.
      while start < bytes.count {
        let count = max(1 + choices.below(most), (bytes.count + 255) / 256)
        try decoder.append(bytes[start..<min(start + count, bytes.count)])
        start += count
        if choices.below(4) == 0 { _ = try decoder.picture() }
        if leavesEarly, choices.below(16) == 0 { return }
      }
      check(try decoder.finish())
    } catch {}
  }

  @Sendable private static func frames(_ bytes: [UInt8], _ registry: CoderRegistry) {
    guard let decoder = open(bytes, registry) else { return }
    var choices = Choices(bytes)
    var seen: [Int: UInt64] = [:]
    for turn in 0..<min(2 * decoder.frameCount, 24) {
      let index = choices.below(decoder.frameCount)
      // What a coder did not write would be another picture.
      fuzzing_fill_memory(turn & 1 == 0 ? 0x55 : 0xAA)
      guard let frame = try? decoder.frame(at: index), frame.problem == nil else { continue }
      let sum = sum(of: frame.pixels)
      if let earlier = seen.updateValue(sum, forKey: index), earlier != sum {
        FuzzTarget.broken("frame \(index) is the same however it is come to")
      }
    }
  }

  @Sendable private static func sum(of pixels: PixelBuffer) -> UInt64 {
    var sum: UInt64 = 0xCBF2_9CE4_8422_2325
    for y in 0..<pixels.size.height {
      pixels.withRow(y) { row in for byte in row { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    }
    return sum
  }

  @Sendable private static func thumbnail(_ bytes: [UInt8], _ registry: CoderRegistry) {
    var choices = Choices(bytes)
    let size = Size(width: 1 + choices.below(64), height: 1 + choices.below(64))
    var options = DecodeOptions(size: .fitting(size, [.fit, .fill, .stretch][choices.below(3)]), firstFrameOnly: true)
    options.limits = limits
    if choices.below(4) == 0 {
      options.part = Rect(x: choices.below(40), y: choices.below(40), width: choices.below(64), height: 1)
    }
    options.color = choices.below(2) == 0 ? .asStored : .convert(to: .sRGB)
    options.linearLight = choices.below(8) == 0
    guard let image = try? registry.decode(.bytes(bytes), options: options) else { return }
    let pixels = image.pixels.size
    if pixels.width > size.width || pixels.height > size.height {
      FuzzTarget.broken("a thumbnail of \(pixels) fits \(size)")
    }
  }

  @Sendable private static func pages(_ bytes: [UInt8], _ registry: CoderRegistry) {
    guard let decoder = open(bytes, registry) else { return }
    let parts = ByteSource.reading(size: bytes.count) { range in Array(bytes[range]) }
    if (try? registry.header(of: parts, options: options)) != decoder.header {
      FuzzTarget.broken("a header alone is that of the opened file")
    }
    for kind in MetadataKind.allCases { _ = try? decoder.metadata(kind) }
    _ = try? decoder.properties()
    _ = decoder.parts()
    for picture in ((try? decoder.auxiliaryPictures()) ?? []).prefix(8) { _ = try? decoder.decodeAuxiliary(picture) }
    for index in 0..<min(decoder.header.pageCount, 8) {
      guard let page = try? decoder.page(index) else { continue }
      _ = try? page.properties(frame: 0)
      _ = try? page.frame(at: 0)
    }
  }
}
