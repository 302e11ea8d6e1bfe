// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension CoderError {
  /// Whether the next coder may try: this one cannot be loaded, or does not support the file.
  var allowsFallback: Bool {
    switch code {
    // A wrapped library that fails without a reason has no opinion of the file.
    case .wrongFormat, .unsupported, .noCoder, .pluginRejected, .libraryFailure: true
    default: false
    }
  }

  /// A plugin that was not used, as the error of a call that needed it.
  init(_ reason: SkipReason, coder: String) {
    self.init(code: .pluginRejected, message: "\(reason.code.rawValue): \(reason.message)", coder: coder)
  }

  /// The same error with more at the end of its message: what else could have been done.
  func adding(_ words: [String]) -> CoderError {
    guard !words.isEmpty else { return self }
    var error = CoderError(
      code: code, message: ([message] + words).joined(separator: "; "), offset: offset, coder: coder, limit: limit,
      found: found, allowed: allowed)
    (error.file, error.setBy) = (file, setBy)
    return error
  }
}

extension SkipReason {
  /// What is said of a second reader that cannot be isolated.
  var ofSecondReader: String {
    """
    not tried: a second reader over a C library needs a worker (\(message)); name it with --coder, CODERS_PRIORITY or \
    setPriority to use it
    """
  }
}

extension Result where Failure == SkipReason {
  /// The value, or the reason as an error of a call that needed the coder.
  func orError(of coder: String) throws(CoderError) -> Success {
    do throws(SkipReason) { return try get() } catch { throw CoderError(error, coder: coder) }
  }
}
