// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
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

/// A coder in a folder of its own: `<folder>/Sources` in Swift, which sees what a third party sees, and `<folder>/Entry`,
/// the one symbol that makes a plugin of it.
func coder(_ name: String, in folder: String, wraps libraries: [Target.Dependency]) -> [Target] {
  [
    .target(
      name: name, dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")] + libraries,
      path: "\(folder)/Sources", swiftSettings: settings),
    .target(
      name: entry(of: name),
      dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders"), .target(name: name)],
      path: "\(folder)/Entry", swiftSettings: settings, linkerSettings: linking),
  ]
}

/// The module of a coder's entry: `PNGPlugin` for `PNGCoder`.
func entry(of coder: String) -> String { coder.replacing("Coder", with: "Plugin") }

/// Unit tests of a coder's parsers, or of code that coders share: each folder `Tests/<module>Tests`.
let unitTests: [Target] =
  ((try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/Tests")) ?? [])
  .filter { $0.hasSuffix("Tests") }.sorted().map { folder in
    .testTarget(
      name: folder,
      dependencies: [
        .product(name: "ImageCoderPlugin", package: "ImageCoders"),
        .target(name: String(folder.dropLast("Tests".count))),
        "CoderTestSupport",
      ],
      path: "Tests/\(folder)", swiftSettings: settings)
  }

/// Libraries that a plugin wraps, through their headers and pkg-config.
func wrapped(_ module: String, in folder: String, pkgConfig: String?, debian: String) -> Target {
  .systemLibrary(name: module, path: "\(folder)/\(module)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// Boxes, and planes as colors.
let containerModules: [Target.Dependency] = ["ISOBaseMediaFile", "SharedPlanes"]

let coders: [[Target]] = [
  coder("PNGCoder", in: "PNG", wraps: ["CPNGShim"]),
  coder("JPEGCoder", in: "JPEG", wraps: ["CJPEGShim"]),
  coder("GIFCoder", in: "GIF", wraps: ["Palettes"]),
  coder("GIFLibCoder", in: "GIFLib", wraps: ["CGIF"]),
  coder("WebPCoder", in: "WebP", wraps: ["CWebP"]),
  coder("HEIFCoder", in: "HEIF", wraps: ["CHEIF", "CHEIFShim", "CDe265", "HEVCBitstream"] + containerModules),
  coder("LibHEIFCoder", in: "LibHEIF", wraps: ["CHEIF", "HEVCBitstream", "ISOBaseMediaFile"]),
  coder("AVIFCoder", in: "AVIF", wraps: ["CAVIF"] + containerModules),
  coder("TIFFCoder", in: "TIFF", wraps: ["CTIFFShim"]),
  coder("JPEG2000Coder", in: "JPEG2000", wraps: ["COpenJPEG", "SharedPlanes"]),
  coder("JXLCoder", in: "JXL", wraps: ["CJXL"]),
  coder("BMPCoder", in: "BMP", wraps: ["DeviceIndependentBitmap", "Palettes"]),
  coder("ICOCoder", in: "ICO", wraps: ["DeviceIndependentBitmap"]),
  coder("ICNSCoder", in: "ICNS", wraps: ["CZlib"]),
  coder("QOICoder", in: "QOI", wraps: []),
  coder("PNMCoder", in: "PNM", wraps: []),
]

let package = Package(
  name: "Plugins",
  products: coders.map { .library(name: $0[0].name, type: .dynamic, targets: [$0[1].name]) },
  dependencies: [.package(name: "ImageCoders", path: "..")],
  targets: coders.flatMap { $0 } + unitTests + [
    // libpng, libjpeg and libtiff report errors in ways that may not cross Swift: a few lines of C stand between.
    .target(
      name: "CPNGShim", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "PNG/CPNGShim",
      linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z"), .linkedLibrary("deflate")]),
    .target(
      name: "CJPEGShim", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "JPEG/CJPEGShim", linkerSettings: [.linkedLibrary("jpeg")]),
    .target(
      name: "CTIFFShim", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders"), "CSharedPlanes"],
      path: "TIFF/CTIFFShim", linkerSettings: [.linkedLibrary("tiff")]),
    // libde265 behind three calls, and pixels as planes of luma and chroma.
    .target(name: "CHEIFShim", path: "HEIF/CHEIFShim", linkerSettings: [.linkedLibrary("de265")]),
    // A file in memory for the tests of parsers.
    .target(
      name: "CoderTestSupport", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Tests/CoderTestSupport", swiftSettings: settings),
    // What BMP files and the entries of ICO files have in common.
    .target(
      name: "DeviceIndependentBitmap", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Shared/DeviceIndependentBitmap", swiftSettings: settings),
    // NAL units and parameter sets of HEVC, checked before libde265 sees them.
    .target(
      name: "HEVCBitstream", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Shared/HEVCBitstream", swiftSettings: settings),
    // Up to 256 colors and their numbers.
    .target(name: "Palettes", path: "Shared/Palettes", swiftSettings: settings),
    // Boxes, items and tracks, which HEIF and AVIF have in common.
    .target(
      name: "ISOBaseMediaFile", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Shared/ISOBaseMediaFile", swiftSettings: settings),
    // Planes of luma and chroma, and CIELab, as red, green and blue: once for all formats. The loops are C, which the
    // compiler turns into vector instructions.
    .target(
      name: "SharedPlanes",
      dependencies: ["CSharedPlanes", .product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Shared/Planes/SharedPlanes", swiftSettings: settings),
    .target(name: "CSharedPlanes", path: "Shared/Planes/CSharedPlanes", linkerSettings: [.linkedLibrary("m")]),
    wrapped("CGIF", in: "GIFLib", pkgConfig: nil, debian: "libgif-dev"),
    wrapped("CWebP", in: "WebP", pkgConfig: "libwebp", debian: "libwebp-dev"),
    wrapped("CHEIF", in: "HEIF", pkgConfig: "libheif", debian: "libheif-dev"),
    wrapped("CDe265", in: "HEIF", pkgConfig: "libde265", debian: "libde265-dev"),
    wrapped("CAVIF", in: "AVIF", pkgConfig: nil, debian: "libavif-dev"),
    wrapped("COpenJPEG", in: "JPEG2000", pkgConfig: "libopenjp2", debian: "libopenjp2-7-dev"),
    wrapped("CZlib", in: "ICNS", pkgConfig: nil, debian: "zlib1g-dev"),
    wrapped("CJXL", in: "JXL", pkgConfig: nil, debian: "libjxl-dev"),
  ]
)
