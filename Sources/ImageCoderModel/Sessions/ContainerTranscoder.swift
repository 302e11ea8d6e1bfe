// SPDX-License-Identifier: Apache-2.0

/// Carries files from one format to another without decoding their pixels, in a plugin through `PluginExport`.
public protocol ContainerTranscoder {
  /// Writes a file of another format that holds exactly what the source holds.
  ///
  /// - Parameters:
  ///   - from: What the source is.
  ///   - to: What is wanted.
  /// - Throws: ``CoderError/Code/unsupported`` when this file cannot be carried over without loss; nothing has been
  ///   written then.
  static func transcode(
    _ source: SourceView, from: ImageFormat, to: ImageFormat, output: ByteOutput, host: CoderHost
  ) throws(CoderError)
}
