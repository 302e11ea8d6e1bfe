// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoderTesting
import ImageCoders

/// Decodes files and describes what came out.
struct FileDigest {
  let arguments: Arguments
  let registry: CoderRegistry

  init(_ arguments: Arguments) {
    self.arguments = arguments
    // Nothing of the machine's own takes part: neither its plugins nor its settings.
    registry = CoderRegistry(
      searchPath: .only([arguments.plugins]).trusting([arguments.plugins]),
      preferences: CoderPreferences(), isolation: Isolation(arguments.isIsolated ? .required : .inProcess))
  }

  /// Why coders are missing, one line each: results would say nothing of them.
  var complaints: [String] {
    let skipped = registry.catalog.entries.compactMap { entry in entry.reason.map { "\(entry.path): \($0.message)" } }
    return registry.coderIDs.isEmpty ? skipped + ["no coder in \(arguments.plugins)"] : skipped
  }

  /// The line of one file.
  ///
  /// - Parameter number: The file's place in the list.
  func line(for path: String, number: Int) -> JSONText {
    var members: [(key: String, value: JSONText)] = [("path", .text(path))]
    let start = Self.milliseconds()
    do throws(CoderError) {
      members += try describe(.file(path), number: number)
    } catch {
      if let coder = error.coder { members.append(("coder", .text(coder))) }
      members.append(("error", Self.describe(error)))
    }
    members.append(("milliseconds", .number(((Self.milliseconds() - start) * 1000).rounded() / 1000)))
    return .object(members)
  }

  /// The file with other metadata; the file itself if its metadata cannot be edited.
  private func edited(_ source: ByteSource) throws(CoderError) -> ByteSource {
    var edit = MetadataEdit(removing: [.gps, .thumbnail, .other])
    try edit.set("Artist", to: "A")
    try edit.set("City", to: "B")
    do throws(CoderError) {
      return .bytes(try registry.editMetadata(source, edit).bytes)
    } catch {
      return source
    }
  }

  /// Turns the stored picture in every way, also of files that are damaged; the results are not looked at.
  private func turn(_ source: ByteSource) throws(CoderError) {
    let decoder = try registry.open(source)
    let operations = registry.operations(for: decoder.header.format)
    guard operations.contains(where: { $0.coder == decoder.coderID && $0.operation.name == KnownOperation.turn.name })
    else { return }
    let canvas = decoder.header.canvas
    let units = Rect(x: 0, y: 0, width: canvas.width / 16 * 16, height: canvas.height / 16 * 16)
    for part in [Rect(x: 0, y: 0, width: canvas.width, height: canvas.height), units] {
      for orientation in Orientation.allCases {
        _ = try? registry.apply(
          .turn(TurnedPart(part, orientation: orientation)), to: source, coder: decoder.coderID)
      }
    }
  }

  private func describe(_ source: ByteSource, number: Int) throws(CoderError) -> [(key: String, value: JSONText)] {
    var source = source
    if case .edited = arguments.mode {
      try turn(source)
      source = try edited(source)
    }
    var options = DecodeOptions()
    if case .thumbnail(let side) = arguments.mode { options = .thumbnail(width: side, height: side) }
    options.limits.maxMemory = arguments.maxMemory
    options.appliesOrientation = arguments.isUpright
    if arguments.separatesParts { options.zeroDelayFrames = .separate }
    switch arguments.layout {
    case .native: break
    case .fixed(let format): options.pixelFormat = format
    case .atDepth:
      let header = try registry.open(source).header
      options.pixelFormat = header.pixelFormat.bytesPerChannel > 1 ? .rgba16 : .rgba8
    }
    if case .chunks(let chunking) = arguments.mode {
      return try describe(try decodeChunked(of: source, in: chunking, options), number: number)
    }
    if case .play = arguments.mode { return try played(source, options) }
    let decoder = try registry.open(source, options: options)
    var members = Self.describe(decoder.header, decoder.loopCount, coder: decoder.coderID)
    switch arguments.mode {
    case .decode, .edited, .thumbnail:
      let image = try decoder.image()
      members += Self.problem(image.problem)
      members.append(("frames", .list(try describe(image.frames, of: decoder, number: number))))
    case .chunks, .play: break
    case .frames, .backwards:
      let (frames, problem) = try frames(of: decoder, number: number)
      members += Self.problem(problem)
      members.append(("frames", .list(frames)))
    case .pages: members.append(("frames", .list(pages(of: decoder, number: number))))
    case .header:
      var metadata: [(key: String, value: JSONText)] = []
      for kind in MetadataKind.allCases {
        // What is damaged counts as not there, as it does for a caller who wants the pixels.
        if let payload = try? decoder.metadata(kind) { metadata.append((kind.description, .integer(payload.count))) }
      }
      members.append(("metadata", .object(metadata)))
    }
    return members
  }

  private func describe(_ frames: [Frame], of decoder: ImageDecoder, number: Int) throws(CoderError) -> [JSONText] {
    var described: [JSONText] = []
    for (index, frame) in frames.enumerated() {
      described.append(describe(frame, header: try decoder.frameHeader(at: index), index: index, number: number))
    }
    return described
  }

  /// Frames one at a time. An error behind the first that comes ends the list.
  private func frames(of decoder: ImageDecoder, number: Int) throws(CoderError) -> ([JSONText], CoderError?) {
    var order = Array(0..<decoder.frameCount)
    if case .backwards = arguments.mode { order.reverse() }
    var described: [Int: JSONText] = [:]
    var problem: CoderError?
    for index in order {
      do throws(CoderError) {
        let frame = try decoder.frame(at: index)
        problem = problem ?? frame.problem
        described[index] = describe(
          frame, header: try decoder.frameHeader(at: index), index: index, number: number)
      } catch {
        problem = problem ?? error
      }
    }
    if described.isEmpty, let problem { throw problem }
    return (described.sorted { $0.key < $1.key }.map(\.value), problem)
  }

  /// The picture of each page; a page that cannot be had has its error.
  private func pages(of decoder: ImageDecoder, number: Int) -> [JSONText] {
    (0..<decoder.header.pageCount).map { index in
      do throws(CoderError) {
        let page = try decoder.page(index)
        return describe(try page.frame(at: 0), header: try page.frameHeader(at: 0), index: index, number: number)
      } catch {
        return .object([("index", .integer(index)), ("error", Self.describe(error))])
      }
    }
  }

  func describe(_ frame: Frame, header: FrameHeader?, index: Int, number: Int) -> JSONText {
    let pixels = frame.pixels
    if let folder = arguments.rawFolder { Self.write(pixels, to: "\(folder)/\(number)-\(index).raw") }
    var members: [(key: String, value: JSONText)] = [
      ("index", .integer(index)),
      ("hash", .text(String(Self.hash(pixels), radix: 16))),
      ("size", .list([.integer(pixels.size.width), .integer(pixels.size.height)])),
      ("format", .text(pixels.format.description)),
      ("alpha", .text(pixels.alpha.description)),
      ("delay", .list([.integer(Int(frame.delay.numerator)), .integer(Int(frame.delay.denominator))])),
    ]
    if let header {
      let rect = header.rect
      members += [
        ("rect", .list([rect.x, rect.y, rect.width, rect.height].map { .integer($0) })),
        ("disposal", .integer(Int(header.disposal.rawValue))),
        ("blend", .integer(Int(header.blend.rawValue))),
      ]
    }
    members += Self.problem(frame.problem)
    return .object(members)
  }
}

extension FileDigest {
  static func describe(
    _ header: ImageHeader, _ loopCount: LoopCount, coder: String
  ) -> [(key: String, value: JSONText)] {
    [
      ("coder", .text(coder)),
      ("format", .text(header.format.rawValue)),
      ("canvas", .list([.integer(header.canvas.width), .integer(header.canvas.height)])),
      ("pixelFormat", .text(header.pixelFormat.description)),
      ("bitsPerChannel", .integer(header.bitsPerChannel)),
      ("alpha", .text(header.alpha.description)),
      ("orientation", .integer(header.orientation.rawValue)),
      ("frameCount", .integer(header.frameCount)),
      ("isAnimated", .truth(header.isAnimated)),
      ("isTruncated", .truth(header.isTruncated)),
      ("pageCount", .integer(header.pageCount)),
      ("primaryPage", .integer(header.primaryPage)),
      ("loopCount", .integer(Int(loopCount.plays))),
      ("background", .text(header.background.map { "\($0)" } ?? "")),
    ]
  }

  static func problem(_ error: CoderError?) -> [(key: String, value: JSONText)] {
    error.map { [("problem", describe($0))] } ?? []
  }

  static func describe(_ error: CoderError) -> JSONText {
    .object([
      ("code", .text(error.code.description)), ("message", .text(error.message)),
      ("offset", .integer(error.offset ?? -1)),
    ])
  }

  /// FNV-1a, 64 bits, of the pixels' bytes row by row.
  static func hash(_ pixels: PixelBuffer) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for y in 0..<pixels.size.height {
      pixels.withRow(y) { row in
        for byte in row { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      }
    }
    return hash
  }

  private static func write(_ pixels: PixelBuffer, to path: String) {
    guard let file = fopen(path, "wb") else { return perror(path) }
    defer { fclose(file) }
    for y in 0..<pixels.size.height {
      pixels.withRow(y) { row in _ = fwrite(row.baseAddress, 1, row.count, file) }
    }
  }

  private static func milliseconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) * 1000 + Double(now.tv_nsec) / 1_000_000
  }
}
