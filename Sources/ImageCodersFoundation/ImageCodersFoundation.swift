// SPDX-License-Identifier: Apache-2.0

// The library itself does not need Foundation. Programs that use it import this module beside ImageCoders.

public import FoundationEssentials
public import ImageCoders

extension CoderError: LocalizedError {
  /// File, code, place and message, as ``CoderError/description``: without it, `localizedDescription` is a number.
  public var errorDescription: String? { description }

  /// What was found and what was allowed.
  public var failureReason: String? { message }
}

extension ByteSource {
  /// A file by its URL, as `file(_:)` with a path.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` for a URL of another kind than `file:`; the library loads nothing from
  ///   networks.
  public static func file(_ url: URL) throws(CoderError) -> ByteSource {
    guard url.isFileURL else { throw .invalidArgument("\(url.absoluteString) is not the URL of a file") }
    return .file(url.path(percentEncoded: false))
  }
}
