// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// One exported symbol, everything bound at load time, and no path of the build machine in the library.
let linking: [LinkerSetting] = [
  .unsafeFlags([
    "-Xlinker", "--version-script=\(Context.packageDirectory)/exports.map", "-Xlinker", "-z", "-Xlinker", "now",
    "-Xlinker", "--gc-sections", "-no-toolchain-stdlib-rpath",
  ])
]

/// A plugin in a folder of its own: `<folder>/Sources` in Swift, which sees what a third party sees.
func coder(_ name: String, in folder: String, wraps libraries: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")] + libraries,
    path: "\(folder)/Sources", swiftSettings: settings, linkerSettings: linking)
}

let package = Package(
  name: "Plugins",
  products: [
    .library(name: "PNGCoder", type: .dynamic, targets: ["PNGCoder"]),
    .library(name: "JPEGCoder", type: .dynamic, targets: ["JPEGCoder"]),
    .library(name: "GIFCoder", type: .dynamic, targets: ["GIFCoder"]),
    .library(name: "WebPCoder", type: .dynamic, targets: ["WebPCoder"]),
  ],
  dependencies: [.package(name: "ImageCoders", path: "..")],
  targets: [
    // libpng and libjpeg report errors with longjmp, which may not cross Swift: a few lines of C stand between.
    .target(
      name: "CPNGShim", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "PNG/CPNGShim", linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z")]),
    coder("PNGCoder", in: "PNG", wraps: ["CPNGShim"]),
    .target(
      name: "CJPEGShim", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "JPEG/CJPEGShim", linkerSettings: [.linkedLibrary("jpeg")]),
    coder("JPEGCoder", in: "JPEG", wraps: ["CJPEGShim"]),
    .systemLibrary(name: "CGIF", path: "GIF/CGIF", providers: [.apt(["libgif-dev"])]),
    coder("GIFCoder", in: "GIF", wraps: ["CGIF"]),
    .systemLibrary(name: "CWebP", path: "WebP/CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"])]),
    coder("WebPCoder", in: "WebP", wraps: ["CWebP"]),
  ]
)
