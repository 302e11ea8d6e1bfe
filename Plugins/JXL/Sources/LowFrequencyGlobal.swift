// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What all low-frequency groups of a VarDCT frame have in common (ISO/IEC 18181-1 §G.1).
struct LowFrequencyGlobal {
  /// What a step of a quantized sample is, in the order X, Y, B or Cb, Y, Cr.
  private(set) var steps: [Float] = []
  /// How much of Y is in X and in B.
  private(set) var xFactor: Float = 0
  private(set) var bFactor: Float = 0
  private(set) var tree: ContextTree?

  private static let noise: UInt64 = 1

  /// - Parameters:
  ///   - bits: The first section; the first low-frequency group follows in a frame of one section.
  ///   - layout: Of a frame without patches, splines and extra channels.
  init(parsing bits: inout CodeBits, _ layout: FrameLayout) throws(CoderError) {
    // Noise has no low frequencies.
    if layout.flags & Self.noise != 0 { bits.skip(8 * 10) }
    let weights = try Self.weights(&bits)
    let globalScale = bits.u32([(11, 1), (11, 2049), (12, 4097), (16, 8193)])
    let scale = bits.u32([(0, 16), (5, 1), (8, 1), (16, 1)])
    steps = weights.map { 65_536 / Float(globalScale) / Float(scale) / $0 }
    guard steps.allSatisfy({ $0.isFinite && $0 > 0 }) else { throw .malformed("quantizers of 0 and of infinity") }
    try Self.skipBlockContexts(&bits)
    try readCorrelation(&bits)
    // §H.4.2: the samples of three channels decide how large a tree may be.
    let (pixels, overflow) = layout.size.width.multipliedReportingOverflow(by: layout.size.height)
    if bits.flag() { tree = try ContextTree(parsing: &bits, most: overflow ? .max : 1024 + pixels / 16 * 3) }
    try bits.check("the global section")
  }

  /// Into how many steps a sample of each plane is divided (§G.1.2).
  static func weights(_ bits: inout CodeBits) throws(CoderError) -> [Float] {
    var weights: [Float] = [4096, 512, 256]
    guard !bits.flag() else { return weights }
    for channel in 0..<3 { weights[channel] = 128 / (try float(&bits)) }
    return weights
  }

  private static func float(_ bits: inout CodeBits) throws(CoderError) -> Float {
    guard let value = bits.float16() else { throw .malformed("a quantizer that is no number") }
    return value
  }

  /// HF block context (§I.2.2), which only high frequencies use.
  private static func skipBlockContexts(_ bits: inout CodeBits) throws(CoderError) {
    guard !bits.flag() else { return }
    var count = 1
    for _ in 0..<3 {
      let thresholds = bits.bits(4)
      for _ in 0..<thresholds { _ = bits.u32([(4, 0), (8, 16), (16, 272), (32, 65_808)]) }
      count *= thresholds + 1
    }
    let thresholds = bits.bits(4)
    for _ in 0..<thresholds { _ = bits.u32([(2, 0), (3, 4), (5, 12), (8, 44)]) }
    count *= thresholds + 1
    guard count <= 64 else { throw .malformed("\(count) contexts of blocks, 64 is the most") }
    _ = try EntropyCode.clusters(&bits, contextCount: 39 * count)
  }

  /// LF channel correlation (§G.1.4 and §I.2.3).
  private mutating func readCorrelation(_ bits: inout CodeBits) throws(CoderError) {
    (xFactor, bFactor) = (0, 1)
    guard !bits.flag() else { return }
    let factor = Float(bits.u32([(0, 84), (0, 256), (8, 2), (16, 258)]))
    xFactor = try Self.float(&bits)
    bFactor = try Self.float(&bits)
    xFactor += Float(bits.bits(8) - 128) / factor
    bFactor += Float(bits.bits(8) - 128) / factor
  }
}
