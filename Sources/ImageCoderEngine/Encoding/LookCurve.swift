// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// The score that files of a format usually have at each quality. A picture's own scores are some points above or below all
/// along the curve, so that a search that counts in usual scores needs few files.
package struct LookCurve {
  /// In the order of quality, from 0 to 1; both numbers grow.
  private let points: [(quality: Double, score: Double)]
  /// Qualities that the encoder tells apart, or nil for more than a search needs.
  package let steps: Double?

  /// The curve of a format: the median of some pictures of `Benchmarks/Look/corpus.py`, with the options of ``LookOptions``.
  package init(_ format: ImageFormat) {
    switch format {
    case .jpeg:
      points = [
        (0, -80), (0.05, -38), (0.15, 19), (0.25, 48), (0.35, 58), (0.45, 64), (0.55, 68.5), (0.7, 75), (0.82, 81),
        (0.88, 85), (0.93, 89.5), (1, 95),
      ]
      steps = nil
    case .webP:
      points = [
        (0, 10), (0.05, 20), (0.15, 34), (0.25, 47), (0.35, 56), (0.45, 60.5), (0.55, 64.5), (0.7, 71), (0.82, 77),
        (0.88, 83.5), (0.93, 88), (1, 92.5),
      ]
      steps = nil
    case .avif:
      points = [
        (0, -30), (0.05, -16), (0.15, 10), (0.25, 33), (0.35, 49), (0.45, 62), (0.55, 72.5), (0.62, 78), (0.7, 81),
        (0.82, 86), (0.93, 91), (1, 95),
      ]
      steps = 63
    case .jpegXL:
      points = [
        (0, 25), (0.05, 33), (0.15, 51), (0.25, 63), (0.35, 67.5), (0.45, 71), (0.55, 77), (0.7, 83), (0.82, 87),
        (0.93, 91.5), (0.97, 94.5), (1, 100),
      ]
      steps = nil
    case .heic, .heif:
      points = [
        (0, -22), (0.05, -6), (0.15, 26), (0.25, 48), (0.35, 66), (0.45, 79), (0.55, 86), (0.62, 89), (0.7, 92),
        (0.82, 94.5), (0.93, 95.5), (1, 95.8),
      ]
      steps = 200
    default:
      points = [(0, 0), (0.3, 50), (0.5, 62), (0.65, 70), (0.85, 80), (0.95, 88), (1, 95)]
      steps = nil
    }
  }

  /// The usual score at a quality.
  package func score(at quality: Double) -> Double {
    let index = points.dropFirst().firstIndex { $0.quality >= quality } ?? points.count - 1
    let (low, high) = (points[index - 1], points[index])
    return low.score + (quality - low.quality) / (high.quality - low.quality) * (high.score - low.score)
  }

  /// The quality at which a score is usual, as the encoder takes it: 0 to 1.
  package func quality(at score: Double) -> Double {
    let index = points.dropFirst().firstIndex { $0.score >= score } ?? points.count - 1
    let (low, high) = (points[index - 1], points[index])
    let quality = low.quality + (score - low.score) / (high.score - low.score) * (high.quality - low.quality)
    return taken(min(max(quality, 0), 1))
  }

  /// The quality that the encoder takes for another.
  package func taken(_ quality: Double) -> Double {
    guard let steps else { return quality }
    return (quality * steps).rounded() / steps
  }
}
