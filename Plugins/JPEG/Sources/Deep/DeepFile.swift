// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A JPEG file that libjpeg does not decode: 12 bits per channel, or the lossless process. Decodes all of it.
///
/// - Format: ITU-T T.81 annexes B, F, G, H; Huffman codes.
/// - Not covered: arithmetic codes, hierarchical files, four channels, lossless channels of different sizes.
final class DeepFile {
  private let bytes: UnsafeBufferPointer<UInt8>
  private let frame: FrameParameters
  private let host: CoderHost
  private var tables = CodingTables()
  private var scans = 0
  private var samples: [SamplePlane] = []
  private var coefficients: [CoefficientPlane] = []
  /// Channels of which a scan has come.
  private var seen: Set<Int> = []
  private(set) var problem: CoderError?
  /// Rows of the picture, from the top, for which every channel has something.
  private(set) var usableRows: Int
  private(set) var colors = ColorSegments()

  /// - Parameter contents: The whole file, which lives as long as this object.
  init(_ contents: UnsafeRawBufferPointer, frame: FrameParameters, host: CoderHost) throws(CoderError) {
    bytes = UnsafeBufferPointer(
      start: contents.baseAddress?.assumingMemoryBound(to: UInt8.self), count: contents.count)
    self.frame = frame
    self.host = host
    usableRows = frame.size.height
    for index in frame.channels.indices {
      samples.append(try SamplePlane(frame.sampleSize(of: index), host: host))
      if frame.process == .transform {
        let (columns, rows) = frame.paddedBlocks(of: index)
        coefficients.append(try CoefficientPlane(columns: columns, rows: rows, host: host))
      }
    }
  }

  /// The samples of a channel, once ``decode()`` is over.
  func plane(_ channel: Int) -> SamplePlane { samples[channel] }

  /// Decodes all scans. What is wrong after the first row is a ``problem``.
  func decode() throws(CoderError) {
    var position = 2
    while let (marker, payload, next) = try segment(at: position) {
      if marker == 0xD9 { break }
      position = next
      switch marker {
      case 0xDA:
        guard let end = try readScan(payload, at: next) else { return try conclude() }
        position = end
      default:
        let payload = UnsafeBufferPointer(rebasing: bytes[payload])
        try tables.read(marker, payload, at: next - payload.count)
        colors.read(marker, payload)
      }
    }
    if seen.count < frame.channels.count, problem == nil {
      note(.truncated("scans of \(seen.count) of \(frame.channels.count) channels", at: bytes.count), rows: 0)
    }
    try conclude()
  }

  private func number(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

  /// The next marker with its segment's payload, and what is after it; nil at the end.
  private func segment(at start: Int) throws(CoderError) -> (marker: UInt8, payload: Range<Int>, next: Int)? {
    var place = start
    while place + 1 < bytes.count, bytes[place] != 0xFF || bytes[place + 1] == 0 || bytes[place + 1] == 0xFF {
      place += 1
    }
    guard place + 1 < bytes.count else {
      note(.truncated("the file ends without an EOI marker", at: bytes.count), rows: nil)
      return nil
    }
    let marker = bytes[place + 1]
    guard marker != 0x01, !(0xD0...0xD9).contains(marker) else { return (marker, place..<place, place + 2) }
    guard place + 3 < bytes.count else {
      note(.truncated("the file ends in a segment", at: bytes.count), rows: nil)
      return nil
    }
    let end = place + 2 + max(2, number(at: place + 2))
    guard end <= bytes.count else {
      note(.truncated("the file ends in a segment of marker \(marker.hex)", at: bytes.count), rows: nil)
      return nil
    }
    return (marker, (place + 4)..<max(place + 4, end), end)
  }

  /// Keeps the first problem.
  ///
  /// - Parameter rows: Of the picture that are there all the same; nil for all that scans have told of.
  private func note(_ error: CoderError, rows: Int?) {
    guard problem == nil else { return }
    problem = error
    if seen.count < frame.channels.count { usableRows = 0 }
    if let rows { usableRows = min(usableRows, rows) }
  }

  /// Decodes a scan whose header has been found, T.81 B.2.3.
  ///
  /// - Returns: Where the next marker is to be looked for, or nil if nothing after can be read.
  private func readScan(_ payload: Range<Int>, at start: Int) throws(CoderError) -> Int? {
    scans += 1
    guard scans <= host.limits.maxScans else {
      throw .limitExceeded(.maxScans, found: scans, allowed: host.limits.maxScans, what: "a scan count of at least")
    }
    let count = payload.isEmpty ? 0 : Int(bytes[payload.lowerBound])
    guard (1...4).contains(count), payload.count >= 4 + 2 * count else {
      throw .malformed("a scan header of \(payload.count) bytes for \(count) channels", at: payload.lowerBound)
    }
    var channels: [(index: Int, tables: Int)] = []
    for number in 0..<count {
      let place = payload.lowerBound + 1 + 2 * number
      guard let index = frame.channels.firstIndex(where: { $0.identifier == bytes[place] }),
        !channels.contains(where: { $0.index == index })
      else { throw .malformed("a scan of channel \(bytes[place]), which the frame does not have", at: place) }
      channels.append((index, Int(bytes[place + 1])))
    }
    let rest = payload.lowerBound + 1 + 2 * count
    var position = start
    let parameters = (Int(bytes[rest]), Int(bytes[rest + 1]), Int(bytes[rest + 2]) >> 4, Int(bytes[rest + 2]) & 15)
    let rows =
      frame.process == .lossless
      ? try readLossless(channels, parameters, at: rest, &position)
      : try readTransform(channels, parameters, at: rest, &position)
    seen.formUnion(channels.map(\.index))
    guard let rows else { return position }
    let what = "scan \(scans) ends early, \(rows) of \(frame.size.height) rows are there"
    // After a first picture, what a later scan lacks makes rows coarse, and not missing.
    let isMissing = frame.process == .lossless || !frame.isProgressive
    note(
      position + 2 > bytes.count ? .truncated(what, at: bytes.count) : .malformed(what, at: position),
      rows: isMissing || seen.count < frame.channels.count ? rows : nil)
    return nil
  }

  /// - Returns: Rows of the picture that are there, or nil for all.
  private func readLossless(
    _ channels: [(index: Int, tables: Int)], _ parameters: (Int, Int, Int, Int), at place: Int,
    _ position: inout Int
  ) throws(CoderError) -> Int? {
    let (predictor, _, _, transform) = parameters
    guard (1...7).contains(predictor), transform < frame.precision else {
      throw .malformed("predictor \(predictor), 1 to 7 are allowed; point transform \(transform)", at: place)
    }
    var found: [(plane: SamplePlane, table: HuffmanTable)] = []
    for channel in channels {
      guard let table = tables.dc(channel.tables >> 4) else {
        throw .malformed("a scan by Huffman table \(channel.tables >> 4), which is not there", at: place)
      }
      found.append((samples[channel.index], table))
    }
    let scan = LosslessScan(
      channels: found, predictor: predictor, precision: frame.precision, pointTransform: transform,
      restartInterval: tables.restartInterval)
    let rows = try scan.decode(bytes, from: &position) { () throws(CoderError) in try checkCancelled() }
    if transform > 0 {
      for (plane, _) in found { plane.shift(by: transform) }
    }
    return rows < frame.size.height ? rows : nil
  }

  private func readTransform(
    _ channels: [(index: Int, tables: Int)], _ parameters: (Int, Int, Int, Int), at place: Int,
    _ position: inout Int
  ) throws(CoderError) -> Int? {
    let (first, last, high, low) = parameters
    guard first <= last, last < 64, low < 14, high <= 14, first == 0 || channels.count == 1,
      frame.isProgressive || first == 0 && last == 63 && high == 0 && low == 0
    else { throw .malformed("a scan of coefficients \(first) to \(last), bits \(high) and \(low)", at: place) }
    var found: [TransformScan.Channel] = []
    for channel in channels {
      let (dc, ac) = (tables.dc(channel.tables >> 4), tables.ac(channel.tables & 15))
      guard first > 0 || high > 0 || dc != nil, last == 0 || ac != nil else {
        throw .malformed("a scan by Huffman tables \(channel.tables.hex), which are not there", at: place)
      }
      let factors = frame.channels[channel.index]
      let size = frame.sampleSize(of: channel.index)
      found.append(
        TransformScan.Channel(
          plane: coefficients[channel.index], across: factors.horizontal, down: factors.vertical,
          columns: size.width.dividedUp(by: 8), rows: size.height.dividedUp(by: 8), dc: dc, ac: ac))
    }
    var scan = TransformScan(
      found, isProgressive: frame.isProgressive, band: first...last, high: high, low: low,
      restartInterval: tables.restartInterval)
    let units = frame.units
    var reader = EntropyReader(bytes, at: position)
    defer { position = reader.position }
    let rows = try scan.decode(&reader, columns: units.width, rows: units.height) { () throws(CoderError) in
      try checkCancelled()
    }
    let isAlone = channels.count == 1
    let all = isAlone ? found[0].rows : units.height
    guard rows < all else { return nil }
    // A row of blocks of a channel alone covers as much of the picture as its sampling says.
    let height = isAlone ? 8 * units.tallest / found[0].down : 8 * units.tallest
    return min(frame.size.height, max(0, rows * height - 1))
  }

  private func checkCancelled() throws(CoderError) {
    if host.isCancelled { throw .cancelled }
  }

  /// Turns coefficients into samples.
  private func conclude() throws(CoderError) {
    guard frame.process == .transform, usableRows > 0 else { return }
    let transform = InverseTransform(precision: frame.precision)
    for (index, plane) in coefficients.enumerated() {
      guard let table = tables.quantizer(frame.channels[index].quantizer)?.map(Float.init) else {
        throw .malformed("quantization table \(frame.channels[index].quantizer) is not there", at: 2)
      }
      let target = samples[index]
      let size = target.size
      try table.withUnsafeBufferPointer { (table) throws(CoderError) in
        guard let table = table.baseAddress else { return }
        for row in 0..<size.height.dividedUp(by: 8) {
          try checkCancelled()
          for column in 0..<size.width.dividedUp(by: 8) {
            transform.apply(
              plane.block(column, row), table, to: target.row(row * 8) + column * 8, stride: size.width,
              columns: min(8, size.width - column * 8), rows: min(8, size.height - row * 8))
          }
        }
      }
    }
  }
}

extension SamplePlane {
  /// Puts back the lower bits that a point transform has left out, as zeros.
  fileprivate func shift(by bits: Int) {
    for y in 0..<size.height {
      let row = row(y)
      for x in 0..<size.width { row[x] = row[x] << UInt16(bits) }
    }
  }
}

extension Int {
  fileprivate var hex: String { UInt8(truncatingIfNeeded: self).hex }
}
