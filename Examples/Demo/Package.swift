// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let imageCoders = Target.Dependency.product(name: "ImageCoders", package: "ImageCoders")

// An application of the library: it uses the public product alone, as any other application does.
let package = Package(
  name: "Demo",
  dependencies: [.package(name: "ImageCoders", path: "../..")],
  targets: [
    .target(name: "BitmapFont", swiftSettings: settings),
    .target(name: "SampleImages", dependencies: ["BitmapFont", imageCoders], swiftSettings: settings),
    .target(name: "ContactSheets", dependencies: ["BitmapFont", imageCoders], swiftSettings: settings),
    .executableTarget(name: "make-samples", dependencies: ["SampleImages", imageCoders], swiftSettings: settings),
    .executableTarget(name: "contact-sheet", dependencies: ["ContactSheets", imageCoders], swiftSettings: settings),
    .testTarget(
      name: "ContactSheetsTests", dependencies: ["ContactSheets", "SampleImages", imageCoders],
      swiftSettings: settings),
  ]
)
