// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

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
    .target(
      name: "ImageCoderCore", dependencies: ["CHostSystem", "CImageCoder"], path: "Sources/ImageCoderCore",
      swiftSettings: settings),
    .target(name: "CImageCoderEntry", dependencies: ["CImageCoder"], path: "Sources/CImageCoderEntry"),
    .target(
      name: "ImageCoderPlugin", dependencies: ["CImageCoder", "CImageCoderEntry", "ImageCoderCore"],
      path: "Sources/ImageCoderPlugin", swiftSettings: settings),
    .target(name: "CHostSystem", path: "Sources/CHostSystem"),
    .target(
      name: "ImageCoders", dependencies: ["CHostSystem", "CImageCoder", "ImageCoderCore"], path: "Sources/ImageCoders",
      swiftSettings: settings),
    .target(
      name: "ImageCoderTesting", dependencies: ["ImageCoders", "ImageCoderCore"], path: "Sources/ImageCoderTesting",
      swiftSettings: settings),
    .target(
      name: "CodersCommand",
      dependencies: [
        "ImageCoders", "ImageCoderCore",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/CodersCommand", swiftSettings: settings),
    .executableTarget(name: "coders", dependencies: ["CodersCommand"], path: "Sources/coders", swiftSettings: settings),
    .executableTarget(
      name: "coder-digest", dependencies: ["ImageCoderTesting", "ImageCoders", "ImageCoderCore"],
      path: "Tests/Conformance/Digest", swiftSettings: settings),
    .executableTarget(
      name: "coder-bench", dependencies: ["ImageCoders", "ImageCoderCore"], path: "Benchmarks/Bench",
      swiftSettings: settings),
    .testTarget(
      name: "ImageCoderCoreTests", dependencies: ["ImageCoderCore"], path: "Tests/ImageCoderCoreTests",
      swiftSettings: settings),
    .testTarget(
      name: "CodersCommandTests",
      dependencies: ["CImageCoder", "CodersCommand", "ImageCoders", "ImageCoderCore", "TestSupport"],
      path: "Tests/CodersCommandTests", swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CInterfaceFakes", dependencies: ["CImageCoder"], path: "Tests/CInterfaceFakes"),
    .testTarget(
      name: "InterfaceTests",
      dependencies: ["CInterfaceFakes", "ImageCoderPlugin", "ImageCoders", "ImageCoderCore", "TestSupport"],
      path: "Tests/InterfaceTests", swiftSettings: settings),
    .testTarget(
      name: "ImageCodersTests", dependencies: ["ImageCoders", "ImageCoderCore", "TestSupport"],
      path: "Tests/ImageCodersTests", swiftSettings: settings),
    .testTarget(
      name: "EncodingTests", dependencies: ["ImageCoders", "ImageCoderCore", "TestSupport"],
      path: "Tests/EncodingTests", swiftSettings: settings),
    .testTarget(
      name: "PluginTests", dependencies: ["ImageCoderTesting", "ImageCoders", "ImageCoderCore", "TestSupport"],
      path: "Tests/PluginTests", swiftSettings: settings),
  ]
)
