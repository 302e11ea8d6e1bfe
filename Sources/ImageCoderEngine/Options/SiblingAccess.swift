// SPDX-License-Identifier: Apache-2.0

/// Which files beside a picture's file its coder may read. Each case allows what those before it allow.
///
/// A coder gets none that its manifest does not name under `siblings`, and none of another folder; bytes that come from no
/// path have no folder.
public enum SiblingAccess: Int, Sendable, Comparable, CaseIterable {
  /// None.
  case nothing
  /// Those that are named after the file: `photo.xmp` and `photo.nef.xmp` for `photo.nef`.
  case named
  /// Any regular file of the folder that the coder's manifest allows, such as the pictures that an SVG file refers to.
  case folder

  /// Whether the first allows less than the second.
  public static func < (left: SiblingAccess, right: SiblingAccess) -> Bool { left.rawValue < right.rawValue }

  /// The word for it: `none`, `named`, `folder`.
  public var word: String {
    switch self {
    case .nothing: "none"
    case .named: "named"
    case .folder: "folder"
    }
  }

  /// The access that a word names, or nil.
  public init?(word: String) {
    guard let access = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = access
  }
}

extension DecodeOptions {
  /// The files beside the file that its coder may read, and who forbids more: the caller, or a policy.
  var siblingRules: (access: SiblingAccess, setBy: String) {
    guard let allowed = restrictions.siblings else { return (output.siblings ?? .named, "the caller allows") }
    guard let own = output.siblings, own < allowed else { return (allowed, "set by \(restrictions.siblingsWords):") }
    return (own, "the caller allows")
  }
}
