// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// One operation on one file, ready to be timed.
struct Bench {
  private let registry: CoderRegistry
  private let operation: Operation
  private let options: DecodeOptions
  private let source: ByteSource
  private let paths: [String]

  /// Reads the file, or the list of files.
  init(_ registry: CoderRegistry, _ operation: Operation, path: String) throws(CoderError) {
    self.registry = registry
    self.operation = operation
    let isThumbnail = operation == .thumbnail || operation == .thumbnailSRGB
    var options = isThumbnail ? .thumbnail(width: 256, height: 256) : DecodeOptions()
    options.pixelFormat = .rgba8
    options.metadata = []
    if operation == .gainMap { (options.gainMap, options.pixelFormat) = (.applied(headroom: 8), .rgbaFloat16) }
    if operation == .thumbnailSRGB { options.color = .convert(to: .sRGB) }
    options.firstFrameOnly = operation != .all
    self.options = options
    let file = try OpenSource(.file(path), limits: .standard)
    let bytes = [UInt8](try file.view(at: 0, count: file.size))
    paths = operation == .probe ? String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init) : []
    source = .bytes(bytes)
  }

  /// Does it once.
  ///
  /// - Parameter hashes: Whether pixels are mixed into the hash; the time for that is not counted.
  /// - Returns: Milliseconds.
  func run(_ hash: inout Hash, hashes: Bool) throws(CoderError) -> Double {
    let start = Time.milliseconds()
    switch operation {
    case .full, .thumbnail, .thumbnailSRGB, .gainMap:
      let image = try registry.decode(source, options: options)
      let time = Time.milliseconds() - start
      if hashes { hash.add(image.pixels) }
      return time
    case .all:
      let decoder = try registry.open(source, options: options)
      var hashing = 0.0
      for index in 0..<decoder.frameCount {
        let frame = try decoder.frame(at: index)
        guard hashes else { continue }
        let before = Time.milliseconds()
        hash.add(frame.pixels)
        hashing += Time.milliseconds() - before
      }
      return Time.milliseconds() - start - hashing
    case .probe:
      var pixels = 0
      for path in paths {
        pixels += try registry.header(of: .file(path), options: options).displayedSize.pixelCount
      }
      let time = Time.milliseconds() - start
      return pixels > 0 ? time : 0
    }
  }
}
