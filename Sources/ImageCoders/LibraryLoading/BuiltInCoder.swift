// SPDX-License-Identifier: Apache-2.0

package import CImageCoder

/// A coder that is part of the program, chosen as a plugin is.
///
/// The product `ImageCodersBuiltIn` has one for each trait of the package that is enabled:
///
///     import ImageCodersBuiltIn
///
///     let registry = CoderRegistry(builtIn: .all)
///
/// It is a plugin in all but the file: its manifest and its table of the plugin interface go the same way.
public struct BuiltInCoder: Sendable {
  /// Answers as the entry of a plugin does.
  package typealias Describe = @convention(c) (UnsafePointer<imgcoder_host>?) -> UnsafePointer<imgcoder_coder>?

  /// The manifest, as the plugin's file has it. The keys that are about a library do not count.
  let manifest: [UInt8]
  package let describe: Describe

  package init(manifest: [UInt8], describe: @escaping Describe) {
    self.manifest = manifest
    self.describe = describe
  }
}

extension BuiltInCoder: Equatable {
  /// Whether both are the same coder of the program.
  public static func == (one: BuiltInCoder, other: BuiltInCoder) -> Bool {
    one.manifest == other.manifest
      && unsafeBitCast(one.describe, to: UInt.self) == unsafeBitCast(other.describe, to: UInt.self)
  }
}
