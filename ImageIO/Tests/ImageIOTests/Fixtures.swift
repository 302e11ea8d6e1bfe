// SPDX-License-Identifier: Apache-2.0

import CoreGraphics
import Foundation
import ImageCodersBuiltIn
import ImageIO
import Testing

/// Pictures of the tree, and what the tests make of them.
enum Fixture {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../../Tests/Fixtures").standardized

  static func url(_ path: String) -> URL { folder.appendingPathComponent(path) }

  static func data(_ path: String) throws -> Data { try Data(contentsOf: url(path)) }

  static func source(_ path: String) throws -> CGImageSource {
    guard let source = CGImageSourceCreateWithURL(url(path) as CFURL, nil) else { throw Missing(path: path) }
    return source
  }

  /// Pictures of a format.
  static func valid(_ format: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url("\(format)/valid").path).sorted()
      .filter { !$0.hasSuffix(".json") && !$0.hasSuffix(".txt") }.map { "\(format)/valid/\($0)" }
  }

  /// The coders that are built in, asked without ImageIO.
  static let registry = CoderRegistry(builtIn: .all)

  struct Missing: Error { var path: String }
}

/// A file of one picture.
func file(_ image: CGImage, _ type: String, _ properties: [CFString: Any] = [:]) -> Data? {
  let data = NSMutableData()
  guard let destination = CGImageDestinationCreateWithData(data, type as CFString, 1, nil) else { return nil }
  CGImageDestinationAddImage(destination, image, properties as CFDictionary)
  return CGImageDestinationFinalize(destination) ? data as Data : nil
}

/// What a file says of its picture after changes, which are made to it as it is.
func changed(_ file: Data, _ type: String, _ changes: [CFString: Any]) throws -> [CFString: Any] {
  let data = NSMutableData()
  let destination = try #require(CGImageDestinationCreateWithData(data, type as CFString, 1, nil))
  CGImageDestinationAddImageFromSource(destination, try #require(opened(file)), 0, changes as CFDictionary)
  #expect(CGImageDestinationFinalize(destination))
  return try #require(properties(opened(data as Data)))
}

func opened(_ data: Data) -> CGImageSource? { CGImageSourceCreateWithData(data as CFData, nil) }

func properties(_ source: CGImageSource?, _ index: Int = 0) -> [CFString: Any]? {
  source.flatMap { CGImageSourceCopyPropertiesAtIndex($0, index, nil) } as? [CFString: Any]
}

/// A JPEG file that is long enough to be cut.
func longFile(isProgressive: Bool = false, orientation: Int = 1) -> Data {
  let image = picture(200, 100, alpha: .noneSkipLast) { x, y in
    [UInt8((x * 7 + y * 3) & 255), UInt8((x * y) & 255), UInt8((x ^ y) & 255), 255]
  }
  let jfif = [kCGImagePropertyJFIFIsProgressive: isProgressive]
  return file(image, "public.jpeg", [kCGImagePropertyJFIFDictionary: jfif, kCGImagePropertyOrientation: orientation])!
}

/// A picture of 8 bits, red, green, blue and alpha for each pixel.
func picture(_ width: Int, _ height: Int, alpha: CGImageAlphaInfo = .last, _ pixel: (Int, Int) -> [UInt8]) -> CGImage {
  var bytes: [UInt8] = []
  for y in 0..<height { for x in 0..<width { bytes += pixel(x, y) } }
  return CGImage(
    width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4,
    space: CGColorSpace(name: CGColorSpace.sRGB)!, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue),
    provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: nil, shouldInterpolate: true, intent: .defaultIntent
  )!
}

/// Width and height.
func size(_ image: CGImage?) -> String { image.map { "\($0.width)×\($0.height)" } ?? "none" }

/// The bytes of a picture.
func bytes(_ image: CGImage?) -> [UInt8] { (image?.dataProvider?.data as Data?).map { [UInt8]($0) } ?? [] }
