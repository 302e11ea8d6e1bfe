// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension CoderError {
  /// The same error with what it does not say yet; no word of it changes.
  ///
  /// - Parameters:
  ///   - coder: The coder that reported it.
  ///   - file: The file that was read or written.
  ///   - setBy: Who set the limit that was exceeded, where that was not the caller.
  package func annotated(coder: String? = nil, file: String? = nil, setBy: String? = nil) -> CoderError {
    var error = self
    error.coder = error.coder ?? coder
    error.file = error.file ?? file
    error.setBy = error.setBy ?? setBy
    return error
  }
}
