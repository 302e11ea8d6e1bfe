// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// The search for a quality, on encoders that are functions.
@Suite struct LookSearchTests {
  private static let formats: [ImageFormat] = [.jpeg, .webP, .avif, .jpegXL, .heic, .tiff]

  /// The qualities that are tried in turn, 8 at most, and the scores that they have.
  private static func tried(
    _ target: Double, _ format: ImageFormat, start: Double? = nil, slope: Double = 1, score: (Double) -> Double
  ) -> [(quality: Double, score: Double)] {
    var search = LookSearch(target, along: LookCurve(format), start: start, slope: slope)
    var found: [(quality: Double, score: Double)] = []
    while let quality = search.next, found.count < 8 {
      found.append((quality, score(quality)))
      search.add(quality: quality, score: score(quality))
    }
    return found
  }

  /// Where a curve says that a score is usual, it is.
  @Test(arguments: formats) func curvesHaveAnInverse(_ format: ImageFormat) {
    let curve = LookCurve(format)
    for percent in 0...100 {
      let quality = curve.taken(Double(percent) / 100)
      #expect(abs(curve.quality(at: curve.score(at: quality)) - quality) < 1e-9)
    }
    #expect(curve.quality(at: 1000) == 1 && curve.quality(at: -1000) == 0)
  }

  /// A picture that scores as many points less at every quality takes two files, and one if it scores as usual.
  @Test(arguments: formats) func aPictureAsUsualTakesTwoFiles(_ format: ImageFormat) {
    let curve = LookCurve(format)
    for target in [60.0, 70, 80] {
      let usual = Self.tried(target, format) { curve.score(at: $0) }
      // Whole steps of quality may be more than half a point from each other.
      let most = curve.steps == nil ? 1 : 3
      #expect(usual.count <= most, "\(target)")
      for offset in [-12.0, -5, 6] {
        let found = Self.tried(target, format) { curve.score(at: $0) + offset }
        #expect(found.count <= 1 + most && found.count >= 2, "\(target) \(offset)")
        // Of these, only AVIF has steps that are further apart.
        #expect(found.contains { abs($0.score - target) <= 0.5 } || format == .avif)
      }
    }
  }

  /// Another slope than the usual one.
  @Test(arguments: formats) func aSteepPictureTakesFourFiles(_ format: ImageFormat) {
    let curve = LookCurve(format)
    for (target, slope) in [(60.0, 1.5), (70, 0.7), (80, 0.6)] {
      let found = Self.tried(target, format) { 66 + (curve.score(at: $0) - 70) * slope }
      #expect(found.count <= 4, "\(target) \(slope): \(found)")
    }
  }

  /// Both neighbors of the target are known at the end, and nothing is tried twice.
  @Test func wholeStepsAreTriedOnce() {
    let curve = LookCurve(.avif)
    let found = Self.tried(71, .avif) { ($0 * 63).rounded() / 63 * 180 - 30 }
    #expect(Set(found.map { ($0.quality * 63).rounded() }).count == found.count)
    #expect(found.allSatisfy { curve.taken($0.quality) == $0.quality })
    // 180 / 63 points a step: 35 steps are 70, and 36 are 72.86.
    #expect(found.contains { $0.quality == 35.0 / 63 } && found.contains { $0.quality == 36.0 / 63 })
    #expect(found.count <= 4)
  }

  /// A step that would clearly miss the target is not tried; one that may be near enough is.
  @Test func aStepThatMissesIsNotTried() {
    let curve = LookCurve(.avif)
    // From 0.55 to 0.62, the usual score grows by 5.5 points in 4.41 steps, by 1.247 in one.
    let step = 1.0 / 63
    let (quality, usual) = (37 * step, curve.score(at: 37 * step))
    var search = LookSearch(usual - 0.55, along: curve)
    search.add(quality: quality, score: usual)
    // One step below is at -1.247, and 0.55 + 0.5 + 0.3 * 1.247 = 1.424 is where it is given up.
    #expect(search.next == 36 * step)
    var other = LookSearch(usual - 0.51, along: curve)
    other.add(quality: quality, score: usual + 0.2)
    #expect(other.next == 36 * step)
    var high = LookSearch(usual - 0.6, along: LookCurve(.avif), slope: 2)
    high.add(quality: quality, score: usual)
    // Twice as steep: 2.494 below, and 0.6 + 0.5 + 0.3 * 2.494 = 1.848.
    #expect(high.next == nil)
  }

  /// After five files, one that is two points better will do.
  @Test(arguments: [(72.0, true), (72.1, false)]) func fiveFilesAreEnough(_ best: Double, _ isEnough: Bool) {
    var search = LookSearch(70, along: LookCurve(.jpeg))
    for (quality, score) in [(0.50, 66), (0.52, 67), (0.54, 68), (0.60, best)] {
      search.add(quality: quality, score: score)
      #expect(search.next != nil)
    }
    search.add(quality: 0.55, score: 68.5)
    #expect((search.next == nil) == isEnough)
  }

  /// Between the two sides of a jump nothing is tried.
  @Test func jumpsEndTheSearch() {
    let found = Self.tried(80, .jpegXL) { $0 < 0.52 ? 60 + 24 * $0 : 80 + 10 * $0 }
    #expect(found.count <= 5 && found.contains { $0.score >= 80 } && found.contains { $0.score < 80 })
    // Scores that jump by two points all the time, a hundredth of quality apart.
    let coarse = Self.tried(71, .jpeg) { ($0 * 50).rounded() * 2 }
    #expect(coarse.count <= 5 && coarse.contains { $0.score == 72 })
  }

  /// What a part of the picture has told is where the search for the whole begins.
  @Test func aSearchBeginsWhereItIsTold() {
    let curve = LookCurve(.jpeg)
    var part = LookSearch(70, along: curve, tolerance: 1.5)
    part.add(quality: 0.7, score: 71)  // usual: 75
    #expect(part.next == nil)
    let found = part.estimate
    #expect(found?.usual == 74 && found?.slope == 1)
    let whole = LookSearch(70, along: curve, start: found?.usual, slope: found?.slope ?? 1)
    #expect(whole.next == curve.quality(at: 74))
  }

  /// A score that no quality has ends the search at the end of the range.
  @Test func theEndsOfTheRangeAreTried() {
    let low = Self.tried(80, .webP) { 40 + 20 * $0 }
    #expect(low.last?.quality == 1 && low.count <= 4)
    let high = Self.tried(20, .jpegXL) { 60 + 30 * $0 }
    #expect(high.last?.quality == 0 && high.count <= 4)
  }
}
