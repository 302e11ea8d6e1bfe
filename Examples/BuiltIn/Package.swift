// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Applications that work after `swift build`: the coders are part of them. They name the formats that they want, and need
// the libraries of those alone.
let coders: [Target.Dependency] = [.product(name: "ImageCodersBuiltIn", package: "ImageCoders")]
let worker: [Target.Dependency] = [.product(name: "ImageCodersWorker", package: "ImageCoders")]
let animation: [Target.Dependency] = [.product(name: "ImageAnimation", package: "ImageCoders")]
let package = Package(
  name: "BuiltIn",
  dependencies: [.package(name: "ImageCoders", path: "../..", traits: ["AllFormats"])],
  targets: [
    .executableTarget(name: "thumbnail", dependencies: coders + worker),
    .executableTarget(name: "player", dependencies: coders + animation),
    .executableTarget(name: "loop", dependencies: coders + animation),
    .executableTarget(name: "batch", dependencies: coders + worker),
  ],
  swiftLanguageModes: [.v6]
)
