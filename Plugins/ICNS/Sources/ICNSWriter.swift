// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import SmallPNG

/// Writes Apple's icons: one page, or several in different sizes, after a table of contents.
///
/// - Format: Apple Icon Image, as Apple's tools write it.
final class ICNSWriter: ContainerWriter {
  private typealias Element = (code: FourCC, data: [UInt8])

  private let output: ByteOutput
  private let host: CoderHost
  private let small: ICNSOption.SmallIcons
  private var canvas = Size(width: 0, height: 0)
  private var elements: [Element] = []
  private var used: Set<FourCC> = []

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    small = options[ICNSOption.small]
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
      // What is not packed has a byte more for each 128.
      try ArrayMemory.grow(&data, by: 4 * pixels.size.pixelCount / 128 * 129 + 8, for: "an icon's planes")
      for channel in [3, 0, 1, 2] { RunLengths.pack(plane(channel, of: pixels), to: &data) }
      elements.append((place.code, data))
    case .png:
      elements.append((place.code, try SmallPNG.bytes(of: pixels, host: host, packed: Deflate.packed)))
    }
  }

  func finish() throws(CoderError) {
    guard !elements.isEmpty else { throw .outOfOrder("a file without a picture") }
    // The table of contents has an entry of eight bytes for each element, and does not name itself.
    var contents = ByteWriter()
    for (code, data) in elements { ElementHeader(code, dataLength: data.count).write(to: &contents) }
    let all: [Element] = [(.contents, contents.bytes)] + elements
    try write(ElementHeader(.file, dataLength: all.reduce(0) { $0 + ElementHeader.size + $1.data.count }))
    for (code, data) in all {
      try write(ElementHeader(code, dataLength: data.count))
      try output.write(data)
    }
  }

  private func write(_ header: ElementHeader) throws(CoderError) {
    var writer = ByteWriter()
    header.write(to: &writer)
    try output.write(writer.bytes)
  }

  private func plane(_ channel: Int, of pixels: PixelView) -> [UInt8] {
    (0..<pixels.size.height).flatMap { y in
      let row = (pixels.base + y * pixels.stride).assumingMemoryBound(to: UInt8.self)
      return (0..<pixels.size.width).map { row[4 * $0 + channel] }
    }
  }
}

extension ICNSWriter {
  /// An element that a picture may go into.
  private struct Place {
    enum Storage {
      case planes(padding: Int, mask: FourCC)
      case argb
      case png
    }

    let side: Int
    let code: FourCC
    let storage: Storage

    init(_ side: Int, _ code: StaticString, _ storage: Storage) {
      self.side = side
      self.code = FourCC(code)
      self.storage = storage
    }

    static func masked(_ side: Int, _ code: StaticString, _ mask: StaticString, padding: Int = 0) -> Place {
      Place(side, code, .planes(padding: padding, mask: FourCC(mask)))
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
