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

// Optimizing takes a third of the time in which tests are built, and gains nothing. Only root packages may have such flags.
let quickSettings = settings + [.unsafeFlags(["-Onone"], .when(configuration: .release))]
// What draws no picture is small where scripts/build-facade says so.
let small = Context.environment["CODERS_COMMAND"] == "small" ? settings + [.unsafeFlags(["-Osize"])] : settings
// For the module that gives out views of storage that is not its own.
let spanSettings = settings + [.enableExperimentalFeature("Lifetimes")]

/// A coder, in `Plugins/<folder>/Sources`: the plugin and the coder that is built into a program are the same module. It
/// sees what a third party sees of this package.
func coder(in folder: String, uses parts: [Target.Dependency]) -> Target {
  .target(
    name: "\(folder)Coder", dependencies: ["ImageCoderPlugin"] + parts, path: "Plugins/\(folder)/Sources",
    packageAccess: false, swiftSettings: settings)
}

/// What several formats are made of, in `Plugins/Formats`.
func format(_ name: String, dependencies: [Target.Dependency] = ["ImageCoderPlugin"]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Plugins/Formats/\(name)", packageAccess: false,
    swiftSettings: settings)
}

/// A few lines of C between a coder and its library, or loops that know nothing of this package, in `Plugins/Kernels`.
func shim(
  _ name: String, in folder: String = "Kernels", dependencies: [Target.Dependency] = [], links libraries: [String] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Plugins/\(folder)/\(name)",
    linkerSettings: libraries.map { .linkedLibrary($0) })
}

/// A library that a coder wraps, through its headers and pkg-config.
func wrapped(_ module: String, in folder: String, pkgConfig: String? = nil, debian: String) -> Target {
  .systemLibrary(
    name: module, path: "Plugins/\(folder)/\(module)", pkgConfig: pkgConfig, providers: [.apt([debian])])
}

/// A module of `Sources`.
func module(_ name: String, uses dependencies: [Target.Dependency], _ settings: [SwiftSetting] = settings) -> Target {
  .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

/// A part of an example, which uses public products alone, as any other application does.
func demo(_ name: String, in folder: String = "Demo", dependencies: [Target.Dependency]) -> Target {
  .target(
    name: name, dependencies: dependencies, path: "Examples/\(folder)/Sources/\(name)", packageAccess: false,
    swiftSettings: settings)
}

/// A program of the demonstration.
func demoProgram(_ name: String, of part: Target.Dependency) -> Target {
  .executableTarget(
    name: name, dependencies: [part, "ImageCoders"], path: "Examples/Demo/Sources/\(name)", packageAccess: false,
    swiftSettings: settings)
}

/// A product of another package that only ImageLoading needs.
func loading(_ product: String, of package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Loading"]))
}

/// Tests in `Tests/<module>Tests`, with what they use beside TestSupport.
func tests(of module: String, use dependencies: [Target.Dependency]) -> Target {
  .testTarget(
    name: "\(module)Tests", dependencies: dependencies + ["TestSupport"], path: "Tests/\(module)Tests",
    swiftSettings: quickSettings)
}

/// What programs and libraries over the coders use.
let library: [Target.Dependency] = ["ImageCoders", "ImageCoderEngine", "ImageCoderModel"]
let facade: [Target.Dependency] = ["CHEIFLibrary", "CImageCodersFacade", "CProcessGuard", "CodersCommand"]

/// Boxes, what is said of pictures in a video codec, and planes as colors.
let containerModules: [Target.Dependency] = ["CodedPictures", "ISOBaseMediaFile", "SharedPlanes"]

/// Whether a target's folder is there: of a part of this tree, only that part is built.
func isHere(_ target: Target) -> Bool { isHere(target.path ?? target.name) }
func isHere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(path)") }

/// Libraries and shared modules that coders use, by their folders.
let parts: [String: [Target.Dependency]] = [
  "AVIF": ["CAVIF", "CDav1d", "CQuietLibrary"] + containerModules,
  "BMP": ["DeviceIndependentBitmap", "Palettes"],
  "EXR": ["CEXRShim", "COpenEXR"],
  "GIF": ["Palettes"],
  "GIFLib": ["CGIF"],
  "HEIF": ["CDe265", "CDeflate", "CHEIFLibrary", "CHEIFShim", "HEVCBitstream"] + containerModules,
  "ICNS": ["CZlib", "SmallPNG"],
  "ICO": ["DeviceIndependentBitmap", "SmallPNG"],
  "JPEG": ["CJPEGEighths", "CJPEGShim", "CLosslessJPEG", "PhotoshopResources"],
  "JPEG2000": ["COpenJPEG", "SharedPlanes"],
  "JXL": ["CJXL", "CQuietLibrary", "PhotoshopResources"],
  "LibHEIF": ["CHEIF", "CHEIFShim", "CodedPictures", "HEVCBitstream", "ISOBaseMediaFile"],
  "PNG": ["CPNGShim", "PhotoshopResources"],
  "PNM": ["CPixelBytes"],
  "PSD": ["CDeflate", "PhotoshopResources", "SharedPlanes"],
  "RAW": ["CRAWShim"],
  "SVG": ["CSVGShim"],
  "TIFF": ["CTIFFShim", "PhotoshopResources"],
  "WebP": ["CRollingMemory", "CVP8L", "CWebP"],
]

/// The coders, each a product and a trait. The Swift Package Index builds with all traits, and has no libraries.
let coders: [Target] =
  ((try? FileManager.default.contentsOfDirectory(atPath: "\(Context.packageDirectory)/Plugins")) ?? [])
  .filter { isHere("Plugins/\($0)/Entry") }.sorted()
  .filter { Context.environment["SPI_PROCESSING"] == nil || needsNoLibrary($0) }
  .map { coder(in: $0, uses: parts[$0, default: []]) }.filter(isHere)

/// Whether a coder wraps no library: its manifest names no packages.
func needsNoLibrary(_ trait: String) -> Bool {
  let path = "\(Context.packageDirectory)/Registry/\(trait.lowercased()).imgcoder.json"
  return (try? String(contentsOfFile: path, encoding: .utf8))?.contains("\"packages\"") == false
}

/// What the coders are made of.
let coderParts: [Target] = [
  // libpng, libjpeg and libtiff report errors in ways that may not cross Swift: a few lines of C stand between.
  shim(
    "CPNGShim", in: "PNG", dependencies: ["CDeflate", "CImageCoder", "CPNGRows"], links: ["png16", "z", "deflate"]),
  shim("CJPEGShim", in: "JPEG", dependencies: ["CImageCoder", "CJPEGEighths", "CProcessor"], links: ["jpeg"]),
  shim(
    "CTIFFShim", in: "TIFF", dependencies: ["CImageCoder", "CJPEGEighths", "CLosslessJPEG", "CSharedPlanes"],
    links: ["tiff", "jpeg"]),
  // libheif, loaded when it is needed; libde265 in three calls, and pixels as planes of luma and chroma.
  shim("CHEIFLibrary", in: "HEIF", links: ["dl"]),
  shim("CHEIFShim", in: "HEIF", links: ["de265"]),
  shim("CSVGShim", in: "SVG", dependencies: ["CImageCoder", "CLibrsvg"], links: ["fontconfig", "z"]),
  wrapped("CLibrsvg", in: "SVG", pkgConfig: "librsvg-2.0", debian: "librsvg2-dev"),
  wrapped("CGIF", in: "GIFLib", debian: "libgif-dev"),
  // Where libwebp writes a whole picture of which a few rows at a time are wanted.
  shim("CRollingMemory", in: "WebP", links: []),
  wrapped("CWebP", in: "WebP", pkgConfig: "libwebp", debian: "libwebp-dev"),
  wrapped("CHEIF", in: "LibHEIF", pkgConfig: "libheif", debian: "libheif-dev"),
  wrapped("CDe265", in: "HEIF", pkgConfig: "libde265", debian: "libde265-dev"),
  wrapped("CAVIF", in: "AVIF", debian: "libavif-dev"),
  // AV1 data without libavif in between.
  wrapped("CDav1d", in: "AVIF", pkgConfig: "dav1d", debian: "libdav1d-dev"),
  shim("CEXRShim", in: "EXR", dependencies: ["COpenEXR"], links: []),
  wrapped("COpenEXR", in: "EXR", pkgConfig: "OpenEXR", debian: "libopenexr-dev"),
  wrapped("COpenJPEG", in: "JPEG2000", pkgConfig: "libopenjp2", debian: "libopenjp2-7-dev"),
  wrapped("CZlib", in: "ICNS", debian: "zlib1g-dev"),
  wrapped("CJXL", in: "JXL", debian: "libjxl-dev"),
  shim("CRAWShim", in: "RAW", dependencies: ["CImageCoder"], links: ["raw_r", "z", "dl"]),
  // What several formats are made of: Plugins/Formats/README.md.
  format("DeviceIndependentBitmap", dependencies: ["CPixelBytes", "ImageCoderPlugin"]),
  format("SharedPlanes", dependencies: ["CSharedPlanes", "ImageCoderPlugin"]),
  // Loops in C, and what each asks of its callers: Plugins/Kernels/README.md.
  shim("CDeflate", dependencies: ["CProcessor"], links: ["deflate"]),
  shim("CJPEGEighths", dependencies: ["CProcessor"], links: ["jpeg"]),
  shim("CLosslessJPEG"),
  shim("CPNGRows", dependencies: ["CProcessor"]),
  shim("CPixelBytes", dependencies: ["CProcessor"]),
  shim("CProcessing", dependencies: ["CProcessor"], links: ["m"]),
  shim("CProcessor"),
  shim("CQuietLibrary"),
  shim("CSharedPlanes", links: ["m"]),
  shim("CVP8L", dependencies: ["CPixelBytes", "CProcessor"]),
]
let plainFormats = ["CodedPictures", "HEVCBitstream", "ISOBaseMediaFile", "Palettes", "PhotoshopResources", "SmallPNG"]

/// The trait that builds a coder in: `PNG` for `PNGCoder`.
func trait(of coder: Target) -> String { String(coder.name.dropLast("Coder".count)) }

/// Products of one module each.
let libraries: [Product] = [
  "ImageCoders", "ImageCodersBuiltIn", "ImageCodersWorker", "ImageCodersFoundation", "ImageCodersNIO", "ImageAnimation",
  "ImageSheets", "ImageProcessing", "ImageCaching", "ImageLoading", "ImageCoderTesting",
].map { .library(name: $0, targets: [$0]) }

// A target names every module whose types it uses: the build rebuilds it only when a module that it names has changed.
let package = Package(
  name: "ImageCoders",
  products: libraries + [
    .library(name: "ImageCodersFacade", type: .dynamic, targets: ["ImageCodersFacade"]),
    .library(name: "ImageCoderPlugin", targets: ["ImageCoderPlugin", "CImageCoderEntry"]),
    .plugin(name: "CoderPlugin", targets: ["CoderPlugin"]),
    .executable(name: "coders", targets: ["coders"]),
    .library(
      name: "CoderParts",
      targets: [
        "CodedPictures", "CPixelBytes", "HEVCBitstream", "ISOBaseMediaFile", "Palettes", "PhotoshopResources",
        "SharedPlanes", "SmallPNG",
      ]),
  ] + coders.map { .library(name: $0.name, targets: [$0.name]) },
  // A package that wants the libraries alone says `traits: []`; then argument-parser is not fetched. What a trait builds
  // in is only in programs that link ImageCodersBuiltIn, and only they need its library.
  traits: Set(coders.map { .trait(name: trait(of: $0), description: "\(trait(of: $0)), built into the program.") })
    .union([
      .trait(name: "Command", description: "The command coders, which needs swift-argument-parser."),
      .trait(name: "Loading", description: "The product ImageLoading, which needs async-http-client."),
      .trait(name: "NIO", description: "The product ImageCodersNIO, which needs swift-nio."),
      .trait(
        name: "FormatsInSwift", description: "All formats that need no library, built into the program.",
        enabledTraits: Set(coders.map(trait).filter(needsNoLibrary))),
      .trait(
        name: "AllFormats", description: "One coder of each format, built into the program.",
        enabledTraits: Set(coders.map(trait)).subtracting(["GIFLib", "LibHEIF", "SVG"])),
      .default(enabledTraits: ["Command", "FormatsInSwift"]),
    ]),
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
  ],
  targets: [
    .target(name: "CImageCoder", path: "Sources/CImageCoder"),
    .target(name: "CLocks", path: "Sources/CLocks"),
    // Values, errors, limits, session protocols and checked readers of bytes: all that a plugin links.
    module("ImageCoderModel", uses: ["CImageCoder", "CImageCoderStructs", "CLocks"], spanSettings),
    module(
      "ImageCoderEngine",
      uses: ["CHostSystem", "CImageCoder", "CImageCoderStructs", "CSimilarity", "ImageCoderModel"], spanSettings),
    .target(name: "CSimilarity", path: "Sources/CSimilarity", linkerSettings: [.linkedLibrary("m")]),
    .target(name: "CImageCoderStructs", dependencies: ["CImageCoder"], path: "Sources/CImageCoderStructs"),
    // What makes a plugin of a coder: no dependency of ImageCoderPlugin, as a program with coders built in has no entry.
    .target(name: "CImageCoderEntry", dependencies: ["CImageCoder"], path: "Sources/CImageCoderEntry"),
    module("ImageCoderPlugin", uses: ["CImageCoder", "CImageCoderStructs", "ImageCoderModel"]),
    // `swift package coder-plugin`, for packages of plugins.
    .plugin(
      name: "CoderPlugin",
      capability: .command(
        intent: .custom(verb: "coder-plugin", description: "Build the package's coder as a plugin, with its manifest"),
        permissions: [.writeToPackageDirectory(reason: "The plugin and its manifest are put into build/.")]),
      path: "Sources/CoderPlugin"),
    .target(name: "CHostSystem", path: "Sources/CHostSystem"),
    .target(name: "CProcessGuard", dependencies: ["CHostSystem"], path: "Sources/CProcessGuard"),
    .target(name: "CProcessCalls", dependencies: ["CHostSystem", "CProcessGuard"], path: "Sources/CProcessCalls"),
    // What a program and the workers of its plugins say to each other. The worker of plugins, `coders-worker`, is built by
    // `scripts/build-worker`: it links the C library alone. A program with built-in coders is its own worker.
    .target(name: "CIsolation", path: "Sources/CIsolation"),
    .target(
      name: "CWorker", dependencies: ["CImageCoder", "CImageCoderStructs", "CIsolation"], path: "Sources/coders-worker",
      exclude: ["main.c"]),
    module("ImageCodersWorker", uses: ["CWorker", "ImageCoders"]),
    module(
      "ImageCoders",
      uses: ["CHostSystem", "CImageCoder", "CImageCoderStructs", "CIsolation", "ImageCoderEngine", "ImageCoderModel"]),
    // The library for other languages, with the coders inside: scripts/build-facade links libimagecoders.so of it.
    .target(name: "CImageCodersFacade", path: "Sources/CImageCodersFacade"),
    module("ImageCodersFacade", uses: facade + ["ImageCodersBuiltIn", "ImageCodersWorker"] + library),
    // For programs that use Foundation, which the library itself does not need.
    module("ImageCodersFoundation", uses: library),
    // The memory of a process that animations and caches share, and what the system says of it.
    module("ImageMemory", uses: ["ImageCoderEngine", "ImageCoderModel"]),
    // Animations without a screen: sources of frames, a player that is arithmetic, and memory for frames.
    module("ImageAnimation", uses: ["ImageMemory"] + library),
    module("ImageSheets", uses: ["ImageAnimation"] + library),
    // Pictures changed by pure functions, and what a picture is like: hashes, differences, main colors.
    module("ImageProcessing", uses: ["CProcessing"] + library),
    // SQLite of the system, loaded when a cache on disk is first opened.
    .target(name: "CSQLite", path: "Sources/CSQLite", linkerSettings: [.linkedLibrary("dl")]),
    module("ImageCaching", uses: ["CLocks", "CSQLite", "ImageMemory"] + library),
    // Pictures from URLs, each once. Only with the trait are the packages that it needs fetched.
    module(
      "ImageLoading",
      uses: [
        "ImageAnimation", "ImageCaching", "ImageCoders", "ImageCoderEngine", "ImageCoderModel", "ImageMemory",
        "ImageProcessing", loading("AsyncHTTPClient", of: "async-http-client"),
        loading("HTTPTypes", of: "swift-http-types"), loading("Logging", of: "swift-log"),
        loading("Metrics", of: "swift-metrics"), loading("Tracing", of: "swift-distributed-tracing"),
        loading("NIOCore", of: "swift-nio"), loading("NIOPosix", of: "swift-nio"), loading("NIOHTTP1", of: "swift-nio"),
      ]),
    // Pictures in buffers of SwiftNIO, which is fetched with the trait alone.
    module(
      "ImageCodersNIO",
      uses: ["ImageAnimation", .product(name: "NIOCore", package: "swift-nio", condition: .when(traits: ["NIO"]))]
        + library),
    // Coders that are built into a program, with their manifests as `Registry` has them.
    module(
      "ImageCodersBuiltIn",
      uses: ["CManifests", "CImageCoder", "ImageCoderPlugin", "ImageCoders"]
        + coders.map { .target(name: $0.name, condition: .when(traits: [trait(of: $0)])) }),
    .target(name: "CManifests", path: "Sources/CManifests"),
    // The host of `coders check`: guarded memory, services that fail, and what a plugin did with them.
    .target(name: "CChecking", dependencies: ["CImageCoder"], path: "Sources/CChecking"),
    module("ImageCoderTesting", uses: ["CChecking", "CImageCoder", "CImageCoderStructs"] + library, small),
    // Pictures as bytes that terminals draw: kitty's and iTerm2's protocols, sixels, characters.
    module("TerminalGraphics", uses: ["CHostSystem", "ImageAnimation", "Palettes"] + library),
    module(
      "CodersCommand",
      uses: [
        "CHostSystem", "ImageAnimation", "ImageCaching", "ImageCoders", "ImageCoderEngine", "ImageCoderModel",
        "ImageCoderTesting", "ImageProcessing", "ImageSheets", "TerminalGraphics",
        .product(name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Command"])),
      ], small),
    .executableTarget(
      name: "coders", dependencies: ["CProcessCalls", "CProcessGuard", "CodersCommand"], path: "Sources/coders",
      swiftSettings: settings),
    .executableTarget(
      name: "coder-digest",
      dependencies: ["ImageAnimation", "ImageCoderTesting"] + library,
      path: "Tests/Conformance/Digest", swiftSettings: settings),
    // The cache on disk beside SQLite and files, used plainly.
    .executableTarget(
      name: "cache-bench",
      dependencies: ["CSQLite", "ImageCaching", "ImageCoderEngine", "ImageCoderModel", "TestSupport"],
      path: "Benchmarks/DiskCache", swiftSettings: settings),
    // Two of them share a cache while `scripts/check-cache` kills them.
    .executableTarget(
      name: "cache-writer", dependencies: ["ImageCaching", "ImageCoderModel", "TestSupport"], path: "Tests/CacheWriter",
      swiftSettings: settings),
    .executableTarget(
      name: "coder-bench",
      dependencies: ["CacheTraces", "ImageAnimation", "ImageCaching", "ImageProcessing"] + library,
      path: "Benchmarks/Bench", swiftSettings: settings),
    // Requests for pictures, and the cache that others are compared with.
    .target(
      name: "CacheTraces", dependencies: ["ImageMemory"], path: "Benchmarks/CacheTraces", swiftSettings: settings),
    // `scripts/fuzz` builds it with libFuzzer and all formats; without, it feeds files and their mutants again.
    .executableTarget(
      name: "coder-fuzz",
      dependencies: [
        "CFuzzing", "CImageCoder", "CImageCoderStructs", "CIsolation", "FuzzStructures",
        "ImageCaching", "ImageCodersBuiltIn", "ImageProcessing", "TerminalGraphics", "ImageSheets",
      ] + library,
      path: "Tests/Fuzz/Sources", swiftSettings: settings),
    .target(
      name: "CFuzzing", dependencies: ["CImageCoder"], path: "Tests/Fuzz/CFuzzing",
      cSettings: ["CDeflate", "CPixelBytes", "CProcessor", "CVP8L"]
        .map { .headerSearchPath("../../../Plugins/Kernels/\($0)/include") }),
    // How the bytes of formats are put together, and changes that keep to it.
    .target(name: "FuzzStructures", path: "Tests/Fuzz/Structures", swiftSettings: settings),
    tests(of: "FuzzStructures", use: ["FuzzStructures"]),
    tests(of: "ImageCoderModel", use: ["ImageCoderModel"]),
    tests(of: "ImageCoderEngine", use: ["CHostSystem", "CImageCoder", "ImageCoderEngine", "ImageCoderModel"]),
    tests(
      of: "CodersCommand",
      use: ["CImageCoder", "CodersCommand", "ImageAnimation", "ImageCaching", "TerminalGraphics"] + library),
    // The demonstration. A package of its own would compile the libraries once more.
    demo("BitmapFont", dependencies: []),
    demo("SampleImages", dependencies: ["BitmapFont", "ImageCoders"]),
    demo("ContactSheets", dependencies: ["BitmapFont", "ImageCoders"]),
    demoProgram("make-samples", of: "SampleImages"),
    demoProgram("contact-sheet", of: "ContactSheets"),
    .testTarget(
      name: "ContactSheetsTests", dependencies: ["ContactSheets", "SampleImages", "ImageCoders"],
      path: "Examples/Demo/Tests/ContactSheetsTests", packageAccess: false, swiftSettings: settings),
    // The picture functions of three kinds of applications.
    demo("Gallery", in: "Applications", dependencies: ["ImageCoders"]),
    demo("PostPictures", in: "Applications", dependencies: ["ImageCoders", "ImageProcessing"]),
    demo("RemoteScreen", in: "Applications", dependencies: ["ImageCoders"]),
    .testTarget(
      name: "ApplicationsTests", dependencies: ["Gallery", "PostPictures", "RemoteScreen", "TestSupport"] + library,
      path: "Examples/Applications/Tests/ApplicationsTests", swiftSettings: quickSettings),
    .target(name: "TestSupport", dependencies: library, path: "Tests/TestSupport", swiftSettings: settings),
    .target(name: "CInterfaceFakes", dependencies: ["CImageCoder", "CIsolation"], path: "Tests/CInterfaceFakes"),
    // A program that is its own worker, and a coder of it that is taken over by its files.
    .target(
      name: "CHostileCoder", dependencies: ["CImageCoder", "CIsolation"], path: "Tests/HostilePlugin",
      exclude: ["hostile.imgcoder.json"]),
    .executableTarget(
      name: "built-in-program", dependencies: ["CHostileCoder", "ImageCodersBuiltIn", "ImageCodersWorker"] + library,
      path: "Tests/BuiltInProgram", swiftSettings: settings),
    tests(of: "Interface", use: ["CImageCoder", "CInterfaceFakes", "ImageCoderPlugin", "built-in-program"] + library),
    tests(of: "ImageCoders", use: ["ImageCodersFoundation"] + library),
    tests(of: "ImageMemory", use: ["ImageMemory"]),
    tests(of: "ImageAnimation", use: ["ImageAnimation", "ImageMemory"] + library),
    tests(of: "ImageSheets", use: ["ImageAnimation", "ImageSheets"] + library),
    tests(of: "ImageProcessing", use: ["ImageProcessing"] + library),
    tests(
      of: "ImageCaching", use: ["CSQLite", "CacheTraces", "ImageAnimation", "ImageCaching", "ImageMemory"] + library),
    tests(of: "Encoding", use: library),
    tests(of: "Plugin", use: ["ImageCoderTesting", "ImageProcessing"] + library),
    tests(of: "BuiltIn", use: ["ImageCoderPlugin", "ImageCodersBuiltIn", "QOICoder"] + library),
  ] + coders + coderParts + plainFormats.map { format($0) }
)

// `make test-core` builds the tests that are run, and no others.
if let tests = Context.environment["CODERS_TESTS"] {
  package.targets.removeAll { $0.type == .test && !tests.split(separator: " ").contains($0.name[...]) }
}

// Parts of this tree are used by themselves: the kit for authors of plugins is installed in share/coders/ImageCoders. What
// is not there is left out, and what only that needs is not fetched.
let missing = Set(package.targets.filter { !isHere($0) }.map(\.name))
package.targets.removeAll { missing.contains($0.name) }
package.products.removeAll { missing.contains($0.name) }
if missing.contains("Palettes") { package.products.removeAll { $0.name == "CoderParts" } }
if missing.contains("CodersCommand") { (package.dependencies, package.traits) = ([], []) }
