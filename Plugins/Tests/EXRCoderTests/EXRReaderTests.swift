// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin
import Testing

@testable import EXRCoder

@Suite struct EXRReaderTests {
  private static let rows = SmallFile(chunks: SmallFile.rows([1, 2, 3]))

  @Test func readsRowsOfSamples() throws {
    let (samples, rows, problem) = try Self.rows.decoded()
    #expect(samples == [1, 1, 2, 2, 3, 3] && rows == 3 && problem == nil)
  }

  @Test func damagedRowsAreEmptyWhereOthersFollow() throws {
    var file = Self.rows
    file.chunks[1].place = [2]
    let (samples, rows, problem) = try file.decoded()
    #expect(samples == [1, 1, 0, 0, 3, 3] && rows == 3)
    #expect(problem?.code == .malformed)
  }

  @Test func damagedRowsAtTheEndDoNotCome() throws {
    var file = Self.rows
    file.chunks[2].place = [1]
    let (_, rows, problem) = try file.decoded()
    #expect(rows == 2 && problem?.code == .malformed)
  }

  @Test func thePictureEndsAtAChunkThatIsMissing() throws {
    var file = Self.rows
    file.missing = [1]
    let (_, rows, problem) = try file.decoded()
    #expect(rows == 1 && problem?.code == .truncated)
  }

  @Test func dataBeyondTheCanvasAreLeftOut() throws {
    var file = Self.rows
    file.display = [1, 1, 3, 3]
    #expect(try file.decoded().samples == [2, 0, 0, 3, 0, 0, 0, 0, 0])
  }

  @Test func dataOutsideOfTheCanvasLeaveItEmpty() throws {
    var file = Self.rows
    file.display = [10, 10, 11, 11]
    let (samples, rows, problem) = try file.decoded()
    #expect(samples == [0, 0, 0, 0] && rows == 2 && problem == nil)
  }

  @Test(arguments: [(4, Float16(1)), (3, 1), (2, 2), (1, 3)]) func smallerPicturesAreOfferedForSmallerSizes(
    _ side: Int, _ sample: Float16
  ) throws {
    let (samples, _, problem) = try SmallFile.levels.decoded(size: Size(width: side, height: side))
    let expected = side > 2 ? 16 : side * side
    #expect(samples == [Float16](repeating: sample, count: expected) && problem == nil)
  }

  @Test func smallerPicturesAreNotOfferedForAnotherCanvas() throws {
    var file = SmallFile.levels
    file.display = [0, 0, 7, 3]
    let offer = try file.reader().offer(for: DecodeRequest(size: Size(width: 1, height: 1)))
    #expect(offer.size == Size(width: 8, height: 4))
  }

  @Test func memoryIsCheckedBeforeItIsAskedFor() throws {
    var limits = Limits.standard
    limits.maxMemory = 100
    let error = #expect(throws: CoderError.self) { try Self.rows.reader(limits) }
    #expect(error?.limit == .maxMemory)
  }

  @Test func aTileThatIsAnotherOneIsMalformed() throws {
    var file = SmallFile.levels
    file.chunks[0].place = [1, 0, 0, 0]
    #expect(try file.decoded().problem?.code == .malformed)
  }
}

@Suite struct ChannelChoiceTests {
  private static func choice(_ names: [String]) -> ChannelChoice {
    ChannelChoice(
      names.map {
        Channel(name: $0, type: .half, isPerceptuallyLinear: false, sampling: Size(width: 1, height: 1))
      })
  }

  @Test func colorsWithoutALayerComeFirst() {
    let choice = Self.choice(["A", "B", "G", "R", "a.R"])
    #expect(choice.colors == .rgb(red: 3, green: 2, blue: 1) && choice.alpha == 0 && choice.layer.isEmpty)
  }

  @Test func theFirstLayerIsShownWhereAllHaveOne() {
    let choice = Self.choice(["b.left.G", "b.left.R", "c.R"])
    #expect(choice.colors == .rgb(red: 1, green: 0, blue: nil) && choice.layer == "b.left")
  }

  @Test func luminanceNeedsBothChannelsOfChroma() {
    #expect(Self.choice(["BY", "RY", "Y"]).colors == .chroma(luminance: 2, red: 1, blue: 0))
    #expect(Self.choice(["BY", "Y"]).colors == .gray(1))
  }

  @Test func aPartWithoutColorsShowsItsFirstChannel() {
    let choice = Self.choice(["Z", "id"])
    #expect(choice.colors == .gray(0) && choice.alpha == nil)
  }
}

@Suite struct PrimariesTests {
  /// The middle row of the matrix to XYZ that SMPTE ST 2065-1 states for its primaries.
  @Test func luminanceOfACES() throws {
    let aces = try #require(
      StoredColor.Primaries([0.7347, 0.2653, 0, 1, 0.0001, -0.077, 0.32168, 0.33767]))
    let shares = aces.luminance
    #expect(abs(shares.x - 0.343_966_449_8) < 1e-9)
    #expect(abs(shares.y - 0.728_166_096_6) < 1e-9)
    #expect(abs(shares.z + 0.072_132_546_4) < 1e-9)
    #expect(aces.code == nil)
  }

  @Test func primariesOfSinglePrecisionHaveTheirCodePoints() {
    let numbers = [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329].map { Double(Float($0)) }
    #expect(StoredColor.Primaries(numbers)?.code == 1)
    #expect(StoredColor.Primaries([0.64, 0.33, 0.21, 0.71, 0.15, 0.06, 0.3127, 0.329])?.code == nil)
    #expect(StoredColor.Primaries([Double](repeating: 0, count: 8)) == nil)
  }
}
