// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

/// All checks of a coder, as it is installed: found by its manifest and loaded through the plugin interface.
///
///     @Suite struct PNGConformanceTests {
///       static let conformance = CoderConformance(
///         pluginDirectory: "build/lib/coders/1", id: "org.imagecoders.png", fixtures: "Tests/Fixtures/png")
///
///       @Test(arguments: conformance.checks) func passes(_ check: ConformanceCheck) throws { try check.run() }
///     }
public struct CoderConformance: Sendable {
  /// At least one; when the plugin or the fixtures cannot be loaded, the one that says why.
  public let checks: [ConformanceCheck]

  /// What the format cannot hold.
  public struct Bounds: Sendable {
    /// Decibels of a smooth picture that was written at quality 0.9 and read again, at least.
    public var peakSignalToNoise = 30.0
    /// Bits per channel that lossless files hold, at most. Pictures with more are kept exactly or refused as `unsupported`.
    public var losslessBits = 16

    /// Makes the bounds of a format that holds 16 bits per channel: 30 dB for lossy files.
    public init() {}
  }

  /// - Parameters:
  ///   - pluginDirectory: Holds the plugin's manifest.
  ///   - id: The coder's identifier.
  ///   - fixtures: A folder as ``Fixtures`` describes it.
  ///   - pictureSize: Of the pictures that the checks write, pixels; for formats that hold certain sizes only. Larger
  ///     pictures are four times as wide and high.
  ///   - optionsWithoutEffect: The writer's own options that change no file on this machine, by name, each with the
  ///     reason. Any other option has to change the bytes of some file.
  public init(
    pluginDirectory: String, id: String, fixtures: String, bounds: Bounds = Bounds(),
    pictureSize: Size = Size(width: 48, height: 36), optionsWithoutEffect: [String: String] = [:]
  ) {
    do {
      let subject = Subject(
        plugin: try Plugin(pluginDirectory: pluginDirectory, id: id), fixtures: try Fixtures(folder: fixtures),
        bounds: bounds, pictures: TestPictures(size: pictureSize), optionsWithoutEffect: optionsWithoutEffect)
      checks =
        subject.loading + subject.interface + subject.signature + subject.pixels + subject.malformed
        + subject.truncation + subject.chunkedInput + subject.limits + subject.roundTrip + subject.options
        + subject.optionEffects + subject.animation + subject.concurrency + subject.poison + subject.cancellation
    } catch {
      let reason = "\(error)"
      checks = [
        ConformanceCheck(family: .loading, subject: id) { (claim) throws(ConformanceFailure) in
          throw claim.failure("the plugin and its fixtures", expected: "to be loaded", found: reason)
        }
      ]
    }
  }
}

/// A coder as it is installed.
struct Plugin: Sendable {
  let coder: any ImageCoder
  let container: any Container
  let manifest: Manifest
  /// The library's path.
  let library: String

  init(pluginDirectory: String, id: String) throws {
    // Rows of a bundled plugin are not cleared: one that it does not write is to be found.
    let searchPath = PluginSearchPath.only([pluginDirectory]).trusting([pluginDirectory])
    let registry = CoderRegistry(searchPath: searchPath, preferences: CoderPreferences())
    for (path, reason) in registry.catalog.unreadable where path == pluginDirectory { throw reason }
    guard let entry = registry.catalog.entries.first(where: { $0.id == id && $0.path.hasPrefix(pluginDirectory) })
    else {
      throw CoderError.noCoder("\(pluginDirectory) has no manifest of \(id)")
    }
    if let reason = entry.reason { throw reason }
    guard let manifest = entry.manifest, let library = entry.library else {
      throw CoderError.pluginRejected("\(id) is not a plugin's coder")
    }
    container = try registry.loadPlugin(id)
    coder = AnimatedCoder(container)
    self.manifest = manifest
    self.library = library
  }
}

/// The coder that is checked, and what it is checked with.
struct Subject: Sendable {
  let plugin: Plugin
  let fixtures: Fixtures
  let bounds: CoderConformance.Bounds
  let pictures: TestPictures
  let optionsWithoutEffect: [String: String]
  /// Payloads to write where no fixture has one of a kind.
  var payloads: [MetadataKind: [UInt8]] = [:]

  var coder: any ImageCoder { plugin.coder }
  var container: any Container { plugin.container }
  var manifest: Manifest { plugin.manifest }

  /// A check for each mistake in the folder of fixtures, which fails.
  var loading: [ConformanceCheck] {
    fixtures.mistakes.map { mistake in
      check(.loading, mistake.name) { (claim) throws(ConformanceFailure) in
        throw claim.failure("fixture", expected: mistake.expected, found: mistake.found)
      }
    }
  }

  func check(
    _ family: ConformanceCheck.Family, _ subject: String,
    _ body: @escaping @Sendable (Claim) throws(ConformanceFailure) -> Void
  ) -> ConformanceCheck {
    ConformanceCheck(family: family, subject: subject, body: body)
  }

  /// Opens bytes with the coder.
  func open(_ bytes: [UInt8], _ options: DecodeOptions = DecodeOptions()) throws(CoderError) -> ImageDecoder {
    try coder.makeDecoder(DecodeContext(try OpenSource(.bytes(bytes), limits: options.limits), options: options))
  }

  /// Options that leave a picture as it is stored, in a layout.
  static func stored(_ format: PixelFormat?) -> DecodeOptions {
    var options = DecodeOptions()
    options.pixelFormat = format
    options.appliesOrientation = false
    return options
  }
}
