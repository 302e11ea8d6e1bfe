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
  ],
  targets: [
    .target(name: "CImageCoder", path: "Sources/CImageCoder"),
    .target(
      name: "ImageCoderCore", dependencies: ["CImageCoder"], path: "Sources/ImageCoderCore", swiftSettings: settings),
    .target(name: "CImageCoderEntry", dependencies: ["CImageCoder"], path: "Sources/CImageCoderEntry"),
    .target(
      name: "ImageCoderPlugin", dependencies: ["CImageCoder", "CImageCoderEntry", "ImageCoderCore"],
      path: "Sources/ImageCoderPlugin", swiftSettings: settings),
    .target(name: "CHostSystem", path: "Sources/CHostSystem"),
    .target(
      name: "ImageCoders", dependencies: ["CHostSystem", "CImageCoder", "ImageCoderCore"], path: "Sources/ImageCoders",
      swiftSettings: settings),
    .testTarget(
      name: "ImageCoderCoreTests", dependencies: ["ImageCoderCore"], path: "Tests/ImageCoderCoreTests",
      swiftSettings: settings),
  ]
)
