// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Apple's ImageIO for Linux: code that was written for a Mac compiles here, and ImageCoders does the work. It is a package of
// its own so that nobody has a module of these names in a build who did not ask for one: docs/imageio.md says why.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

/// The formats of ImageCoders, each a trait of both packages.
let formats = [
  "AVIF", "BMP", "EXR", "GIF", "HDR", "HEIF", "ICNS", "ICO", "JPEG", "JPEG2000", "JXL", "PNG", "PNM", "PSD", "QOI",
  "RAW", "TIFF", "WebP",
]

/// A module of `Sources`.
func module(_ name: String, uses modules: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: modules, swiftSettings: settings)
}

/// Code for a Mac in `Examples`.
func example(_ name: String) -> Target {
  .target(
    name: name, dependencies: ["ImageIO", "CoreGraphics", "UniformTypeIdentifiers"], path: "Examples/\(name)",
    swiftSettings: settings)
}

/// Tests in `Tests`, and what they use.
func tests(_ name: String, of modules: [Target.Dependency]) -> Target {
  // Optimizing takes most of the time in which tests are built, and gains nothing.
  .testTarget(
    name: name, dependencies: modules,
    swiftSettings: settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))])
}

let coders: Target.Dependency = .product(name: "ImageCodersBuiltIn", package: "ImageCoders")

let package = Package(
  name: "ImageIO",
  products: [
    .library(name: "ImageIO", targets: ["ImageIO", "CoreGraphics", "_Testing_CoreGraphics"]),
    .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
    .library(name: "MobileCoreServices", targets: ["MobileCoreServices"]),
    .library(name: "CoreServices", targets: ["CoreServices"]),
  ],
  traits: Set(
    formats.map { .trait(name: $0, description: "\($0), built into the program.") } + [
      .trait(name: "AllFormats", description: "All of them.", enabledTraits: Set(formats)),
      .default(enabledTraits: ["AllFormats"]),
    ]),
  dependencies: [
    .package(
      name: "ImageCoders", path: "..", traits: Set(formats.map { .trait(name: $0, condition: .when(traits: [$0])) }))
  ],
  targets: [
    module("CoreGraphics", uses: [coders]),
    // What Swift Testing asks for where it meets CoreGraphics.
    module("_Testing_CoreGraphics"),
    module("TypeIdentifiers", uses: ["CoreGraphics"]),
    module("ImageIO", uses: ["CoreGraphics", "TypeIdentifiers", coders]),
    module("UniformTypeIdentifiers"),
    module("MobileCoreServices", uses: ["TypeIdentifiers", "UniformTypeIdentifiers"]),
    module("CoreServices", uses: ["MobileCoreServices"]),
    // A port of well-known code for a Mac, and a server's code, as examples and as tests.
    example("CoderPort"),
    example("UploadServer"),
    tests(
      "ImageIOTests",
      of: [
        "ImageIO", "CoreGraphics", "UniformTypeIdentifiers", "MobileCoreServices", "CoreServices", "CoderPort",
        "UploadServer", "_Testing_CoreGraphics", coders,
      ]),
  ]
)
