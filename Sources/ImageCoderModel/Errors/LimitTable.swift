// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension Limits {
  /// What there is to know of one limit.
  package struct Row: Sendable {
    package let name: Name
    /// The property that holds it.
    package let property: any WritableKeyPath<Limits, Int> & Sendable
    package let unit: Unit
    /// Its number in the plugin interface, `IMGCODER_LIMIT_*`; 0 for a limit that no plugin knows.
    package let number: UInt32
    /// What it bounds, as help and the schema of policies say it.
    package let summary: String

    fileprivate init(
      _ name: Name, _ property: any WritableKeyPath<Limits, Int> & Sendable, unit: Unit = .count, number: Int = 0,
      summary: String
    ) {
      self.name = name
      self.property = property
      self.unit = unit
      self.number = UInt32(number)
      self.summary = summary
    }

    /// The field of `imgcoder_limits` in C: `max_pixels`.
    package var field: String {
      name.rawValue.reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
  }

  /// What a limit counts in.
  package enum Unit: Sendable { case count, bytes, milliseconds }

  /// All limits, in the order of the properties. Options and help of the command, policies and
  /// messages are made of this table; tests compare the schema of policies and `imgcoder/types.h` with it.
  package static let table = [
    Row(.maxPixels, \.maxPixels, number: IMGCODER_LIMIT_PIXELS, summary: "Pixels of one canvas."),
    Row(.maxSide, \.maxSide, number: IMGCODER_LIMIT_SIDE, summary: "Pixels of either side of a canvas."),
    Row(
      .maxMemory, \.maxMemory, unit: .bytes, number: IMGCODER_LIMIT_MEMORY,
      summary: "Bytes that one decode holds at a time."),
    Row(.maxFrames, \.maxFrames, number: IMGCODER_LIMIT_FRAMES, summary: "Frames of one animation."),
    Row(
      .maxMetadata, \.maxMetadata, unit: .bytes, number: IMGCODER_LIMIT_METADATA,
      summary: "Bytes of one metadata block, inflated."),
    Row(.maxPages, \.maxPages, number: IMGCODER_LIMIT_PAGES, summary: "Pages of one file."),
    Row(.maxScans, \.maxScans, number: IMGCODER_LIMIT_SCANS, summary: "Passes over one picture."),
    Row(
      .maxComposedPixels, \.maxComposedPixels,
      summary: "Pixels of an animation's frames, each as large as the canvas."),
    Row(
      .maxMilliseconds, \.maxMilliseconds, unit: .milliseconds,
      summary: "Milliseconds that one call of a decoder may take."),
    Row(.maxReads, \.maxReads, summary: "Reads of a file by one call: boxes, chunks, strips, lines."),
    Row(
      .maxInflated, \.maxInflated, unit: .bytes, number: IMGCODER_LIMIT_INFLATED,
      summary: "Bytes that one call may inflate, of pixels and metadata."),
  ]

  /// A limit by its name; nil for a name that ``table`` does not have.
  package subscript(name: Name) -> Int? {
    get { name.row.map { self[keyPath: $0.property] } }
    set { if let row = name.row, let newValue { self[keyPath: row.property] = newValue } }
  }
}

extension Limits.Name {
  /// The row of a limit; nil for one that is no property of ``Limits``.
  package var row: Limits.Row? { Limits.table.first { $0.name == self } }

  /// The limit with this number in the plugin interface; nil for 0 and for numbers of later versions.
  package init?(number: UInt32) {
    guard number != 0, let row = Limits.table.first(where: { $0.number == number }) else { return nil }
    self = row.name
  }

  /// Its number in the plugin interface; 0 for a limit that no plugin knows.
  package var number: UInt32 { row?.number ?? 0 }
}
