// SPDX-License-Identifier: Apache-2.0

import ISOBaseMediaFile
import ImageCoderPlugin

/// How large tables may be, so that libavif, which searches them from the start each time, stays quick.
enum TableBounds {
  /// Items of a meta box, and a grid's tiles.
  private static let items = 1 << 11
  /// Bytes of references: two tables of 16-bit numbers for as many items.
  private static let referenceBytes = 1 << 17
  /// Bytes of associations; libavif copies a property for each byte.
  private static let associationBytes = 1 << 17
  private static let properties = 1 << 16
  /// Steps to find the samples of every chunk.
  private static let chunkSteps = 1 << 28

  static func check(meta: Box, in bytes: FileBytes) throws(CoderError) {
    for box in bytes.children(of: meta, skipping: 4) {
      let isLong = bytes.uint8(at: box.content) ?? 0 > 0
      switch box.type {
      case .itemInformation:
        let count = isLong ? Int(bytes.uint32(at: box.fullContent) ?? 0) : bytes.uint16(at: box.fullContent) ?? 0
        try check(count, items, "items", at: box)
      case .itemLocation:
        let isVersion2 = bytes.uint8(at: box.content) == 2
        let place = box.fullContent + 2
        try check(
          isVersion2 ? Int(bytes.uint32(at: place) ?? 0) : bytes.uint16(at: place) ?? 0, items, "places of items",
          at: box)
      case .itemReference: try check(box.end - box.content, referenceBytes, "bytes of references", at: box)
      case .itemProperties:
        for table in bytes.children(of: box) {
          if table.type == .propertyAssociation {
            try check(table.end - table.content, associationBytes, "bytes of associations", at: table)
          } else {
            var count = 0
            for _ in bytes.children(of: table) { count += 1 }
            try check(count, properties, "properties", at: table)
          }
        }
      default: break
      }
    }
  }

  static func check(movie: Box, in bytes: FileBytes) throws(CoderError) {
    for track in bytes.children(of: movie) where track.type == .track {
      if let meta = bytes.child(.meta, of: track) { try check(meta: meta, in: bytes) }
      guard let media = bytes.child(.media, of: track),
        let information = bytes.child(.mediaInformation, of: media),
        let samples = bytes.child(.sampleTable, of: information)
      else { continue }
      func entries(_ type: FourCC) -> Int {
        let counts = bytes.children(of: samples).filter { $0.type == type }.map { box in
          min(Int(bytes.uint32(at: box.fullContent) ?? 0), (box.end - box.content) / 4)
        }
        return counts.reduce(0, +)
      }
      let steps = (entries(.chunkOffset) + entries(.largeChunkOffset)).multipliedReportingOverflow(
        by: entries(.sampleToChunk))
      try check(
        steps.overflow ? .max : steps.partialValue, chunkSteps, "steps to find each chunk's samples", at: samples)
    }
  }

  private static func check(_ found: Int, _ allowed: Int, _ what: String, at box: Box) throws(CoderError) {
    guard found <= allowed else { throw .unsupported("\(found) \(what), \(allowed) are read", at: box.start) }
  }
}
