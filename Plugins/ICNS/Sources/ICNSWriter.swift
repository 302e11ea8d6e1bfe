// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// How pictures of up to 128 pixels are stored.
enum SmallIcons: Int {
  /// Planes of colour, and a mask in an element of its own: what every version of the system reads.
  case masked
  /// Planes of alpha and colour in one element, and PNG from 128 pixels on: OS X 10.7 and later.
  case argb

  static let description = OptionDescription(
    name: "small", text: "how small icons are stored: masked for every system, argb for OS X 10.7 and later",
    kind: .choice(["masked", "argb"], default: 0))
}

/// Writes Apple's icons: one page, or several in different sizes, after a table of contents.
///
/// - Format: Apple Icon Image, as Apple's tools write it.
final class ICNSWriter: ContainerWriter {
  private typealias Element = (code: TypeCode, data: [UInt8])

  private let output: ByteOutput
  private let host: CoderHost
  private let small: SmallIcons
  private var canvas = Size(width: 0, height: 0)
  private var elements: [Element] = []
  private var used: Set<TypeCode> = []

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    small = SmallIcons(rawValue: Int(options.values["small"] ?? 0)) ?? .masked
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    PixelLayout(.rgba8, wanted.alpha == .opaque ? .opaque : .straight)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    canvas = header.canvas
    _ = try place(of: canvas)
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    guard pixels.size == canvas else { throw .invalidArgument("a frame of \(pixels.size) on a canvas of \(canvas)") }
    if host.isCancelled { throw .cancelled }
    let place = try place(of: pixels.size)
    used.insert(place.code)
    switch place.storage {
    case .planes(let padding, let mask):
      var data = [UInt8](repeating: 0, count: padding)
      for channel in 0..<3 { RunLengths.pack(plane(channel, of: pixels), to: &data) }
      elements.append((place.code, data))
      elements.append((mask, plane(3, of: pixels)))
    case .argb:
      var data = Array("ARGB".utf8)
      for channel in [3, 0, 1, 2] { RunLengths.pack(plane(channel, of: pixels), to: &data) }
      elements.append((place.code, data))
    case .png:
      elements.append((place.code, try PNGFile.bytes(of: pixels, host: host)))
    }
  }

  func finish() throws(CoderError) {
    guard !elements.isEmpty else { throw .outOfOrder("a file without a picture") }
    // The table of contents has an entry of eight bytes for each element, and does not name itself.
    let contents = elements.flatMap { $0.code.bytes + Self.bigEndian($0.data.count + IconFile.headerSize) }
    let all: [Element] = [(.contents, contents)] + elements
    let length = all.reduce(IconFile.headerSize) { $0 + IconFile.headerSize + $1.data.count }
    try output.write(TypeCode.file.bytes + Self.bigEndian(length))
    for (code, data) in all {
      try output.write(code.bytes + Self.bigEndian(data.count + IconFile.headerSize))
      try output.write(data)
    }
  }

  private func plane(_ channel: Int, of pixels: PixelView) -> [UInt8] {
    (0..<pixels.size.height).flatMap { y in
      let row = (pixels.base + y * pixels.stride).assumingMemoryBound(to: UInt8.self)
      return (0..<pixels.size.width).map { row[4 * $0 + channel] }
    }
  }

  private static func bigEndian(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

extension ICNSWriter {
  /// An element that a picture may go into.
  private struct Place {
    enum Storage {
      case planes(padding: Int, mask: TypeCode)
      case argb
      case png
    }

    let side: Int
    let code: TypeCode
    let storage: Storage

    init(_ side: Int, _ code: String, _ storage: Storage) {
      self.side = side
      self.code = TypeCode(code)
      self.storage = storage
    }

    static func masked(_ side: Int, _ code: String, _ mask: String, padding: Int = 0) -> Place {
      Place(side, code, .planes(padding: padding, mask: TypeCode(mask)))
    }

    static let masked = [
      masked(16, "is32", "s8mk"), masked(32, "il32", "l8mk"), masked(48, "ih32", "h8mk"),
      masked(128, "it32", "t8mk", padding: 4),
    ]
    static let argb = [
      Place(16, "ic04", .argb), Place(32, "ic05", .argb), masked(48, "ih32", "h8mk"), Place(128, "ic07", .png),
    ]
    /// The second picture of a size is the one for screens of twice the density.
    static let both = [
      Place(18, "icsb", .argb), Place(24, "sb24", .png), Place(32, "ic11", .png), Place(36, "icsB", .png),
      Place(48, "SB24", .png), Place(64, "ic12", .png), Place(64, "icp6", .png), Place(256, "ic08", .png),
      Place(256, "ic13", .png), Place(512, "ic09", .png), Place(512, "ic14", .png), Place(1_024, "ic10", .png),
    ]
  }

  /// The first element of a size that is free.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` with the sizes that there are.
  private func place(of size: Size) throws(CoderError) -> Place {
    let places = (small == .argb ? Place.argb : Place.masked) + Place.both
    let fitting = places.filter { size == Size(width: $0.side, height: $0.side) }
    guard !fitting.isEmpty else {
      let sides = Set(places.map(\.side)).sorted().map { "\($0)" }.joined(separator: ", ")
      throw .unsupported("a picture of \(size), and icons are squares of \(sides) pixels")
    }
    guard let free = fitting.first(where: { !used.contains($0.code) }) else {
      throw .unsupported("picture \(fitting.count + 1) of \(size), and an icon holds \(fitting.count) of that size")
    }
    return free
  }
}
