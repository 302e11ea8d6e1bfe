// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Which of the maps is written, as the option names them.
enum WrittenKind: String, CaseIterable {
  case automatic = "auto"
  case gray = "pgm"
  case color = "ppm"
  case arbitrary = "pam"
  case float = "pfm"
  case bits = "pbm"
}

/// The writer's options: manifest, help, validation and documentation come from this table.
enum PNMOption {
  static let kind = CoderOption.choice(
    "kind", default: WrittenKind.automatic,
    "Which kind is written; auto is the smallest that holds all samples of the picture.")
  static let ascii = CoderOption.boolean(
    "ascii", default: false, "Write digits instead of bytes in the kinds that have them: pbm, pgm and ppm.")

  static let table = [kind.description, ascii.description]
}

/// Writes the portable maps of Netpbm, and PFM.
///
/// - Format: pbm(5), pgm(5), ppm(5), pam(5) of Netpbm; PFM, the portable float map.
final class PNMWriter: ContainerWriter, FrameRowsWriter {
  private let output: ByteOutput
  private let host: CoderHost
  private let requestedKind: WrittenKind
  private let isPlain: Bool
  private let isLossless: Bool
  private var kind = WrittenKind.color
  /// What the samples of the page are said to hold.
  private var bits = 16
  private var pageCount = 0
  /// The row encoder of the picture whose rows come.
  private var rowEncoder: RowEncoder?

  init(_ output: ByteOutput, host: CoderHost, options: WriteOptions) throws(CoderError) {
    self.output = output
    self.host = host
    requestedKind = options[PNMOption.kind]
    isPlain = options[PNMOption.ascii]
    isLossless = options.isLossless
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    let isOpaque = wanted.alpha == .opaque
    let isDeep = wanted.format.bytesPerChannel > 1
    // Hosts that do not know it do not ask for it.
    let deep: PixelFormat = wanted.format == .rgb16 ? .rgb16 : .rgba16
    kind = requestedKind
    if requestedKind == .automatic {
      kind = !isOpaque ? .arbitrary : wanted.format.isFloat ? .float : wanted.format.isGray ? .gray : .color
    }
    switch kind {
    case .bits:
      guard !isLossless else { throw .unsupported("lossless as pbm, which holds one bit per pixel") }
      return PixelLayout(.gray8, .opaque)
    case .gray: return PixelLayout(isDeep ? .gray16 : .gray8, .opaque)
    // Alpha is laid over the background by the host, which it does for layouts without alpha alone.
    case .color: return isDeep && isOpaque ? PixelLayout(deep, .opaque) : PixelLayout(.rgb8, .opaque)
    case .float: return isOpaque ? PixelLayout(.rgbaFloat32, .opaque) : PixelLayout(.rgb8, .opaque)
    case .arbitrary, .automatic:
      if isOpaque {
        return wanted.format.isGray
          ? PixelLayout(isDeep ? .gray16 : .gray8, .opaque) : PixelLayout(isDeep ? deep : .rgb8, .opaque)
      }
      let format: PixelFormat =
        wanted.format.isGray ? (isDeep ? .grayAlpha16 : .grayAlpha8) : isDeep ? .rgba16 : .rgba8
      return PixelLayout(format, .straight)
    }
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    // Digits and float maps end with the file.
    guard header.pageCount <= 1 || !(isPlain && kind != .arbitrary || kind == .float) else {
      throw .unsupported("\(header.pageCount) pages as digits or as a float map, which are one picture")
    }
    bits = header.bitsPerChannel
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    let isNarrow = (9...15).contains(bits) && pixels.holdsSamples(ofBits: bits)
    try begin(pixels.size, pixels.layout, maximum: isNarrow ? 1 << bits - 1 : 65_535)
    try add(rows: pixels)
    try endRows()
  }

  func beginRows(_ frame: FrameHeader, size: Size, layout: PixelLayout) throws(CoderError) -> Bool {
    // A float map begins with its last row, and the largest sample stands before the first one.
    guard kind != .float, !(9...15).contains(bits) else { return false }
    try begin(size, layout, maximum: 65_535)
    return true
  }

  private func begin(_ size: Size, _ layout: PixelLayout, maximum: Int) throws(CoderError) {
    let isAlone = kind == .float || isPlain && kind != .arbitrary
    guard pageCount == 0 || !isAlone else { throw .unsupported("a second picture after digits or a float map") }
    pageCount += 1
    let encoder = RowEncoder(
      size, layout, kind: kind, isPlain: isPlain && kind != .arbitrary && kind != .float, maximum: maximum)
    try output.write(Array(encoder.header.utf8))
    rowEncoder = encoder
  }

  /// - Parameter rows: Of a float map, all of them.
  func add(rows: PixelView) throws(CoderError) {
    guard let encoder = rowEncoder else { throw .outOfOrder("rows before their frame") }
    let bytes = try host.allocate(bytes: encoder.memory, for: "a row of the file")
    defer { host.free(bytes) }
    let height = rows.size.height
    for y in 0..<height {
      if host.isCancelled { throw .cancelled }
      // A float map's rows go from the bottom to the top.
      let stored = kind == .float ? height - 1 - y : y
      let count = encoder.encode(rows.base + stored * rows.stride, to: bytes.assumingMemoryBound(to: UInt8.self))
      try output.write(UnsafeRawBufferPointer(start: bytes, count: count))
      if y & 255 == 255 { host.progress(Double(y + 1) / Double(height)) }
    }
  }

  func endRows() throws(CoderError) { rowEncoder = nil }

  func finish() throws(CoderError) {
    guard pageCount > 0 else { throw .outOfOrder("a file without a picture") }
  }
}
