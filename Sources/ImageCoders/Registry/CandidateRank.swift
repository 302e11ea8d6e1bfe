// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Where a candidate stands among others: a total order, in which the first is tried first.
///
/// It does not depend on the order of directories: place in the list of preferred coders, depth of the format below those
/// that it is a kind of, priority, the application's later registration, bundled coders of the format, priority of a
/// stranger's manifest, strength of the signature, whether the file's name has an extension of the coder, bundled coders,
/// identifier.
struct CandidateRank: Comparable {
  /// The place among the preferred coders of the format, or nil.
  let preference: Int?
  /// How many formats that the file agrees with lead to the coder's own, each a kind of the one before.
  let depth: Int
  let priority: Int
  let registration: Int
  /// Whether it is a plugin that is not bundled, and a bundled one has the same format.
  let yields: Bool
  /// The priority among strangers; that of others is the usual one.
  let ownPriority: Int
  /// 0 if there is no file.
  let strength: Int
  /// Whether the file's name has an extension of the coder.
  let isNamed: Bool
  let isBundled: Bool
  let id: String

  init(
    _ candidate: Candidate, preference: Int?, depth: Int = 0, priority: Int, yields: Bool, ownPriority: Int,
    strength: Int = 0, isNamed: Bool = false
  ) {
    self.preference = preference
    self.depth = depth
    self.priority = priority
    registration = candidate.registration
    self.yields = yields
    self.ownPriority = ownPriority
    self.strength = strength
    self.isNamed = isNamed
    isBundled = candidate.isBundled
    id = candidate.id
  }

  static func < (one: CandidateRank, other: CandidateRank) -> Bool {
    let (preference, otherPreference) = (one.preference ?? .max, other.preference ?? .max)
    if preference != otherPreference { return preference < otherPreference }
    // A kind of a format comes before the format, whatever priorities say: only its coder knows what the file holds.
    if one.depth != other.depth { return one.depth > other.depth }
    if one.priority != other.priority { return one.priority > other.priority }
    if one.registration != other.registration { return one.registration > other.registration }
    if one.yields != other.yields { return other.yields }
    if one.ownPriority != other.ownPriority { return one.ownPriority > other.ownPriority }
    if one.strength != other.strength { return one.strength > other.strength }
    if one.isNamed != other.isNamed { return one.isNamed }
    if one.isBundled != other.isBundled { return one.isBundled }
    return one.id < other.id
  }
}
