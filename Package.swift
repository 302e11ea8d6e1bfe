// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// For the module that gives out views of storage that is not its own.
let spanSettings = settings + [.enableExperimentalFeature("Lifetimes")]

// A target names every module whose types it uses, also those that come with another one: the build rebuilds it only
// when a module that it names has changed.
let package = Package(
  name: "ImageCoders",
  products: [
    .library(name: "ImageCoders", targets: ["ImageCoders"]),
    .library(name: "ImageCoderPlugin", targets: ["ImageCoderPlugin"]),
    .library(name: "ImageCoderTesting", targets: ["ImageCoderTesting"]),
    .executable(name: "coders", targets: ["coders"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .target(name: "CImageCoder", path: "Sources/CImageCoder"),
    // Values, errors, limits, session protocols and checked readers of bytes: all that a plugin links.
    .target(
      name: "ImageCoderModel", dependencies: ["CImageCoder", "CImageCoderStructs"], path: "Sources/ImageCoderModel",
      swiftSettings: spanSettings),
    .target(
      name: "ImageCoderEngine", dependencies: ["CHostSystem", "CImageCoder", "CImageCoderStructs", "ImageCoderModel"],
      path: "Sources/ImageCoderEngine", swiftSettings: settings),
    .target(name: "CImageCoderStructs", dependencies: ["CImageCoder"], path: "Sources/CImageCoderStructs"),
    .target(name: "CImageCoderEntry", dependencies: ["CImageCoder"], path: "Sources/CImageCoderEntry"),
    .target(
      name: "ImageCoderPlugin",
      dependencies: ["CImageCoder", "CImageCoderEntry", "CImageCoderStructs", "ImageCoderModel"],
      path: "Sources/ImageCoderPlugin", swiftSettings: settings),
    .target(name: "CHostSystem", path: "Sources/CHostSystem"),
    .target(
      name: "ImageCoders",
      dependencies: ["CHostSystem", "CImageCoder", "CImageCoderStructs", "ImageCoderEngine", "ImageCoderModel"],
      path: "Sources/ImageCoders", swiftSettings: settings),
    .target(
      name: "ImageCoderTesting", dependencies: ["ImageCoders", "ImageCoderEngine", "ImageCoderModel"],
      path: "Sources/ImageCoderTesting",
      swiftSettings: settings),
    .target(
      name: "CodersCommand",
      dependencies: [
        "ImageCoders", "ImageCoderEngine", "ImageCoderModel",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/CodersCommand", swiftSettings: settings),
    .executableTarget(name: "coders", dependencies: ["CodersCommand"], path: "Sources/coders", swiftSettings: settings),
    .executableTarget(
      name: "coder-digest", dependencies: ["ImageCoderTesting", "ImageCoders", "ImageCoderEngine", "ImageCoderModel"],
      path: "Tests/Conformance/Digest", swiftSettings: settings),
    .executableTarget(
      name: "coder-bench", dependencies: ["ImageCoders", "ImageCoderEngine", "ImageCoderModel"],
      path: "Benchmarks/Bench",
      swiftSettings: settings),
    .testTarget(
      name: "ImageCoderModelTests", dependencies: ["ImageCoderModel"], path: "Tests/ImageCoderModelTests",
      swiftSettings: settings),
    .testTarget(
      name: "ImageCoderEngineTests", dependencies: ["ImageCoderEngine", "ImageCoderModel", "TestSupport"],
      path: "Tests/ImageCoderEngineTests",
      swiftSettings: settings),
    .testTarget(
      name: "CodersCommandTests",
      dependencies: [
        "CImageCoder", "CodersCommand", "ImageCoders", "ImageCoderEngine", "ImageCoderModel", "TestSupport",
      ],
      path: "Tests/CodersCommandTests", swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CInterfaceFakes", dependencies: ["CImageCoder"], path: "Tests/CInterfaceFakes"),
    .testTarget(
      name: "InterfaceTests",
      dependencies: [
        "CInterfaceFakes", "ImageCoderPlugin", "ImageCoders", "ImageCoderEngine", "ImageCoderModel", "TestSupport",
      ],
      path: "Tests/InterfaceTests", swiftSettings: settings),
    .testTarget(
      name: "ImageCodersTests", dependencies: ["ImageCoders", "ImageCoderEngine", "ImageCoderModel", "TestSupport"],
      path: "Tests/ImageCodersTests", swiftSettings: settings),
    .testTarget(
      name: "EncodingTests", dependencies: ["ImageCoders", "ImageCoderEngine", "ImageCoderModel", "TestSupport"],
      path: "Tests/EncodingTests", swiftSettings: settings),
    .testTarget(
      name: "PluginTests",
      dependencies: ["ImageCoderTesting", "ImageCoders", "ImageCoderEngine", "ImageCoderModel", "TestSupport"],
      path: "Tests/PluginTests", swiftSettings: settings),
  ]
)
