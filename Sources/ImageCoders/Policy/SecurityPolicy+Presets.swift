// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension SecurityPolicy {
  /// What holds if nobody chooses: every format, the limits of ``Limits/standard``, plugins in the program.
  public static let standard = SecurityPolicy(name: "standard")

  /// For files of one's own: limits that stop mistakes only.
  public static let trusted: SecurityPolicy = {
    var policy = SecurityPolicy(name: "trusted")
    policy.limit(.maxPixels, 1 << 33, "maps and scans of one's own may be large")
    policy.limit(.maxSide, 1 << 24, "as long as a panorama or a strip of a scanner may be")
    policy.limit(.maxMemory, 1 << 34, "16 GiB: more is a mistake on most machines")
    policy.limit(.maxFrames, 1 << 20, "ten hours at 30 frames a second")
    policy.limit(.maxComposedPixels, 1 << 40, "long animations in full size")
    policy.limit(.maxMetadata, 1 << 30, "editors keep layers and histories in it")
    policy.limit(.maxMilliseconds, 86_400_000, "a day")
    policy.limit(.maxReads, 1 << 30, "a file of 256 GiB in small pieces")
    policy.limit(.maxInflated, 1 << 40, "long animations in full size")
    return policy
  }()

  /// For a server that takes uploads: every file in a locked process of its own, and small limits.
  public static let web: SecurityPolicy = {
    var policy = SecurityPolicy(name: "web")
    policy.formats = policy.setting(
      [.jpeg, .png, .gif, .webP, .avif, .heic, .heics, .heif, .jpegXL], "what cameras, phones and browsers make")
    policy.isolation = policy.setting(.required, "who sends a file may be an attacker")
    policy.usesFreshWorkers = policy.setting(true, "no file sees what another one has left in memory")
    policy.advisories = policy.setting(.isolate, "what is known to be broken is what is attacked")
    policy.siblings = policy.setting(.nothing, "files of other users may lie beside an upload")
    policy.limit(.maxPixels, 1 << 26, "64 megapixels: photos of today's cameras")
    policy.limit(.maxSide, 16_384, "no side of a photo or screenshot is longer")
    policy.limit(.maxMemory, 512 << 20, "several files at a time have to fit a small server")
    policy.limit(.maxFrames, 1_000, "a minute of an animation")
    policy.limit(.maxComposedPixels, 1 << 31, "about ten seconds of work")
    policy.limit(.maxMetadata, 4 << 20, "profiles and Exif are smaller")
    policy.limit(.maxPages, 16, "a picture and its other sizes")
    policy.limit(.maxScans, 100, "encoders make at most a dozen passes")
    policy.limit(.maxMilliseconds, 10_000, "who uploads a picture does not wait longer")
    policy.limit(.maxReads, 1 << 20, "a file of 256 MiB in small pieces")
    policy.limit(.maxInflated, 1 << 32, "about ten seconds of work")
    return policy
  }()

  /// For a program that shows small pictures of a user's files: isolated, with workers that are used again.
  public static let thumbnailer: SecurityPolicy = {
    var policy = SecurityPolicy(name: "thumbnailer")
    policy.isolation = policy.setting(.required, "a folder shows files that nobody chose to open")
    policy.readsMetadata = policy.setting(false, "a thumbnail shows none of it")
    policy.readOptions = policy.setting([], "a thumbnail shows a picture as everybody sees it")
    policy.advisories = policy.setting(.isolate, "what is known to be broken is what is attacked")
    policy.siblings = policy.setting(.nothing, "a thumbnail changes with its file alone")
    policy.limit(.maxMemory, 512 << 20, "a folder of large pictures must not slow the desktop down")
    policy.limit(.maxMetadata, 4 << 20, "profiles are smaller")
    policy.limit(.maxComposedPixels, 1 << 30, "the first frame is enough")
    policy.limit(.maxMilliseconds, 10_000, "a folder has more pictures")
    policy.limit(.maxReads, 1 << 20, "a file of 256 MiB in small pieces")
    policy.limit(.maxInflated, 1 << 32, "about ten seconds of work")
    return policy
  }()

  /// For files that may attack: readers in pure Swift in the program, all others with every layer or not at all.
  public static let paranoid: SecurityPolicy = {
    var policy = SecurityPolicy(name: "paranoid")
    policy.isolation = policy.setting(.strict, "a library in C may be made to run what a file says")
    policy.isolationOfPureSwift = policy.setting(.inProcess, "Swift ends the program sooner than that")
    policy.usesFreshWorkers = policy.setting(true, "no file sees what another one has left in memory")
    policy.readsMetadata = policy.setting(false, "each parser that does not run is none to attack")
    policy.readOptions = policy.setting([], "each choice that is not there is none to attack")
    policy.advisories = policy.setting(.isolate, "what is known to be broken is what is attacked")
    policy.siblings = policy.setting(.nothing, "a file gets nothing that it did not bring")
    policy.limit(.maxPixels, 1 << 25, "32 megapixels: most photos")
    policy.limit(.maxSide, 8_192, "most photos and screenshots")
    policy.limit(.maxMemory, 256 << 20, "one picture and what it takes to decode it")
    policy.limit(.maxFrames, 256, "a short animation")
    policy.limit(.maxComposedPixels, 1 << 29, "about three seconds of work")
    policy.limit(.maxMetadata, 1 << 20, "profiles are smaller")
    policy.limit(.maxPages, 8, "an icon has as many sizes")
    policy.limit(.maxScans, 32, "encoders make at most a dozen passes")
    policy.limit(.maxMilliseconds, 5_000, "what takes longer is not worth it")
    policy.limit(.maxReads, 1 << 18, "a file of 64 MiB in small pieces")
    policy.limit(.maxInflated, 1 << 30, "about three seconds of work")
    return policy
  }()

  /// All presets, the one that holds without a choice first.
  public static let presets: [SecurityPolicy] = [standard, trusted, web, thumbnailer, paranoid]

  /// The preset of a name, or nil.
  public init?(preset name: String) {
    guard let preset = Self.presets.first(where: { $0.name == name }) else { return nil }
    self = preset
  }

  private func setting<Value>(_ value: Value, _ reason: String) -> Rule<Value> {
    Rule(value, origin: .preset(name), reason: reason)
  }

  private mutating func limit(_ limit: Limits.Name, _ value: Int, _ reason: String) {
    limits[limit] = setting(value, reason)
  }
}
