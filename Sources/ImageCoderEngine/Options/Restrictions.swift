// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// What somebody other than the caller of a decode forbids, with the words that say who and why.
package struct Restrictions: Sendable {
  /// Who set a limit that is smaller than, or in the place of, the caller's.
  package var limits: [Limits.Name: String] = [:]
  /// The only formats that may be read, and who says so.
  package var formats: Set<ImageFormat>?
  package var formatsWords = ""
  /// Who forbids that metadata is read, or nil.
  package var metadata: String?
  /// The only options of readers that may be given, and who says so; or nil for all.
  package var readOptions: (names: Set<String>, words: String)?
  /// The most that may be read beside the file, or nil, and who says so.
  package var siblings: SiblingAccess?
  package var siblingsWords = ""

  /// Forbids nothing.
  package init() {}

  /// Who set the limit that was exceeded, or nil for the caller and for an error of another kind.
  package func setter(of error: CoderError) -> String? {
    guard error.code == .limitExceeded else { return nil }
    return error.limit.flatMap { limits[$0] }
  }
}
