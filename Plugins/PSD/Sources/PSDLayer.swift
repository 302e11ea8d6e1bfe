// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A layer as its record describes it, or a marker of a group of layers.
///
/// - Format: Adobe Photoshop File Formats Specification, "Layer records" and "Channel image data".
struct PSDLayer {
  /// What stands between layers ("Section divider setting").
  enum Marker: Int {
    case openGroup = 1
    case closedGroup = 2
    /// Below the lowest layer of a group.
    case end = 3
  }

  struct Channel {
    /// 0, 1, … are colors, -1 is transparency, and less are masks.
    let id: Int
    /// With its compression.
    let length: Int
    /// Where it begins in the file.
    var place = 0
  }

  /// On the canvas, and perhaps beyond it.
  var rect = Rect(x: 0, y: 0, width: 0, height: 0)
  var channels: [Channel] = []
  var blendMode = FourCC("norm")
  /// 0 to 255.
  var opacity = 255
  var isVisible = true
  var name = ""
  var marker: Marker?
  /// The names of the groups that it is in, from the outermost one.
  var groups: [String] = []

  /// Whether it has pixels: layers of text and shapes have, those that only change others have not.
  var isPicture: Bool { marker == nil && rect.width > 0 && rect.height > 0 }

  var hasAlpha: Bool { channels.contains { $0.id == -1 } }

  /// The layers with pixels, from the lowest one up, each with its groups. A group's own record is above its layers.
  static func pictures(in records: [PSDLayer]) -> [PSDLayer] {
    var groups: [String] = []
    var pictures: [PSDLayer] = []
    for record in records.reversed() {
      switch record.marker {
      case .openGroup?, .closedGroup?: groups.append(record.name)
      case .end?: _ = groups.popLast()
      case nil:
        guard record.isPicture else { continue }
        var picture = record
        picture.groups = groups
        pictures.append(picture)
      }
    }
    return pictures.reversed()
  }

  /// The word for a blend mode, or its key ("Blend mode key").
  var blendWord: String { Self.blendWords[blendMode] ?? "\(blendMode)" }

  private static let blendWords: [FourCC: String] = [
    FourCC("norm"): "normal", FourCC("diss"): "dissolve", FourCC("dark"): "darken", FourCC("mul "): "multiply",
    FourCC("idiv"): "color burn", FourCC("lbrn"): "linear burn", FourCC("lite"): "lighten", FourCC("scrn"): "screen",
    FourCC("div "): "color dodge", FourCC("lddg"): "linear dodge", FourCC("over"): "overlay",
    FourCC("sLit"): "soft light", FourCC("hLit"): "hard light", FourCC("diff"): "difference",
    FourCC("smud"): "exclusion", FourCC("fsub"): "subtract", FourCC("fdiv"): "divide", FourCC("hue "): "hue",
    FourCC("sat "): "saturation", FourCC("colr"): "color", FourCC("lum "): "luminosity",
  ]
}

/// The channels of a layer, each stored by itself: as it is, or packed row by row after a table of lengths.
final class LayerPlanes: StoredPlanes {
  private let source: SourceView
  private let header: PSDHeader
  private var planes: [Plane] = []

  private struct Plane {
    let isPacked: Bool
    /// Where the lengths of packed rows are.
    let table: Int
    /// Where the next row begins.
    var next: Int
    let end: Int
  }

  /// - Parameters:
  ///   - header: Of the layer's size.
  ///   - channels: Those that are read, in the order of planes.
  /// - Throws: ``CoderError/Code/unsupported`` for channels in zlib streams.
  init(_ channels: [PSDLayer.Channel], _ header: PSDHeader, in source: SourceView) throws(CoderError) {
    self.source = source
    self.header = header
    for channel in channels {
      let stored = try source.reader(at: channel.place, count: 2, of: "a layer's channel").uint16(at: 0)
      guard let compression = PSDFile.Compression(rawValue: stored), compression == .raw || compression == .packBits
      else { throw .unsupported("compression \(stored) of a layer, 0 and 1 are read", at: channel.place) }
      let table = channel.place + 2
      let isPacked = compression == .packBits
      planes.append(
        Plane(
          isPacked: isPacked, table: table, next: table + (isPacked ? header.canvas.height * entryBytes : 0),
          end: channel.place + channel.length))
    }
  }

  private var entryBytes: Int { header.isLarge ? 4 : 2 }

  func read(_ rows: Range<Int>, of plane: Int, to target: UnsafeMutablePointer<UInt8>) throws(CoderError) -> ReadRows {
    let rowBytes = header.rowBytes
    for (index, row) in rows.enumerated() {
      guard !planes[plane].isPacked else {
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
