// SPDX-License-Identifier: Apache-2.0

import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

extension ByteSource {
  /// What a struct of the caller names. Bytes stay the caller's.
  init(_ source: UnsafePointer<ic_source>) throws(CoderError) {
    let given = try source.known()
    switch Int(given.kind) {
    case Int(IC_SOURCE_BYTES):
      guard let bytes = given.bytes, given.count > 0 else {
        self = .bytes([])
        break
      }
      guard let count = Int(exactly: given.count) else {
        throw .invalidArgument("ic_source.count is \(given.count): no memory is so large")
      }
      self = .unowned(UnsafeRawBufferPointer(start: bytes, count: count))
    case Int(IC_SOURCE_PATH):
      guard let path = given.path else { throw .invalidArgument("ic_source.path is null") }
      self = .file(SystemName.string(pointer: path))
    case Int(IC_SOURCE_DESCRIPTOR): self = try .file(descriptor: given.descriptor)
    case Int(IC_SOURCE_FUNCTION):
      guard let read = given.read else { throw .invalidArgument("ic_source.read is null") }
      guard let size = Int(exactly: given.count) else {
        throw .invalidArgument("ic_source.count is \(given.count): no file is so large")
      }
      self = .filling(size: size, CallerFunctions(context: given.context).reading(read))
    default: throw .invalidArgument("ic_source.kind is \(given.kind), none of IC_SOURCE_…")
    }
    if let name = given.extension { fileExtension = String(cString: name).lowercased() }
  }
}

extension OutputColor {
  /// One of `IC_COLOR_…`.
  ///
  /// - Parameter owner: The struct that has it.
  init(number: UInt32, in owner: String) throws(CoderError) {
    switch Int(number) {
    case Int(IC_COLOR_SRGB): self = .convert(to: .sRGB)
    case Int(IC_COLOR_AS_STORED): self = .asStored
    case Int(IC_COLOR_DISPLAY_P3): self = .convert(to: .displayP3)
    case Int(IC_COLOR_REC2020): self = .convert(to: .rec2020)
    case Int(IC_COLOR_LINEAR_SRGB): self = .convert(to: .linearSRGB)
    case Int(IC_COLOR_REC2100_PQ): self = .convert(to: .rec2100PQ)
    case Int(IC_COLOR_REC2100_HLG): self = .convert(to: .rec2100HLG)
    default: throw .invalidArgument("\(owner).color is \(number), none of IC_COLOR_…")
    }
  }
}

/// A request of the caller, as far as it is not the picture's alone.
struct Request {
  var options: DecodeOptions
  /// Where the picture is to be put, or nil for memory of its own.
  var target: Target?

  /// The caller's memory.
  struct Target {
    let base: UnsafeMutableRawPointer
    let stride: Int
    let size: Size
  }

  /// - Parameters:
  ///   - cancellation: Stops the work, too, or nil.
  ///   - firstFrameOnly: Whether one frame is all that is wanted.
  init(
    _ request: UnsafePointer<ic_request>?, _ registry: CoderRegistry, cancellation: Cancellation? = nil,
    firstFrameOnly: Bool = true
  ) throws(CoderError) {
    let given = request == nil ? ic_request() : try request!.known()
    options = DecodeOptions(firstFrameOnly: firstFrameOnly)
    let flags = Int(given.flags)
    options.isStrict = flags & Int(IC_STRICT) != 0
    options.thumbnailQuality = flags & Int(IC_FAST) != 0 ? .fast : .exact
    options.appliesOrientation = flags & Int(IC_KEEP_ORIENTATION) == 0
    options.alpha = flags & Int(IC_PREMULTIPLY) != 0 ? .premultiplied : .straight
    options.squaresPixels = flags & Int(IC_SQUARE_PIXELS) != 0
    let mode = try Self.mode(given.fit)
    if given.box_width | given.box_height != 0 {
      options.size = .fitting(Size(width: Int(given.box_width), height: Int(given.box_height)), mode)
    }
    if given.pixel_format != 0 {
      guard let format = PixelFormat(rawValue: given.pixel_format) else {
        throw .invalidArgument("ic_request.pixel_format is \(given.pixel_format), no pixel format")
      }
      options.pixelFormat = format
    }
    options.color = try OutputColor(number: given.color, in: "ic_request")
    if given.page > 0 { options.page = Int(given.page) - 1 }
    if given.max_pixels > 0 { options.limits.maxPixels = Int(clamping: given.max_pixels) }
    if given.max_memory > 0 { options.limits.maxMemory = Int(clamping: given.max_memory) }
    if given.max_milliseconds > 0 { options.limits.maxMilliseconds = Int(clamping: given.max_milliseconds) }
    if given.max_frames > 0 { options.limits.maxFrames = Int(given.max_frames) }
    if given.allowed_count > 0 { options.allowedFormats = try Self.formats(given, registry) }
    let own = given.cancel.map { object($0, as: Cancellation.self) }
    options.cancellation =
      own == nil || cancellation == nil ? own ?? cancellation : Cancellation(within: own, and: cancellation)
    if let base = given.target { target = try Self.target(given, base) }
  }

  private static func mode(_ fit: UInt32) throws(CoderError) -> ThumbnailMode {
    switch Int(fit) {
    case Int(IC_FIT): .fit
    case Int(IC_FILL): .fill
    case Int(IC_STRETCH): .stretch
    default: throw .invalidArgument("ic_request.fit is \(fit), none of IC_FIT, IC_FILL and IC_STRETCH")
    }
  }

  private static func formats(_ given: ic_request, _ registry: CoderRegistry) throws(CoderError) -> Set<ImageFormat> {
    guard let names = given.allowed_formats else { throw .invalidArgument("ic_request.allowed_formats is null") }
    var formats: Set<ImageFormat> = []
    for index in 0..<Int(given.allowed_count) {
      guard let name = names[index] else { throw .invalidArgument("ic_request.allowed_formats[\(index)] is null") }
      let text = String(cString: name)
      guard let format = registry.format(forExtension: text) else {
        throw .invalidArgument("ic_request.allowed_formats has \(text), which no coder reads")
      }
      formats.insert(format)
    }
    return formats
  }

  private static func target(
    _ given: ic_request, _ base: UnsafeMutableRawPointer
  ) throws(CoderError) -> Target {
    guard let format = PixelFormat(rawValue: given.pixel_format) else {
      throw .invalidArgument("ic_request.target needs a pixel_format")
    }
    let size = Size(width: Int(given.target_width), height: Int(given.target_height))
    guard !size.isEmpty, let stride = Int(exactly: given.target_stride), stride >= size.width * format.bytesPerPixel
    else {
      throw .invalidArgument("ic_request.target of \(size) has rows of \(given.target_stride) bytes")
    }
    return Target(base: base, stride: stride, size: size)
  }

  /// Gives a picture to the caller, where it was asked to be.
  func give(_ pixels: PixelBuffer, problem: CoderError?) throws(CoderError) -> ic_pixels {
    guard let target else { return ic_pixels(pixels, problem: problem) }
    guard pixels.size.width <= target.size.width, pixels.size.height <= target.size.height else {
      throw .invalidArgument("the picture is \(pixels.size), its target \(target.size): ask for a box")
    }
    for y in 0..<pixels.size.height {
      pixels.withRow(y) { (target.base + y * target.stride).copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    }
    var given = ic_pixels()
    given.describe(pixels, problem: problem)
    given.stride = UInt64(target.stride)
    given.data = target.base
    return given
  }
}
