// SPDX-License-Identifier: Apache-2.0

import CIsolation
import FuzzStructures
import Glibc
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// The protocol between a program and its workers, with a worker that says anything.
///
/// Nothing that it says may hurt the program: all is an error, or a picture within the limits.
enum ProtocolTargets {
  static let all = [
    FuzzTarget(
      name: "protocol-worker", about: "a worker that says anything while files are read, written and changed",
      seeds: .bytes(HonestWorker.conversations), structure: ConversationStructure.self, run: run)
  ]

  static let format = ImageFormat(rawValue: "org.example.liar")

  private static let manifest = try? Manifest(
    json: Array(
      """
      {"manifest": 1, "id": "org.example.liar", "name": "Liar", "version": "1.0.0",
       "abi": {"major": 1, "min_minor": 0}, "library": "libliar.so",
       "formats": [{"uti": "org.example.liar", "extensions": ["liar"], "match": [{"bytes": "4c494152"}]}],
       "capabilities": ["read", "write", "incremental", "recognize", "pages", "frames", "icc", "exif", "xmp", "thumbnail"],
       "decode_options": [{"name": "word", "type": "text", "maximum": 64, "default": ""},
         {"name": "level", "type": "number", "minimum": 0, "maximum": 255, "default": 0}],
       "operations": [{"name": "org.example.change", "from": ["org.example.liar"], "blocks": ["mark"], "options": [
         {"name": "level", "type": "integer", "minimum": 0, "maximum": 255, "default": 0},
         {"name": "words", "type": "text", "maximum": 64, "default": ""}]}]}
      """.utf8))

  private static let limits = Limits(
    maxPixels: 1 << 20, maxMemory: FuzzTarget.mostMemory, maxFrames: 64, maxMetadata: 1 << 18, maxPages: 8,
    maxComposedPixels: 1 << 22)

  /// The memory of a worker, which here no process but this one has.
  private static let shared = isolation_memory(ISOLATION_SHARED_BYTES, 0)

  /// Begins the memory with these bytes, so that what is in it does not depend on what was there before.
  private static func fill(_ bytes: [UInt8]) {
    let places = [ISOLATION_CONTROL_BYTES, ISOLATION_CONTROL_BYTES + ISOLATION_BAND_BYTES, ISOLATION_OUTPUT_START]
    for place in places { _ = pwrite(shared, bytes, min(bytes.count, 4096), off_t(place)) }
  }

  /// What a worker is asked for, by the first byte of a conversation.
  enum Wish: UInt8, CaseIterable {
    case image, frames, metadata, thumbnail, arriving, light, still, animation, operate, ask
    case recognize
  }

  private static func run(_ bytes: [UInt8]) {
    guard bytes.count >= ConversationStructure.start, let manifest, let wish = wish(bytes) else { return }
    fill(bytes)
    guard let worker = ScriptedWorker(saying: bytes, shared: shared) else { return }
    defer { withExtendedLifetime(worker) {} }
    guard let container = try? worker.connection.container(manifest, limits: limits) else { return }
    let coder = AnimatedCoder(container)
    // A small file goes with the message, and a larger one in memory of its own.
    let file = Array("LIAR".utf8) + [UInt8](repeating: 7, count: bytes[1] & 1 == 0 ? 60 : 30_000)
    switch wish {
    case .image, .frames, .metadata, .thumbnail, .arriving, .light: read(file, with: coder, wish, bytes[1])
    case .still, .animation: write(with: coder, wish, bytes[1])
    default: change(file, with: container, wish, bytes[1])
    }
  }

  private static func wish(_ bytes: [UInt8]) -> Wish? { Wish(rawValue: bytes[0] % UInt8(Wish.allCases.count)) }

  private static func registry(of coder: any ImageCoder) -> CoderRegistry {
    let registry = CoderRegistry(
      searchPath: .only([]), preferences: CoderPreferences(), policy: SecurityPolicy(name: "none"))
    registry.register(coder)
    return registry
  }

  private static func read(_ file: [UInt8], with coder: any ImageCoder, _ wish: Wish, _ flags: UInt8) {
    let registry = registry(of: coder)
    var options = wish == .thumbnail ? DecodeOptions.thumbnail(width: 5, height: 3) : DecodeOptions()
    options.limits = limits
    if wish == .light || flags & 2 != 0 { options.color = .convert(to: .sRGB) }
    options.linearLight = wish == .light && flags & 4 != 0
    if flags & 16 != 0 { options.values = ["word": .word("w\(flags)"), "level": .number(Double(flags))] }
    if wish == .arriving {
      let decoder = registry.makeIncrementalDecoder(options: options)
      do throws(CoderError) {
        for start in stride(from: 0, to: file.count, by: 16_384) {
          try decoder.append(file[start..<min(start + 16_384, file.count)])
          if flags & 8 != 0 { _ = try decoder.picture() }
        }
        check(try decoder.finish())
      } catch {}
      return
    }
    guard let decoder = try? registry.open(.bytes(file), options: options) else { return }
    if wish == .metadata {
      for kind in MetadataKind.allCases { _ = try? decoder.metadata(kind) }
      _ = try? decoder.properties()
      for picture in ((try? decoder.auxiliaryPictures()) ?? []).prefix(4) { _ = try? decoder.decodeAuxiliary(picture) }
      _ = try? decoder.page(decoder.header.pageCount - 1).image()
    }
    if wish == .frames {
      for index in 0..<min(decoder.frameCount, 4) { _ = try? decoder.frame(at: decoder.frameCount - 1 - index) }
    }
    if let image = try? decoder.image() { check(image) }
  }

  private static func check(_ image: Image) {
    for frame in image.frames where frame.pixels.size.isEmpty || frame.pixels.size.pixelCount > limits.maxPixels {
      FuzzTarget.broken("a frame of \(frame.pixels.size) keeps to maxPixels")
    }
  }

  private static func write(with coder: any ImageCoder, _ wish: Wish, _ flags: UInt8) {
    // Rows that the worker has all at once, or asks for.
    let size = Size(width: 700, height: flags & 1 == 0 ? 3 : 2200)
    guard let pixels = try? PixelBuffer(size: size, format: .rgba8, alpha: .straight) else { return }
    let count = wish == .animation ? 3 : 1
    let image = Image(
      frames: [Frame](repeating: Frame(pixels: pixels, delay: FrameDelay(numerator: 1, denominator: 10)), count: count))
    var options = EncodeOptions()
    options.limits = limits
    if flags & 2 != 0 { options.embeddedThumbnailSide = 16 }
    guard let file = try? registry(of: coder).encode(image, as: format, options: options) else { return }
    if file.count > limits.maxMemory { FuzzTarget.broken("a file of \(file.count) bytes keeps to maxMemory") }
  }

  private static func change(_ file: [UInt8], with container: any Container, _ wish: Wish, _ flags: UInt8) {
    guard let source = try? OpenSource(.bytes(file), limits: limits) else { return }
    let session = HostSession(source: source, limits: limits)
    if wish == .recognize {
      _ = file.withUnsafeBytes { container.recognize(prefix: $0, fileSize: flags & 2 == 0 ? file.count : nil) }
      return
    }
    var operation = FileOperation("org.example.change", values: ["level": .number(Double(flags))])
    operation.blocks["mark"] = [UInt8](repeating: flags, count: flags & 2 == 0 ? 10 : 40_000)
    if flags & 4 != 0 { operation.values["words"] = .word("icc exif") }
    let result = try? container.run(operation, from: format, to: format, in: session, asksOnly: wish == .ask)
    if let bytes = result?.bytes, bytes.count > limits.maxMemory {
      FuzzTarget.broken("a file of \(bytes.count) bytes keeps to maxMemory")
    }
  }
}
