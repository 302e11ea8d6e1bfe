// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The DC coefficients of a progressive JPEG file: the picture with 1/8 of its width and height.
///
/// Scans of other coefficients, most of a file, are searched for the next marker alone, and memory is taken for 1 of 64
/// coefficients.
///
/// - Format: ITU-T T.81 annexes B and G; Huffman codes, 8 bits per channel.
struct DCFile {
  let frame: FrameParameters
  private(set) var planes: [DCPlane] = []
  /// By channel, the step of the DC coefficient.
  private(set) var steps: [Int]
  private(set) var colors = ColorSegments()
  private let source: SourceView
  private let host: CoderHost
  private var tables = CodingTables()
  /// By channel, the lowest bit that scans have told.
  private var lowest: [Int?]
  private var scans = 0

  /// Whether a frame's DC coefficients are a picture that this type reads: gray, or three channels of which each has as
  /// many samples as the largest, or a half or a quarter of them.
  static func canRead(_ frame: FrameParameters) -> Bool {
    guard frame.isProgressive, !frame.isArithmetic, frame.process == .transform, frame.precision == 8 else {
      return false
    }
    return (frame.channels.count == 1 || frame.channels.count == 3)
      && frame.channels.allSatisfy {
        frame.units.widest % $0.horizontal == 0 && frame.units.tallest % $0.vertical == 0
      }
  }

  /// The pixels of a channel: blocks that show any.
  static func size(of channel: Int, in frame: FrameParameters) -> Size {
    let size = frame.sampleSize(of: channel)
    return Size(width: size.width.dividedUp(by: 8), height: size.height.dividedUp(by: 8))
  }

  /// Bytes that decoding takes.
  static func memory(for frame: FrameParameters) -> Int {
    frame.channels.indices.reduce(64 << 10 + frame.size.width * 16) { sum, index in
      let (columns, rows) = frame.paddedBlocks(of: index)
      return sum + columns * rows * 2
    }
  }

  /// Reads a file.
  ///
  /// - Returns: Nil for a file that is damaged or unusual, of which libjpeg tells what is wrong, and shows what there is.
  /// - Throws: ``CoderError/Code/cancelled``; ``CoderError/Code/outOfMemory``; ``CoderError/Code/io``.
  static func read(_ source: SourceView, frame: FrameParameters, host: CoderHost) throws(CoderError) -> DCFile? {
    do throws(CoderError) {
      var file = try DCFile(source, frame: frame, host: host)
      try file.read()
      return file
    } catch  where [.malformed, .truncated, .unsupported, .limitExceeded].contains(error.code) {
      host.log("the DC scans are not read alone: \(error.message)", severity: .debug)
      return nil
    }
  }

  private init(_ source: SourceView, frame: FrameParameters, host: CoderHost) throws(CoderError) {
    self.source = source
    self.frame = frame
    self.host = host
    steps = Array(repeating: 1, count: frame.channels.count)
    lowest = Array(repeating: nil, count: frame.channels.count)
    for index in frame.channels.indices {
      let (columns, rows) = frame.paddedBlocks(of: index)
      planes.append(try DCPlane(columns: columns, rows: rows, host: host))
    }
  }

  private mutating func read() throws(CoderError) {
    var input = MarkerInput(source, offset: 2)
    while true {
      let marker = try input.marker()
      switch marker {
      case 0x01, 0xD0...0xD7: continue  // TEM and RSTn have no segment.
      case 0xD8: throw .malformed("a second SOI marker", at: input.offset)
      case 0xD9:
        guard lowest.allSatisfy({ $0 == 0 }) else { throw .truncated("bits of DC coefficients are missing") }
        return
      default: break
      }
      let payload = try input.segment(marker)
      switch marker {
      case 0xC4, 0xDB, 0xDD, 0xE0, 0xEE:
        let bytes = try source.view(at: payload.lowerBound, count: payload.count)
        let segment = UnsafeBufferPointer(
          start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count)
        try tables.read(marker, segment, at: payload.lowerBound)
        colors.read(marker, segment)
      case 0xDA:
        let end = try MarkerInput.end(ofScanAt: payload.upperBound, in: source, host: host)
        try readScan(payload, data: payload.upperBound..<end)
        input.offset = end
      default: break
      }
    }
  }

  /// B.2.3.
  private mutating func readScan(_ payload: Range<Int>, data: Range<Int>) throws(CoderError) {
    scans += 1
    guard scans <= host.limits.maxScans else {
      throw .limitExceeded(.maxScans, found: scans, allowed: host.limits.maxScans, what: "a scan count of at least")
    }
    let header = [UInt8](try source.view(at: payload.lowerBound, count: min(payload.count, 12)))
    let count = Int(header.first ?? 0)
    guard (1...frame.channels.count).contains(count), header.count == 4 + 2 * count else {
      throw .malformed("a scan header of \(payload.count) bytes for \(count) channels", at: payload.lowerBound)
    }
    let (first, last) = (header[1 + 2 * count], header[2 + 2 * count])
    let (high, low) = (Int(header[3 + 2 * count] >> 4), Int(header[3 + 2 * count] & 15))
    guard first == 0 else {
      guard count == 1, last < 64, first <= last else { throw .malformed("a scan of coefficients \(first) to \(last)") }
      return
    }
    guard last == 0, low < 14, high == 0 || high == low + 1 else {
      throw .malformed("a scan of coefficients 0 to \(last), bits \(high) and \(low)")
    }
    var channels: [DCScan.Channel] = []
    for number in 0..<count {
      let channel = try channel(header[1 + 2 * number], tables: header[2 + 2 * number], high: high, low: low)
      channels.append(channel)
    }
    let scan = DCScan(
      channels: channels, units: (frame.units.width, frame.units.height), isRefinement: high > 0, low: low,
      restartInterval: tables.restartInterval)
    let bytes = try source.view(at: data.lowerBound, count: data.count)
    var reader = EntropyReader(
      UnsafeBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count: bytes.count), at: 0)
    guard try scan.decode(&reader, host: host) else {
      throw .malformed("scan \(scans) ends early", at: data.upperBound)
    }
  }

  /// A channel of a scan, which has to tell the bits below those of earlier scans.
  private mutating func channel(
    _ identifier: UInt8, tables number: UInt8, high: Int, low: Int
  ) throws(CoderError) -> DCScan.Channel {
    guard let index = frame.channels.firstIndex(where: { $0.identifier == identifier }),
      lowest[index] == (high == 0 ? nil : high)
    else { throw .malformed("a scan of channel \(identifier), bits \(high) and \(low)") }
    let factors = frame.channels[index]
    let table = tables.dc(Int(number >> 4))
    guard high > 0 || table != nil else {
      throw .malformed("a scan by Huffman table \(number >> 4), which is not there")
    }
    if high == 0 {
      guard let steps = tables.quantizer(factors.quantizer) else {
        throw .malformed("quantization table \(factors.quantizer) is not there")
      }
      self.steps[index] = steps[0]
    }
    lowest[index] = low
    let size = Self.size(of: index, in: frame)
    return DCScan.Channel(
      plane: planes[index], across: factors.horizontal, down: factors.vertical, columns: size.width, rows: size.height,
      table: high > 0 ? nil : table)
  }
}
