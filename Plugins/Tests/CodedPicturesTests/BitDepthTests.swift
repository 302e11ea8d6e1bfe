// SPDX-License-Identifier: Apache-2.0

import CodedPictures
import ImageCoderPlugin
import Testing

@Suite struct BitDepthTests {
  /// The bits under which one gray sample is stored.
  private func bits(
    of sample: UInt16, _ format: PixelFormat = .gray16, requested: Int? = nil, stated: Int = 16, fixed: Int? = nil,
    isLossless: Bool = false, mayRound: Bool = false
  ) throws -> Int? {
    try withUnsafeBytes(of: sample) { memory in
      let base = try #require(memory.baseAddress)
      let pixels = PixelView(
        layout: PixelLayout(format, .opaque), size: Size(width: 1, height: 1), base: base, stride: 2)
      return try pixels.bitsToStore(
        requested: requested, stated: stated, fixed: fixed, isLossless: isLossless, mayRound: mayRound)
    }
  }

  @Test func theWordsAreTheBits() {
    #expect(BitDepth.allCases.map(\.rawValue) == ["auto", "8", "10", "12"])
    #expect(BitDepth.allCases.map(\.bits) == [nil, 8, 10, 12])
    #expect(CoderOption<BitDepth>.bitDepth().defaultValue == .automatic)
  }

  @Test func lossyPicturesHaveTheBitsAskedForOrTheNearest() throws {
    #expect(try bits(of: 1, .gray8) == 8)
    #expect(try bits(of: 1, .gray8, requested: 12) == 12)
    #expect(try bits(of: 1) == 10)
    #expect(try bits(of: 1, stated: 11) == 12)
    #expect(try bits(of: 1, stated: 12) == 12)
    #expect(try bits(of: 1, requested: 8, stated: 12) == 8)
  }

  /// 705 is 11 of 1,023 scaled to 16 bits, and 16 is 1 of 4,095; 64 is 1 of 1,023 and 4 of 4,095.
  @Test func losslessPicturesHaveBitsThatKeepEverySample() throws {
    #expect(try bits(of: 705, isLossless: true) == 10)
    #expect(try bits(of: 16, isLossless: true) == 12)
    #expect(try bits(of: 64, isLossless: true) == 10)
    #expect(try bits(of: 64, stated: 12, isLossless: true) == 12)
    #expect(try bits(of: 705, stated: 12, isLossless: true) == 10)
    #expect(try bits(of: 65_535, stated: 12, isLossless: true) == 12)
    #expect(try bits(of: 1, isLossless: true) == nil)
    #expect(try bits(of: 16, requested: 10, isLossless: true) == nil)
    #expect(try bits(of: 705, fixed: 12, isLossless: true) == nil)
    #expect(try bits(of: 1, isLossless: true, mayRound: true) == 10)
  }

  @Test func losslessSamplesOf8BitsStayAtThem() throws {
    #expect(try bits(of: 1, .gray8, requested: 8, isLossless: true) == 8)
    let error = #expect(throws: CoderError.self) { try bits(of: 1, .gray8, requested: 10, isLossless: true) }
    #expect(error?.code == .unsupported)
  }
}

@Suite struct ChromaOptionTests {
  private static let option = CoderOption<Subsampling>.chroma()
  private static let choices = [Subsampling.s420, .s422, .s444, .s400]

  private func chroma(_ index: Int?, isLossless: Bool) throws -> Subsampling {
    var options = WriteOptions(format: .avif)
    options.isLossless = isLossless
    if let index { options.values[Self.option.name] = .number(Double(index)) }
    return try options.chroma(Self.option)
  }

  @Test func lossyFilesHaveWhatIsAskedFor() throws {
    #expect(try chroma(nil, isLossless: false) == .s420)
    for (index, choice) in Self.choices.enumerated() { #expect(try chroma(index, isLossless: false) == choice) }
  }

  @Test func losslessFilesHaveAllChromaOrNone() throws {
    #expect(try chroma(nil, isLossless: true) == .s444)
    #expect(try chroma(2, isLossless: true) == .s444)
    #expect(try chroma(3, isLossless: true) == .s400)
    for index in [0, 1] {
      let error = #expect(throws: CoderError.self) { try chroma(index, isLossless: true) }
      #expect(error?.code == .unsupported)
    }
  }
}
