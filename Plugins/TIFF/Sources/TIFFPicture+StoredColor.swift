// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension TIFFPicture {
  /// What the directory says of colors: WhitePoint, PrimaryChromaticities and TransferFunction (TIFF 6.0 §20), and whether
  /// it has inks. If one of the three is not as it should be, none of them counts.
  func storedColor() throws(CoderError) -> StoredColor {
    var stored = StoredColor()
    guard [.rgb, .palette, .yCbCr].contains(samples.photometric) else { return stored }
    let isStated = [Tag.whitePoint, Tag.primaryChromaticities, Tag.transferFunction].map { directory[$0] != nil }
    let white = try directory.reals(Tag.whitePoint, limit: 3) ?? []
    let colors = try directory.reals(Tag.primaryChromaticities, limit: 7) ?? []
    let curves = isStated[2] ? try transferFunction() : []
    guard isStated[0] == isStated[1], !isStated[0] || white.count == 2 && colors.count == 6,
      !isStated[2] || curves.count == 3
    else { return stored }
    if isStated[0] {
      stored.primaries = StoredColor.Primaries(
        red: SIMD2(colors[0], colors[1]), green: SIMD2(colors[2], colors[3]), blue: SIMD2(colors[4], colors[5]),
        white: SIMD2(white[0], white[1]))
    }
    stored.curves = curves
    return stored
  }

  /// Whether rows of four inks can be delivered. Inks that are multiplied by alpha cannot: nothing says which of paper
  /// and ink is.
  var hasInks: Bool {
    samples.photometric == .separated && samples.alphaMode != .premultiplied && samples.number != .signed
  }

  /// One curve for all three colors, or three; each has an entry for each value of a sample. None if they do not rise.
  private func transferFunction() throws(CoderError) -> [[UInt16]] {
    guard samples.bits <= 16, let entry = directory[Tag.transferFunction], directory.isWhole(entry) else { return [] }
    let count = 1 << samples.bits
    guard count >= 2, entry.count == count || entry.count == 3 * count,
      let stored = try directory.numbers(Tag.transferFunction, limit: 3 * count), stored.count == entry.count
    else { return [] }
    let entries = stored.map { UInt16(clamping: $0) }
    let curves = (0..<3).map { index in
      Array(entries.count == count ? entries[...] : entries[(index * count)..<((index + 1) * count)])
    }
    let rises = curves.allSatisfy { curve in
      zip(curve, curve.dropFirst()).allSatisfy { $0 <= $1 } && (curve.last ?? 0) > (curve.first ?? 0)
    }
    return rises ? curves : []
  }
}
