// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// What a sequence parameter set says of its pictures (ITU-T H.265 §7.3.2.2), as far as memory depends on it.
struct SequenceParameters: Equatable {
  /// Of the coded picture, before the conformance window.
  let codedSize: Size
  /// Of the picture that comes out.
  let size: Size
  let chroma: ChromaFormat
  let lumaBits: Int
  let chromaBits: Int
  /// The side of a coding tree block: 16, 32 or 64.
  let blockSide: Int

  /// H.265 §6.2.
  enum ChromaFormat: Int {
    case monochrome = 0
    case half = 1
    case halfWidth = 2
    case full = 3

    /// Columns that share a chroma sample.
    var width: Int { self == .half || self == .halfWidth ? 2 : 1 }
    /// Rows that share a chroma sample.
    var height: Int { self == .half ? 2 : 1 }

    var subsampling: Subsampling {
      switch self {
      case .monochrome: .s400
      case .half: .s420
      case .halfWidth: .s422
      case .full: .s444
      }
    }
  }

  /// Bytes that libde265 takes while it decodes a picture, an estimate from above.
  var decodingMemory: Int {
    let sample = max(lumaBits, chromaBits) > 8 ? 2 : 1
    let pixels = codedSize.pixelCount
    let planes = chroma == .monochrome ? 1 : chroma == .half ? 2 : 3
    // The picture, its copy for sample adaptive offset, and what is kept for each block of 4 × 4 and 8 × 8.
    return (1 << 20) &+ pixels &* (2 &* planes &* sample &+ 3)
  }

  /// - Parameter unit: A NAL unit of type 33, with its header of two bytes.
  init(parsing unit: UnsafeRawBufferPointer, at offset: Int) throws(CoderError) {
    var bits = BitReader(unit, skipping: 2, at: offset)
    _ = try bits.read(4)  // sps_video_parameter_set_id
    let layers = try bits.read(3)  // sps_max_sub_layers_minus1
    _ = try bits.read(1)  // sps_temporal_id_nesting_flag
    try Self.skipProfile(&bits, layers: layers)
    _ = try bits.exponential()  // sps_seq_parameter_set_id
    let format = try bits.exponential()
    guard let chroma = ChromaFormat(rawValue: format) else {
      throw .malformed("chroma format \(format), 3 is the last", at: offset)
    }
    if chroma == .full, try bits.read(1) == 1 {
      throw .unsupported("color planes that are coded apart", at: offset)
    }
    let width = try bits.exponential()
    let height = try bits.exponential()
    var window = [0, 0, 0, 0]
    if try bits.read(1) == 1 {
      for side in 0..<4 { window[side] = try bits.exponential() }
    }
    let luma = try bits.exponential() &+ 8
    let chromaDepth = try bits.exponential() &+ 8
    guard luma <= 16, chromaDepth <= 16 else {
      throw .malformed("samples of \(max(luma, chromaDepth)) bits, 16 are allowed", at: offset)
    }
    // Exponential-Golomb numbers here are below 2³², so that sums and products stay inside 64 bits.
    let size = Size(
      width: width - chroma.width * (window[0] + window[1]), height: height - chroma.height * (window[2] + window[3]))
    guard !size.isEmpty, width <= 1 << 16, height <= 1 << 16 else {
      throw .malformed("a coded picture of \(width)×\(height) with a window of \(size)", at: offset)
    }
    _ = try bits.exponential()  // log2_max_pic_order_cnt_lsb_minus4
    let first = try bits.read(1) == 1 ? 0 : layers
    for _ in first...layers {
      for _ in 0..<3 { _ = try bits.exponential() }  // sizes of the decoded picture buffer
    }
    let smallest = try bits.exponential() &+ 3
    let largest = smallest &+ (try bits.exponential())
    guard (4...6).contains(largest) else {
      throw .malformed("coding tree blocks of 2^\(largest) samples, 2^4 to 2^6 are allowed", at: offset)
    }
    // H.265 §7.4.3.2.1: whole coding blocks.
    guard width & ((1 << smallest) - 1) == 0, height & ((1 << smallest) - 1) == 0 else {
      throw .malformed("a coded picture of \(width)×\(height) in blocks of \(1 << smallest)", at: offset)
    }
    let transform = try bits.exponential() &+ 2
    let largestTransform = transform &+ (try bits.exponential())
    let depth = max(try bits.exponential(), try bits.exponential())  // max_transform_hierarchy_depth
    guard transform < smallest, largestTransform <= min(largest, 5), depth <= largest - transform else {
      throw .malformed("transforms of 2^\(transform) to 2^\(largestTransform) in \(depth) steps", at: offset)
    }
    blockSide = 1 << largest
    codedSize = Size(width: width, height: height)
    self.size = size
    self.chroma = chroma
    lumaBits = luma
    chromaBits = chroma == .monochrome ? luma : chromaDepth
  }

  /// H.265 §7.3.3.
  private static func skipProfile(_ bits: inout BitReader, layers: Int) throws(CoderError) {
    try bits.skip(88)  // general profile
    try bits.skip(8)  // general_level_idc
    guard layers > 0 else { return }
    var present: [(profile: Bool, level: Bool)] = []
    for _ in 0..<layers { present.append((try bits.read(1) == 1, try bits.read(1) == 1)) }
    if layers < 8 { try bits.skip(2 * (8 - layers)) }
    for layer in present {
      if layer.profile { try bits.skip(88) }
      if layer.level { try bits.skip(8) }
    }
  }
}

/// The bits of a NAL unit's payload, highest first, without the bytes that prevent start codes (H.265 §7.4.2).
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private let offset: Int
  private var next: Int
  private var current: UInt8 = 0
  private var bitsLeft = 0
  private var zeros = 0

  /// - Parameter offset: Of the unit in the file, for errors.
  init(_ bytes: UnsafeRawBufferPointer, skipping first: Int, at offset: Int) {
    self.bytes = bytes
    self.offset = offset
    next = first
  }

  private mutating func bit() throws(CoderError) -> Int {
    if bitsLeft == 0 {
      if zeros >= 2, next < bytes.count, bytes[next] == 3 {
        zeros = 0
        next += 1
      }
      guard next < bytes.count else {
        throw .malformed("a parameter set of \(bytes.count) bytes ends early", at: offset)
      }
      current = bytes[next]
      zeros = current == 0 ? zeros + 1 : 0
      next += 1
      bitsLeft = 8
    }
    bitsLeft -= 1
    return Int(current >> UInt8(bitsLeft) & 1)
  }

  mutating func skip(_ count: Int) throws(CoderError) {
    for _ in 0..<count { _ = try bit() }
  }

  /// - Parameter count: At most 32.
  mutating func read(_ count: Int) throws(CoderError) -> Int {
    var value = 0
    for _ in 0..<count { value = value << 1 | (try bit()) }
    return value
  }

  /// A number ue(v) (H.265 §9.2), below 2³².
  mutating func exponential() throws(CoderError) -> Int {
    var zeros = 0
    while try bit() == 0 {
      zeros += 1
      guard zeros <= 31 else { throw .malformed("a number of more than 32 bits in a parameter set", at: offset) }
    }
    return (1 << zeros) - 1 + (try read(zeros))
  }
}
