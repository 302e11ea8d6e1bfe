// SPDX-License-Identifier: Apache-2.0

/// Crops, turns and mirrors pictures without decoding them, in a plugin through `PluginExport`.
///
/// A part of a draft: see `imgcoder/draft/stored_geometry.h`.
public protocol ContainerGeometryEditor {
  /// Writes the whole file with a part of its picture, turned. Metadata is carried over as it is.
  ///
  /// - Parameters:
  ///   - part: In pixels of the stored picture.
  ///   - orientation: How the part is turned: as if it were stored so and made upright.
  /// - Throws: ``CoderError/Code/unsupported`` if this part cannot be taken, or turned so, without loss; nothing may have
  ///   been written then. ``CoderError/Code/truncated`` or ``CoderError/Code/malformed`` if some of the picture is
  ///   missing.
  static func write(
    _ part: Rect, of source: SourceView, format: ImageFormat, orientation: Orientation, output: ByteOutput,
    host: CoderHost
  ) throws(CoderError)
}
