// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// The whole table of disposal and blending, on canvases of 4×4 pixels that are worked out by hand.
///
/// In the pictures: `.` nothing, `r` opaque red, `b` blue of alpha 128, `m` that blue over red, `g` opaque green.
@Suite struct CanvasTests {
  private static let palette: [Character: [UInt8]] = [
    ".": [0, 0, 0, 0], "r": [255, 0, 0, 255], "b": [0, 0, 255, 128], "g": [0, 255, 0, 255],
    // Weights 128 × 255 and 255 × 127 of 65,025: red 255 × 32,385 / 65,025 = 127, blue 255 × 32,640 / 65,025 = 128.
    "m": [127, 0, 128, 255],
  ]

  private var canvas: Canvas

  init() throws { canvas = try Canvas(size: Size(width: 4, height: 4), layout: PixelLayout(.rgba8, .straight)) }

  /// Draws a frame of one color.
  private func draw(
    _ color: Character, _ rect: Rect, disposal: FrameHeader.Disposal = .keep, blend: FrameHeader.Blend = .source
  ) throws {
    try canvas.begin(FrameHeader(rect: rect, disposal: disposal, blend: blend))
    let pixel = try #require(Self.palette[color])
    let target =
      try blend == .source
      ? canvas.region(rect) : PixelBuffer(size: rect.size, format: .rgba8, alpha: .straight)
    for y in 0..<rect.height {
      for x in 0..<rect.width { (target.row(y) + 4 * x).copyMemory(from: pixel, byteCount: 4) }
    }
    if blend == .over { canvas.blendOver(target, at: rect) }
  }

  /// The canvas as rows of the letters above; `?` for a pixel that has none.
  private var picture: [String] { (0..<4).map { canvas.pixels.withRow($0, Self.letters) } }

  private static func letters(_ row: UnsafeRawBufferPointer) -> String {
    var text = ""
    for x in 0..<4 {
      let pixel = Array(row[(4 * x)..<(4 * x + 4)])
      text.append(palette.first { $0.value == pixel }?.key ?? "?")
    }
    return text
  }

  private static let whole = Rect(x: 0, y: 0, width: 4, height: 4)
  private static let middle = Rect(x: 1, y: 1, width: 2, height: 2)
  private static let corner = Rect(x: 3, y: 3, width: 1, height: 1)

  @Test func beginsTransparent() { #expect(picture == ["....", "....", "....", "...."]) }

  @Test func sourceReplacesAlphaIncluded() throws {
    try draw("r", Self.whole)
    try draw("b", Self.middle, blend: .source)
    #expect(picture == ["rrrr", "rbbr", "rbbr", "rrrr"])
  }

  @Test func overCompositesByAlpha() throws {
    try draw("r", Self.whole)
    try draw("b", Self.middle, blend: .over)
    #expect(picture == ["rrrr", "rmmr", "rmmr", "rrrr"])
  }

  @Test func overNothingIsTheFrameItself() throws {
    try draw("b", Self.middle, blend: .over)
    #expect(picture == ["....", ".bb.", ".bb.", "...."])
  }

  @Test func overWithNothingChangesNothing() throws {
    try draw("r", Self.whole)
    try draw(".", Self.whole, blend: .over)
    #expect(picture == ["rrrr", "rrrr", "rrrr", "rrrr"])
  }

  @Test(arguments: [
    (FrameHeader.Disposal.keep, FrameHeader.Blend.source, ["rrrr", "rbbr", "rbbr", "rrrg"]),
    (.keep, .over, ["rrrr", "rmmr", "rmmr", "rrrg"]),
    (.restoreBackground, .source, ["rrrr", "r..r", "r..r", "rrrg"]),
    (.restoreBackground, .over, ["rrrr", "r..r", "r..r", "rrrg"]),
    (.restorePrevious, .source, ["rrrr", "rrrr", "rrrr", "rrrg"]),
    (.restorePrevious, .over, ["rrrr", "rrrr", "rrrr", "rrrg"]),
  ])
  func disposalComesBeforeTheNextFrame(
    _ disposal: FrameHeader.Disposal, _ blend: FrameHeader.Blend, _ expected: [String]
  ) throws {
    try draw("r", Self.whole)
    try draw("b", Self.middle, disposal: disposal, blend: blend)
    let shown = blend == .source ? ["rrrr", "rbbr", "rbbr", "rrrr"] : ["rrrr", "rmmr", "rmmr", "rrrr"]
    #expect(picture == shown, "a frame is shown whole, whatever becomes of it later")
    try draw("g", Self.corner)
    #expect(picture == expected)
  }

  @Test(arguments: [FrameHeader.Disposal.restoreBackground, .restorePrevious])
  func aFirstFrameThatGoesLeavesNothing(_ disposal: FrameHeader.Disposal) throws {
    try draw("r", Self.whole, disposal: disposal)
    try draw("g", Self.corner)
    #expect(picture == ["....", "....", "....", "...g"])
  }

  @Test func previousIsWhatWasBelowTheFrameAndNotTheOneBefore() throws {
    try draw("r", Self.whole)
    try draw("b", Self.middle, disposal: .restorePrevious)
    try draw("g", Self.corner, disposal: .restorePrevious)
    try draw("g", Rect(x: 0, y: 0, width: 1, height: 1))
    #expect(picture == ["grrr", "rrrr", "rrrr", "rrrr"])
  }

  @Test func resetForgetsWhatIsPending() throws {
    try draw("r", Self.whole, disposal: .restorePrevious)
    try canvas.reset()
    try draw("g", Self.corner)
    #expect(picture == ["....", "....", "....", "...g"])
  }

  @Test mutating func aCopyGoesOnByItself() throws {
    try draw("r", Self.whole)
    try draw("b", Self.middle, disposal: .restorePrevious)
    let saved = Canvas(sharing: canvas)
    try draw("g", Self.whole)
    canvas = Canvas(sharing: saved)
    #expect(picture == ["rrrr", "rbbr", "rbbr", "rrrr"])
    try draw("g", Self.corner)
    #expect(picture == ["rrrr", "rrrr", "rrrr", "rrrg"])
  }

  @Test func sixteenBitsCompositeByTheSameRule() throws {
    let deep = try Canvas(size: Size(width: 1, height: 1), layout: PixelLayout(.rgba16, .straight))
    let rect = Rect(x: 0, y: 0, width: 1, height: 1)
    func draw(_ samples: [UInt16]) throws {
      try deep.begin(FrameHeader(rect: rect, blend: .over))
      let frame = try PixelBuffer(size: rect.size, format: .rgba16, alpha: .straight)
      frame.row(0).copyMemory(from: samples, byteCount: 8)
      deep.blendOver(frame, at: rect)
    }
    try draw([65_535, 0, 0, 65_535])
    try draw([0, 0, 65_535, 32_768])
    let shown = deep.pixels.withRow(0) { Array($0.bindMemory(to: UInt16.self)) }
    // Weights 32,768 and 32,767 of 65,535.
    #expect(shown == [32_767, 0, 32_768, 65_535])
  }

  @Test(arguments: [PixelFormat.rgbaFloat16, .rgbaFloat32])
  func floatsKeepLightBeyondWhite(_ format: PixelFormat) throws {
    let size = Size(width: 2, height: 1)
    let deep = try Canvas(size: size, layout: PixelLayout(format, .straight))
    func draw(
      _ samples: [Double], _ rect: Rect, disposal: FrameHeader.Disposal = .keep, blend: FrameHeader.Blend = .over
    ) throws {
      try deep.begin(FrameHeader(rect: rect, disposal: disposal, blend: blend))
      let frame = try PixelBuffer(rect.size, floats: samples, format)
      if blend == .over { deep.blendOver(frame, at: rect) } else { try deep.region(rect).assign(from: frame) }
    }
    let (both, right) = (Rect(covering: size), Rect(x: 1, y: 0, width: 1, height: 1))
    try draw([8, 0, -0.5, 1, 2, 1, 0, 0.5], both, blend: .source)
    #expect(deep.pixels.samples == [8, 0, -0.5, 1, 2, 1, 0, 0.5])
    // Half over half: weights ½ and ¼ of ¾, so light 12 and 2 gives 26 / 3, in 16 bits to its ten bits, 1109 / 128.
    try draw([12, 4, 3, 0.5], right, disposal: .restorePrevious)
    let expected = format == .rgbaFloat32 ? Double(Float(26) / 3) : 1_109.0 / 128
    #expect(deep.pixels.samples == [8, 0, -0.5, 1, expected, 3, 2, 0.75])
    // What was there is back; then half over full is the mean of both.
    try draw([4, 2, 1.5, 0.5], Rect(x: 0, y: 0, width: 1, height: 1), disposal: .restoreBackground)
    #expect(deep.pixels.samples == [6, 1, 0.5, 1, 2, 1, 0, 0.5])
    // The background is nothing, over which a frame is itself. Alpha of nothing, or that is no number, changes nothing.
    try draw([4, 2, 1.5, 0.25, 9, 9, 9, 0], both)
    #expect(deep.pixels.samples == [4, 2, 1.5, 0.25, 2, 1, 0, 0.5])
    try draw([9, 9, 9, .nan, 9, 9, 9, 1], both)
    #expect(deep.pixels.samples == [4, 2, 1.5, 0.25, 9, 9, 9, 1])
  }
}
