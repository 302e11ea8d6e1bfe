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
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.24.1"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CMalloc", path: "CMalloc"),
    .executableTarget(
      name: "server",
      dependencies: [
        .product(name: "ImageCodersBuiltIn", package: "ImageCoders"),
        .product(name: "ImageCodersWorker", package: "ImageCoders"),
        .product(name: "ImageLoading", package: "ImageCoders"),
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        "CMalloc",
      ],
      path: "Sources"),
  ],
  swiftLanguageModes: [.v6]
)
