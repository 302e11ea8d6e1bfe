// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A format of a coder that is a kind of other formats.
struct RefiningFormat: Sendable, Equatable {
  let format: ImageFormat
  let refines: [ImageFormat]
  let extensions: [String]
  /// Whether the coder's library has to look at a file, because no signature tells.
  let isAsked: Bool
}

/// How formats that a file agrees with are kinds of each other.
///
/// A refinement counts only if it says more of the file than what it refines: more bits, a condition, the library's look or
/// the file's name. Two formats that are kinds of each other are not ordered.
struct Refinement {
  /// What says most of the file for a format.
  private struct Evidence {
    var strength: Int
    /// Whether more than a signature agrees.
    var saysMore: Bool
    /// The formats that this one is said to be a kind of.
    var stated: Set<ImageFormat> = []
  }

  /// The formats that one is a kind of.
  private var refined: [ImageFormat: Set<ImageFormat>] = [:]
  private var depths: [ImageFormat: Int] = [:]

  init(_ agreements: [Agreement]) {
    var evidence: [ImageFormat: Evidence] = [:]
    for agreement in agreements {
      let saysMore =
        switch agreement.basis {
        case .look, .nameAndRefined: true
        case .name, .signature: !agreement.conditions.isEmpty
        }
      for format in agreement.formats {
        var known = evidence[format] ?? Evidence(strength: agreement.strength, saysMore: saysMore)
        known.strength = max(known.strength, agreement.strength)
        known.saysMore = known.saysMore || saysMore
        for refining in agreement.candidate.refining where refining.format == format {
          known.stated.formUnion(refining.refines)
        }
        evidence[format] = known
      }
    }
    let stated = evidence.mapValues { own in
      own.stated.filter { refined in
        guard let other = evidence[refined] else { return false }
        return own.saysMore || own.strength > other.strength
      }
    }
    for (format, above) in stated {
      refined[format] = above.filter { !Self.leads(from: $0, to: format, by: stated) }
    }
    for format in refined.keys { _ = findDepth(of: format) }
  }

  /// The same agreements with their depths.
  func applied(to agreements: [Agreement]) -> [Agreement] {
    agreements.map { agreement in
      var agreement = agreement
      agreement.depth = agreement.formats.map { depths[$0] ?? 0 }.max() ?? 0
      let above = agreement.formats.reduce(into: Set()) { $0.formUnion(refined[$1] ?? []) }
      agreement.refined = above.sorted { $0.rawValue < $1.rawValue }
      return agreement
    }
  }

  private static func leads(
    from start: ImageFormat, to end: ImageFormat, by steps: [ImageFormat: Set<ImageFormat>]
  ) -> Bool {
    var (found, open): (Set<ImageFormat>, [ImageFormat]) = ([start], [start])
    while let format = open.popLast() {
      if format == end { return true }
      for next in steps[format] ?? [] where found.insert(next).inserted { open.append(next) }
    }
    return false
  }

  /// No format leads to itself, so this ends.
  private mutating func findDepth(of format: ImageFormat) -> Int {
    if let known = depths[format] { return known }
    var depth = 0
    for above in refined[format] ?? [] { depth = max(depth, 1 + findDepth(of: above)) }
    depths[format] = depth
    return depth
  }
}
