// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension CoderError {
  /// The same error with the coder that reported it and the file that was read, unless it has them.
  package func attributed(to coder: String, file: String? = nil) -> CoderError {
    var error = self
    error.coder = error.coder ?? coder
    error.file = error.file ?? file
    return error
  }

  /// The same error with the file that it concerns, unless it has one.
  package func inFile(_ file: String?) -> CoderError {
    var error = self
    error.file = error.file ?? file
    return error
  }
}
