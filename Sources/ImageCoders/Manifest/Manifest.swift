// SPDX-License-Identifier: Apache-2.0

package import ImageCoderEngine
package import ImageCoderModel

/// The description of a plugin in a file beside its library, so that nothing has to be loaded to read it.
///
/// The file's keys are described in `docs/registry.md` and `Registry/schema/imgcoder-1.schema.json`. Keys that are not
/// known are ignored, with a warning.
package struct Manifest: Sendable, Equatable {
  /// Reverse-DNS: `org.imagecoders.png`.
  package var id: String
  package var name: String
  package var version: String
  package var vendor: String
  package var license: String
  /// The license of the wrapped library, or nil when there is none.
  package var libraryLicense: String?
  /// The interface's major version.
  package var abiMajor: Int
  /// The smallest minor version that the plugin can work with.
  package var abiMinMinor: Int
  /// The library's path, relative to the manifest.
  package var library: String
  /// `linux-x86_64`, or nil for any.
  package var platform: String?
  /// `swift/6.3` for a plugin that shares the Swift runtime of that version, or nil for one that needs none.
  package var runtime: String?
  package var formats: [Format]
  package var capabilities: Set<String>
  /// Names of the container's animation properties, or nil for stills.
  package var names: ContainerPropertyNames?
  /// Options of the writer.
  package var options: [OptionDescription]
  /// Options of the reader.
  package var readOptions: [OptionDescription] = []
  /// What the plugin does with whole files without decoding their pixels.
  package var operations: [OperationDescription]
  /// Packages of the operating system that the plugin's library needs, or nil when the manifest does not say.
  package var packages: Packages?
  /// What a worker of the plugin has to have beyond what all have.
  package var needs: PluginNeeds = []
  /// The files beside a picture's file that the plugin may ask for.
  package var siblings: [SiblingPattern] = []
  /// What kind of code sees a file's bytes, or nil when the manifest does not say.
  package var code: CodeDescription?
  /// Higher is tried first; 100 is usual.
  package var priority: Int
  /// Parts of the file that do no harm and that its author may have meant otherwise: unknown keys, unknown words.
  package var warnings: [TextProblem] = []

  /// Debian's names of packages.
  package struct Packages: Sendable, Equatable {
    /// What building the plugin needs.
    package var build: [String]
    /// What running it needs.
    package var run: [String]

    package init(build: [String], run: [String]) {
      self.build = build
      self.run = run
    }
  }

  /// A format that a plugin reads or writes.
  package struct Format: Sendable, Equatable {
    package var format: ImageFormat
    package var name: String
    package var mimeTypes: [String]
    /// Without a dot, lower case; the first is used for new files.
    package var extensions: [String]
    package var signatures: [FormatSignature]
    /// Whether a plugin that writes writes this format.
    package var isWritten: Bool
    /// The formats that this one is a kind of: a file of this format agrees with them, too.
    package var refines: [ImageFormat] = []
    /// Kinds of this format that the coder knows by name and shows a stand-in for.
    package var dialects: [Dialect] = []
  }

  /// A format that is named where no coder reads it.
  package struct Dialect: Sendable, Equatable {
    package var format: ImageFormat
    package var name: String
    package var signatures: [FormatSignature]
  }

  /// Whether the plugin reads.
  package var canRead: Bool { capabilities.contains("read") }
  /// Whether the plugin writes.
  package var canWrite: Bool { capabilities.contains("write") }
  /// Whether the plugin writes several pages into one file.
  package var writesPages: Bool { canWrite && capabilities.contains("pages") }
  /// Whether the plugin writes the frames of an animation.
  package var writesFrames: Bool { canWrite && capabilities.contains("frames") }
  /// The formats that the plugin writes.
  package var writtenFormats: [Format] { canWrite ? formats.filter(\.isWritten) : [] }

  /// The extension for new files of a format, without a dot, or nil when the plugin does not have the format.
  package func preferredExtension(of format: ImageFormat) -> String? {
    formats.first { $0.format == format }?.extensions.first
  }
}
