// swift-tools-version: 6.2

import PackageDescription

// The kit for plugins is installed with ImageCoders; `make` finds its folder with pkg-config.
let kit = Context.environment["IMGCODER_KIT"] ?? "/usr/local/share/coders/ImageCoders"

let package = Package(
  name: "flipbook",
  products: [.library(name: "FlipbookCoder", type: .dynamic, targets: ["FlipbookCoder"])],
  dependencies: [.package(path: kit)],
  targets: [
    .target(
      name: "FlipbookCoder", dependencies: [.product(name: "ImageCoderPlugin", package: "ImageCoders")],
      path: "Sources")
  ]
)
