// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Tests of ImageLoading, in a package of their own: only with its trait are the packages fetched that it needs.
let package = Package(
  name: "LoadingTests",
  dependencies: [
    .package(name: "ImageCoders", path: "../..", traits: ["Loading", "NIO", "FormatsInSwift", "PNG", "JPEG", "WebP"]),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.100.0"),
  ],
  targets: [
    .testTarget(
      name: "ImageLoadingTests",
      dependencies: [
        .product(name: "ImageLoading", package: "ImageCoders"),
        .product(name: "ImageCodersBuiltIn", package: "ImageCoders"),
        .product(name: "ImageCodersNIO", package: "ImageCoders"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
      ],
      path: "Tests")
  ],
  swiftLanguageModes: [.v6]
)
