// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A server that makes thumbnails of pictures that strangers send, and of those on other servers.
let package = Package(
  name: "Server",
  dependencies: [
    .package(
      name: "ImageCoders", path: "../..",
      traits: ["JPEG", "PNG", "WebP", "GIF", "HEIF", "AVIF", "Loading"]),
    // Without its traits it needs only the essentials of Foundation, and the program no tables of ICU, which are 30 MB.
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.24.1"),
  ],
  targets: [
    .systemLibrary(name: "CMalloc", path: "CMalloc"),
    .executableTarget(
      name: "server",
      dependencies: [
        .product(name: "ImageCodersBuiltIn", package: "ImageCoders"),
        .product(name: "ImageCodersWorker", package: "ImageCoders"),
        .product(name: "ImageLoading", package: "ImageCoders"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        "CMalloc",
      ],
      path: "Sources"),
  ],
  swiftLanguageModes: [.v6]
)
