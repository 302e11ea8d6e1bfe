// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The wishes that the writer follows.
struct BMPWriterOptions {
  static let descriptions = [
    OptionDescription(
      name: "bottom-up", text: "store rows from the bottom up, as every reader expects them",
      kind: .boolean(default: true)),
    OptionDescription(
      name: "palette", text: "store opaque pictures of at most 256 colours as indexes of 8 bits",
      kind: .boolean(default: false)),
    OptionDescription(
      name: "rle", text: "compress indexes and gray pictures as runs (RLE8); includes palette",
      kind: .boolean(default: false)),
  ]

  let isBottomUp: Bool
  let wantsPalette: Bool
  let wantsRuns: Bool

  init(_ options: WriteOptions) throws(CoderError) {
    func isSet(_ name: String, _ usual: Bool) -> Bool { options.values[name].map { $0 != 0 } ?? usual }
    isBottomUp = isSet("bottom-up", true)
    wantsRuns = isSet("rle", false)
    wantsPalette = isSet("palette", false) || wantsRuns
    guard isBottomUp || !wantsRuns else {
      throw .invalidArgument("rle with bottom-up off, and runs are stored from the bottom up only")
    }
  }
}
