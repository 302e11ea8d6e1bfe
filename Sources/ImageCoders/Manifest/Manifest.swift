// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

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
  /// From which formats to which the plugin carries files without decoding them.
  public var transcodes: [Transcode]
  /// Packages of the operating system that the plugin's library needs, or nil when the manifest does not say.
  public var packages: Packages?
  /// Higher is tried first; 100 is usual.
  public var priority: Int

  /// A way from one format to another without decoding.
  public struct Transcode: Sendable, Equatable {
    public var from: ImageFormat
    public var to: ImageFormat
  }

  /// Debian's names of packages.
  public struct Packages: Sendable, Equatable {
    /// What building the plugin needs.
    public var build: [String]
    /// What running it needs.
    public var run: [String]

    public init(build: [String], run: [String]) {
      self.build = build
      self.run = run
    }
  }

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
  /// Whether the plugin writes several pages into one file.
  public var writesPages: Bool { canWrite && capabilities.contains("pages") }
}
