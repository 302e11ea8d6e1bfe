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

  /// Forbids nothing.
  package init() {}
}

extension CoderError {
  /// The same error with who set the limit that was exceeded, where that was not the caller.
  package func explained(by restrictions: Restrictions) -> CoderError {
    guard code == .limitExceeded, !restrictions.limits.isEmpty else { return self }
    // A plugin names its limit in the message alone.
    guard let name = limit ?? Limits.Name.all.first(where: { message.has($0.rawValue) }),
      let words = restrictions.limits[name]
    else { return self }
    let addition = " (set by \(words))"
    guard !message.hasSuffix(addition) else { return self }
    var error = CoderError(code: code, message: message + addition, offset: offset, coder: coder, limit: name)
    error.file = file
    return error
  }
}
