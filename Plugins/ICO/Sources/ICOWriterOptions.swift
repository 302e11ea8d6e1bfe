// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The wishes that the writer follows.
struct ICOWriterOptions {
  static let descriptions = [
    OptionDescription(
      name: "hot-spot-x", text: "column of the pixel that a cursor points with, from the left",
      kind: .integer(0...255, default: 0)),
    OptionDescription(
      name: "hot-spot-y", text: "row of the pixel that a cursor points with, from the top",
      kind: .integer(0...255, default: 0)),
  ]

  /// Of cursors only.
  let hotSpot: (x: Int, y: Int)

  init(_ options: WriteOptions) {
    func number(_ name: String) -> Int { min(255, max(0, Int(exactly: options.values[name] ?? 0) ?? 0)) }
    hotSpot = (number("hot-spot-x"), number("hot-spot-y"))
  }
}
