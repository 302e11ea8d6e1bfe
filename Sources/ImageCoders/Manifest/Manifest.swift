// SPDX-License-Identifier: Apache-2.0

public import ImageCoderCore

/// What a plugin says of itself beside its library, so that nothing has to be loaded to know it.
///
/// The file's keys are described in `docs/registry.md` and `Registry/schema/imgcoder-1.schema.json`. Keys that are not
/// known are ignored.
public struct Manifest: Sendable, Equatable {
  /// Reverse-DNS: `org.imagecoders.png`.
  public var id: String
  public var name: String
  public var version: String
  public var vendor: String
  public var license: String
  /// The licence of the wrapped library, or nil when there is none.
  public var libraryLicense: String?
  /// The interface's major version.
  public var abiMajor: Int
  /// The smallest minor version that the plugin can work with.
  public var abiMinMinor: Int
  /// The library's path, relative to the manifest.
  public var library: String
  /// `linux-x86_64`, or nil for any.
  public var platform: String?
  /// `swift/6.3` for a plugin that shares the Swift runtime of that version, or nil for one that needs none.
  public var runtime: String?
  public var formats: [Format]
  public var capabilities: Set<String>
  /// Names of the container's animation properties, or nil for stills.
  public var names: ContainerNames?
  public var options: [OptionDescription]
  /// Higher is tried first; 100 is usual.
  public var priority: Int

  /// A format that a plugin reads or writes.
  public struct Format: Sendable, Equatable {
    public var format: ImageFormat
    public var name: String
    public var mimeTypes: [String]
    /// Without a dot, lower case; the first is used for new files.
    public var extensions: [String]
    public var signatures: [Signature]
  }

  /// Whether the plugin reads.
  public var canRead: Bool { capabilities.contains("read") }
  /// Whether the plugin writes.
  public var canWrite: Bool { capabilities.contains("write") }
}
