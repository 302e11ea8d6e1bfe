// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The channels of a layer, each stored by itself: as it is, packed row by row after a table of lengths, or in a zlib stream.
final class LayerPlanes: StoredPlanes {
  /// A channel and how it is compressed.
  struct Stored {
    let channel: PSDLayer.Channel
    let compression: PSDFile.Compression

    var isInflated: Bool { compression == .zip || compression == .zipWithPrediction }

    init(_ channel: PSDLayer.Channel, in source: SourceView) throws(CoderError) {
      let stored = try source.reader(at: channel.place, count: 2, of: "a layer's channel").uint16(at: 0)
      guard let compression = PSDFile.Compression(rawValue: stored) else {
        throw .unsupported("compression \(stored) of a layer, 0 to 3 are known", at: channel.place)
      }
      self.channel = channel
      self.compression = compression
    }
  }

  private let source: SourceView
  private let header: PSDHeader
  private var planes: [Plane] = []

  private struct Plane {
    let compression: PSDFile.Compression
    /// Where the lengths of packed rows are.
    let table: Int
    /// Where the next row begins.
    var next: Int
    let end: Int
    /// The rows of a zlib stream.
    var inflated: InflatedBytes?
  }

  /// Memory for the channels in zlib streams, which are held.
  ///
  /// - Parameter header: Of the layer's size.
  static func memory(for channels: [Stored], _ header: PSDHeader) -> Int {
    let (one, isTooLarge) = header.rowBytes.multipliedReportingOverflow(by: header.canvas.height)
    let count = channels.count(where: \.isInflated)
    let (all, overflow) = InflatedBytes.memory(for: one).multipliedReportingOverflow(by: count)
    return count > 0 && (isTooLarge || overflow) ? .max : all
  }

  /// Inflates the channels in zlib streams.
  ///
  /// - Parameters:
  ///   - channels: Those that are read, in the order of planes; their memory is allowed.
  ///   - header: Of the layer's size.
  init(_ channels: [Stored], _ header: PSDHeader, in source: SourceView, host: CoderHost) throws(CoderError) {
    self.source = source
    self.header = header
    for stored in channels {
      let (channel, table) = (stored.channel, stored.channel.place + 2)
      let end = channel.place + channel.length
      let lengths = stored.compression == .packBits ? header.canvas.height * entryBytes : 0
      var plane = Plane(compression: stored.compression, table: table, next: table + lengths, end: end)
      if stored.isInflated {
        plane.inflated = try InflatedBytes(
          header.rowBytes * header.canvas.height, in: table..<max(table, end), of: source,
          name: "the samples of a layer's channel", host: host)
      }
      planes.append(plane)
    }
  }

  private var entryBytes: Int { header.isLarge ? 4 : 2 }

  var checksumProblem: CoderError? { planes.lazy.compactMap { $0.inflated?.checksumProblem }.first }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    let rowBytes = header.rowBytes
    if let inflated = planes[plane].inflated {
      return inflated.read(
        rows.count, at: rows.lowerBound * rowBytes, of: header,
        isPredicted: planes[plane].compression == .zipWithPrediction, to: target)
    }
    for (index, row) in rows.enumerated() {
      guard planes[plane].compression != .packBits else {
        guard let problem = try unpack(row, of: plane, to: target + index * rowBytes) else { continue }
        return ReadRows(count: index, problem: problem)
      }
      let start = planes[plane].table + row * rowBytes
      let bytes = try source.view(at: start, count: rowBytes)
      guard let base = bytes.baseAddress, bytes.count == rowBytes, start + rowBytes <= planes[plane].end else {
        return ReadRows(count: index, problem: problem(row, of: plane))
      }
      (target + index * rowBytes).update(from: base.assumingMemoryBound(to: UInt8.self), count: rowBytes)
    }
    return ReadRows(count: rows.count)
  }

  /// - Returns: Why there is no such row, or nil.
  private func unpack(
    _ row: Int, of plane: Int, to target: UnsafeMutablePointer<UInt8>
  ) throws(CoderError) -> CoderError? {
    let (rowBytes, start) = (header.rowBytes, planes[plane].next)
    let entry = try source.view(at: planes[plane].table + row * entryBytes, count: entryBytes)
    guard entry.count == entryBytes else { return problem(row, of: plane) }
    let length = entry.reduce(0) { $0 << 8 | Int($1) }
    let packed = try source.view(at: start, count: length)
    guard packed.count == length, start + length <= planes[plane].end else { return problem(row, of: plane) }
    let found = PackBits.unpack(packed, to: target, count: rowBytes)
    guard found == rowBytes else {
      return .malformed("row \(row) of channel \(plane + 1) of a layer has \(found) of \(rowBytes) bytes", at: start)
    }
    planes[plane].next = start + length
    return nil
  }

  private func problem(_ row: Int, of plane: Int) -> CoderError {
    .truncated("channel \(plane + 1) of a layer ends before row \(row)", at: min(source.size, planes[plane].end))
  }
}
