// SPDX-License-Identifier: Apache-2.0

/// Converts files from one format to another without decoding their pixels, in a plugin through `PluginExport`.
public protocol ContainerTranscoder {
  /// Writes a file of another format with exactly the same content as the source.
  ///
  /// - Parameters:
  ///   - from: The format of the source.
  ///   - to: The format of the new file.
  /// - Throws: ``CoderError/Code/unsupported`` if this file cannot be converted without loss; nothing may have been
  ///   written then.
  static func transcode(
    _ source: SourceView, from: ImageFormat, to: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError)
}
