// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

/// The bits per channel that a writer is asked to store.
public enum BitDepth: String, CaseIterable, Sendable {
  case automatic = "auto"
  case bits8 = "8"
  case bits10 = "10"
  case bits12 = "12"

  /// Bits per channel, or nil.
  public var bits: Int? { Int(rawValue) }
}

extension CoderOption where Value == BitDepth {
  /// Bits per channel of the stored samples.
  public static func bitDepth() -> CoderOption {
    .choice(
      "bit-depth", default: BitDepth.automatic,
      "Bits per channel; auto takes 8 for 8-bit pictures, 12 for those of 11 and 12 bits, 10 for other deep ones.")
  }
}

extension PixelView {
  /// The bits per channel under which a picture is stored.
  ///
  /// - Parameters:
  ///   - requested: What ``BitDepth`` says.
  ///   - stated: What samples of 16 bits are said to hold.
  ///   - fixed: The bits of the frames before it, which a lossless picture has to have too, or nil.
  ///   - isLossless: Whether every sample stays as it is.
  ///   - mayRound: Whether samples of 16 bits may be rounded even in a lossless file.
  /// - Returns: nil when no depth keeps the samples.
  /// - Throws: ``CoderError/Code/unsupported`` for 8-bit samples that would not stay as they are.
  public func bitsToStore(
    requested: Int?, stated: Int, fixed: Int? = nil, isLossless: Bool, mayRound: Bool
  ) throws(CoderError) -> Int? {
    guard layout.format.bytesPerChannel == 2 else {
      guard !isLossless || requested ?? 8 == 8 else {
        throw .unsupported("bit-depth of \(requested ?? 8) for 8-bit samples that are to stay as they are")
      }
      return requested ?? 8
    }
    let nearest = requested ?? (stated == 11 || stated == 12 ? 12 : 10)
    guard isLossless, !mayRound else { return nearest }
    // 10 bits, then 12, or the other way round.
    return [nearest, 22 - nearest].first { bits in
      (fixed ?? requested ?? bits) == bits && holdsSamples(ofBits: bits)
    }
  }
}
