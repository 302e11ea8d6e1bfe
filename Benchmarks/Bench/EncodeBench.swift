// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// Encoding of one picture, again and again, with the settings of the floor's `encode`.
struct EncodeBench {
  private let registry: CoderRegistry
  private let image: Image
  private let format: ImageFormat
  private let options: EncodeOptions

  /// Decodes the picture.
  ///
  /// - Parameter how: `jpeg`, `jpeg-optimized`, `png`, `png-fast`, `png7`, `webp0` and so on.
  /// - Returns: Nil when that is not known.
  init?(_ registry: CoderRegistry, path: String, how: String) throws(CoderError) {
    var options = EncodeOptions()
    switch how {
    case "jpeg", "jpeg-optimized":
      format = .jpeg
      options.quality = 0.9
      options.subsampling = .s420
      // As the floor has it: libjpeg's own tables.
      options.values["effort"] = "fast"
      if how != "jpeg" { options.values["optimize"] = true }
    case "png": format = .png
    case "png-fast":
      format = .png
      options.values["compression"] = 1
    case let png where png.hasPrefix("png"):
      guard let level = Double(png.dropFirst(3)) else { return nil }
      format = .png
      options.values["compression"] = .number(level)
    case let webP where webP.hasPrefix("webp"):
      guard let method = Double(webP.dropFirst(4)) else { return nil }
      format = .webP
      options.quality = 0.8
      options.values["method"] = .number(method)
    default: return nil
    }
    self.registry = registry
    self.options = options
    var reading = DecodeOptions()
    reading.pixelFormat = .rgba8
    image = try registry.decode(.file(path), options: reading)
  }

  /// Encodes.
  ///
  /// - Returns: The least and the median of the times, and the size, as the floor prints them.
  func report(repetitions: Int) throws(CoderError) -> String {
    var count = 0
    let times = try (0..<repetitions).map { (_) throws(CoderError) in
      let start = Time.milliseconds()
      count = try registry.encode(image, as: format, options: options).count
      return Time.milliseconds() - start
    }.sorted()
    return "min_ms \(Time.text(times[0])) med_ms \(Time.text(times[repetitions / 2])) bytes \(count)"
  }
}
