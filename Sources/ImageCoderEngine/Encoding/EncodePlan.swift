// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// What is going to be encoded and how, with every option checked.
struct EncodePlan {
  let container: any Container
  let format: ImageFormat
  private(set) var options: EncodeOptions
  let pageCount: Int
  /// What the writer gets for the options that were given.
  private let values: [String: OptionValue]

  /// - Throws: ``CoderError/Code/invalidArgument`` for an option without meaning; ``CoderError/Code/unsupported`` for one that
  ///   the format cannot meet.
  init(
    _ container: any Container, format: ImageFormat, options: EncodeOptions, pageCount: Int
  ) throws(CoderError) {
    self.container = container
    self.format = format
    self.options = options
    self.pageCount = pageCount
    if let quality = options.quality, !(quality >= 0 && quality <= 1) {
      throw .invalidArgument("quality \(quality), 0 to 1 is allowed")
    }
    guard pageCount >= 1 else { throw .invalidArgument("there is no picture to encode") }
    guard pageCount == 1 || container.writesPages else {
      throw .unsupported("\(format) holds 1 page, \(pageCount) were given")
    }
    guard pageCount <= options.limits.maxPages else {
      throw .limitExceeded(.maxPages, found: pageCount, allowed: options.limits.maxPages, what: "a page count of")
    }
    if let size = options.maxFileSize, size < 1 { throw .invalidArgument("a file of at most \(size) bytes") }
    try options.checkBox()
    if let look = options.look, !(look > 0 && look <= 100) {
      throw .invalidArgument("a look of \(look), above 0 and up to 100 is allowed")
    }
    if let side = options.embeddedThumbnailSide, side < 1 { throw .invalidArgument("a thumbnail of side \(side)") }
    values = try OptionDescription.checked(options.values, for: container.options, writing: format)
    warn()
  }

  /// Says which options change nothing.
  private func warn() {
    for option in CommonOption.allCases where !container.follows(option) {
      guard let value = options.values[option.name] else { continue }
      options.log?(.warning, "\(format) has no option \(option.name): \(value) changes nothing")
    }
  }

  /// - Parameter isSilent: Says nothing to the log, for a file whose like was written before.
  func writer(
    quality: Double?, target: any ByteTarget, isSilent: Bool = false
  ) throws(CoderError) -> FileWriter {
    var options = options
    if isSilent { options.log = nil }
    return try FileWriter(
      container, format: format, options: options, values: values, quality: quality, pageCount: pageCount,
      target: target)
  }

  /// The file of the best quality that is not larger than ``EncodeOptions/maxFileSize``.
  ///
  /// Quality is searched in steps of 1/100, by halves. Files grow with quality, though not quite always; what is found
  /// fits, and one step more did not.
  ///
  /// - Parameter count: Is told of each file that is tried.
  func largestFile(_ pages: [Image], count: () -> Void = {}) throws(CoderError) -> EncodedFile {
    let allowed = options.maxFileSize ?? .max
    func encode(_ percent: Int?) throws(CoderError) -> EncodedFile {
      count()
      // Where the caller names a quality, it is tried as it is.
      return try file(
        of: pages, quality: percent.map { Double($0) / 100 } ?? options.quality, isSilent: percent != nil)
    }
    let first = try encode(nil)
    guard first.byteCount > allowed else { return first }
    guard container.follows(.quality), !options.isLossless else {
      throw tooLarge(first.byteCount, allowed: allowed, "which has one size only")
    }
    var (low, high) = (0, Int(((options.quality ?? 1) * 100).rounded(.up)))
    var best = try encode(0)
    guard best.byteCount <= allowed else { throw tooLarge(best.byteCount, allowed: allowed, "at quality 0") }
    while high - low > 1 {
      let middle = (low + high) / 2
      let file = try encode(middle)
      if file.byteCount <= allowed { (low, best) = (middle, file) } else { high = middle }
    }
    return best
  }

  /// A file in memory.
  func file(of pages: [Image], quality: Double?, isSilent: Bool) throws(CoderError) -> EncodedFile {
    let target = MemoryTarget(limits: options.limits)
    let writer = try writer(quality: quality, target: target, isSilent: isSilent)
    try writer.add(pages)
    try writer.finish()
    return EncodedFile(
      format: format, bytes: target.bytes, byteCount: target.count, frameCount: writer.frameCount, quality: quality,
      changes: writer.changes)
  }

  /// The same with other options.
  func with(_ options: EncodeOptions) throws(CoderError) -> EncodePlan {
    var options = options
    options.log = nil
    return try EncodePlan(container, format: format, options: options, pageCount: pageCount)
  }

  /// The same, with what is encoded of a picture told to somebody else.
  func reporting(to progress: @escaping @Sendable (Double) -> Void) -> EncodePlan {
    guard options.progress != nil else { return self }
    var plan = self
    plan.options.progress = progress
    return plan
  }

  /// A frame as the file has it before it is compressed, and the image that describes it.
  func prepared(_ page: Image, frame index: Int) throws(CoderError) -> (pixels: PixelBuffer, image: Image) {
    let writer = try writer(quality: options.quality, target: MemoryTarget(limits: options.limits), isSilent: true)
    try writer.add(page.frames[index].pixels, delay: .zero, changedIn: nil, of: page)
    guard let made = writer.page, let first = made.first else { throw .libraryFailure("a page without a frame") }
    return (first.pixels, made.image)
  }

  private func tooLarge(_ found: Int, allowed: Int, _ how: String) -> CoderError {
    .limitExceeded(.maxFileSize, found: found, allowed: allowed, what: "\(format), \(how), has bytes:")
  }
}
