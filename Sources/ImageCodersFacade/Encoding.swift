// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// What the caller says of a file to write.
struct Encoding {
  /// The format, or nil for one that can hold the picture.
  let format: ImageFormat?
  private let given: ic_encoding

  init(_ encoding: UnsafePointer<ic_encoding>?, _ registry: CoderRegistry) throws(CoderError) {
    given = encoding == nil ? ic_encoding() : try encoding!.known()
    format = try given.format.map { (name) throws(CoderError) in
      try registry.formatToWrite(named: String(cString: name))
    }
  }

  private func has(_ flag: some BinaryInteger) -> Bool { given.flags & UInt32(flag) != 0 }

  func apply(to output: inout EncodeOptions.Output) throws(CoderError) {
    if has(IC_QUALITY) { output.quality = given.quality }
    if has(IC_EXACT) { output.isLossless = true }
    if has(IC_LOOP) { output.loopCount = LoopCount(plays: given.loop_count) }
    if given.max_bytes > 0 { output.maxFileSize = Int(clamping: given.max_bytes) }
    for index in 0..<Int(given.option_count) {
      guard let option = given.options?[index] else { throw .invalidArgument("ic_encoding.options is null") }
      output.values[String(cString: option.name)] = .word(String(cString: option.value))
    }
  }

  /// Adds the caller's payloads.
  func addMetadata(to image: inout Image) {
    for (kind, bytes, count) in [
      (MetadataKind.icc, given.icc, given.icc_count), (.exif, given.exif, given.exif_count),
      (.xmp, given.xmp, given.xmp_count),
    ] {
      guard let bytes, count > 0 else { continue }
      image.metadata[kind] = Array(UnsafeRawBufferPointer(start: bytes, count: Int(clamping: count)))
    }
  }
}

extension PixelBuffer {
  /// The caller's pixels, which stay where they are.
  convenience init(_ pixels: UnsafePointer<ic_pixels>) throws(CoderError) {
    let given = try pixels.known()
    guard let format = PixelFormat(rawValue: given.pixel_format), let data = given.data else {
      throw .invalidArgument("ic_pixels has no data, or \(given.pixel_format) as its pixel format")
    }
    guard given.width > 0, given.height > 0, let stride = Int(exactly: given.stride) else {
      throw .invalidArgument("ic_pixels of \(given.width)×\(given.height), in rows of \(given.stride)")
    }
    let sample = format.bytesPerChannel
    guard Int(bitPattern: data) % sample == 0, stride % sample == 0 else {
      throw .invalidArgument("rows of \(format) begin at addresses that \(sample) divides")
    }
    let (upper, overflow) = stride.multipliedReportingOverflow(by: Int(given.height) - 1)
    let (count, isTooLarge) = upper.addingReportingOverflow(Int(given.width) * format.bytesPerPixel)
    guard !overflow, !isTooLarge else { throw .invalidArgument("rows of \(stride) bytes fit no memory") }
    guard given.alpha <= UInt32(IC_PREMULTIPLIED) else {
      throw .invalidArgument("ic_pixels.alpha is \(given.alpha), none of IC_OPAQUE, IC_STRAIGHT, IC_PREMULTIPLIED")
    }
    try self.init(
      wrapping: UnsafeMutableRawBufferPointer(start: data, count: count),
      size: Size(width: Int(given.width), height: Int(given.height)), format: format,
      alpha: given.alpha == UInt32(IC_PREMULTIPLIED) ? .premultiplied : .straight, stride: stride)
  }
}

@c @implementation
public func ic_encode(
  _ registry: OpaquePointer, _ frames: UnsafePointer<UnsafePointer<ic_pixels>?>, _ count: UInt32,
  _ encoding: UnsafePointer<ic_encoding>?, _ cancel: OpaquePointer?, _ file: UnsafeMutablePointer<ic_bytes>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try file.clear()
    let registry = CoderRegistry.of(registry)
    let encoding = try Encoding(encoding, registry)
    var shown: [Frame] = []
    for index in 0..<Int(count) {
      guard let pixels = frames[index] else { throw .invalidArgument("frame \(index) is null") }
      let given = try pixels.known()
      let delay =
        given.delay_denominator == 0 && given.delay_numerator == 0
        ? FrameDelay.zero : FrameDelay(numerator: given.delay_numerator, denominator: given.delay_denominator)
      shown.append(Frame(pixels: try PixelBuffer(pixels), delay: delay))
    }
    guard let first = shown.first?.pixels else { throw .invalidArgument("no frames are given") }
    guard shown.allSatisfy({ $0.pixels.size == first.size && $0.pixels.layout == first.layout }) else {
      throw .invalidArgument("frames differ in size, pixel format or alpha")
    }
    var image = Image(frames: shown)
    encoding.addMetadata(to: &image)
    var options = EncodeOptions()
    options.cancellation = cancel.map { object($0, as: Cancellation.self) }
    try encoding.apply(to: &options.output)
    try file.fill(ic_bytes(try registry.encode(image, as: encoding.format, options: options)))
    return nil
  }
}
