// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

extension CoderOption where Value == Subsampling {
  /// The subsampling that HEVC and AV1 have: all but 4:4:0 and 4:1:1.
  public static func chroma() -> CoderOption {
    .subsampling([.s420, .s422, .s444, .s400], default: .s420)
  }
}

extension WriteOptions {
  /// The subsampling under which pictures are stored: a lossless file has all of its chroma, or none.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for a lossless file that is to have less chroma.
  public func chroma(_ option: CoderOption<Subsampling>) throws(CoderError) -> Subsampling {
    guard isLossless else { return self[option] }
    let requested = given(option) ?? .s444
    guard requested == .s444 || requested == .s400 else {
      throw .unsupported("subsampling in a file that keeps every sample")
    }
    return requested
  }
}
