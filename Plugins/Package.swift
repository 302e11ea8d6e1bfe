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

/// A plugin: `<folder>/Entry`, the one symbol that makes a plugin of a coder, whose product of the package above it links.
/// That product is a library of `<folder>/Sources`, which sees what a third party sees.
func plugin(_ coder: String, in folder: String) -> Target {
  .target(
    name: coder.replacing("Coder", with: "Plugin"),
    dependencies: [
      .product(name: "ImageCoderPlugin", package: "ImageCoders"), .product(name: coder, package: "ImageCoders"),
    ],
    path: "\(folder)/Entry", swiftSettings: settings, linkerSettings: linking)
}

/// The product that has a module: a coder's own, or that of the code that coders share.
func product(of module: String) -> String { module.hasSuffix("Coder") ? module : "CoderParts" }

/// The plugins that are built and tested: those that the variable CODERS_PLUGINS names, `PNG GIF`, or all. The library of another one
/// may be missing. `Parts` stands for the code that coders share.
let chosen = Context.environment["CODERS_PLUGINS"].map { Set($0.split(separator: " ").map(String.init)) }

func isChosen(_ module: String) -> Bool {
  chosen?.contains(module.hasSuffix("Coder") ? String(module.dropLast("Coder".count)) : "Parts") ?? true
}

/// Unit tests of a coder's parsers, or of code that coders share: each folder `Tests/<module>Tests`.
let unitTests: [Target] =
  ((try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/Tests")) ?? [])
  .filter { $0.hasSuffix("Tests") && isChosen(String($0.dropLast("Tests".count))) }.sorted().map { folder in
    .testTarget(
      name: folder,
      dependencies: [
        .product(name: "ImageCoderPlugin", package: "ImageCoders"),
        .product(name: product(of: String(folder.dropLast("Tests".count))), package: "ImageCoders"),
        "CoderTestSupport",
      ],
      path: "Tests/\(folder)", swiftSettings: settings)
  }

/// Whether a folder is there: of a part of this tree, only that part is built.
func isHere(_ folder: String) -> Bool {
  FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)")
}

/// Each folder with an entry is a plugin.
let plugins: [Target] =
  ((try? FileManager.default.contentsOfDirectory(atPath: Context.packageDirectory)) ?? [])
  .filter { isHere("\($0)/Entry") && isChosen("\($0)Coder") }.sorted().map { plugin("\($0)Coder", in: $0) }

let package = Package(
  name: "Plugins",
  products: plugins.map {
    .library(name: $0.name.replacing("Plugin", with: "Coder"), type: .dynamic, targets: [$0.name])
  },
  dependencies: [.package(name: "ImageCoders", path: "..")],
  targets: plugins + unitTests + [
    // A file in memory for the tests of parsers.
    .target(
      name: "CoderTestSupport", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Tests/CoderTestSupport", swiftSettings: settings)
  ]
)
package.targets.removeAll { !isHere($0.path ?? $0.name) }
