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
        #expect(found.contains { abs($0.score - target) <= 0.5 } || curve.steps != nil)
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
