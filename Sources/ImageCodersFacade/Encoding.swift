// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// What the caller says of a file to write. Texts and payloads are the caller's, for the time of the call.
struct Encoding {
  /// The format, or nil for one that can hold the picture.
  let format: ImageFormat?
  private let given: ic_encoding

  /// Each frame is a page, and there are so many; nil for frames of an animation.
  var pageCount: Int? { given.page_count > 0 ? Int(given.page_count) : nil }

  init(_ encoding: UnsafePointer<ic_encoding>?, _ registry: CoderRegistry) throws(CoderError) {
    given = encoding == nil ? ic_encoding() : try encoding!.known()
    format = try given.format.map { (name) throws(CoderError) in
      try registry.formatToWrite(named: String(cString: name))
    }
  }

  /// The format that is named, or else that of the file's name.
  func format(at sink: Sink, _ registry: CoderRegistry) throws(CoderError) -> ImageFormat {
    if let format { return format }
    guard let suffix = sink.path.flatMap({ ByteSource.file($0).fileExtension }) else {
      throw .invalidArgument("ic_encoding.format is null, and the sink has no path with an extension")
    }
    return try registry.formatToWrite(named: suffix)
  }

  func has(_ flag: some BinaryInteger) -> Bool { given.flags & UInt32(flag) != 0 }

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

  /// Options of a file that is made of pixels or of another file.
  func options(cancellation: Cancellation?) throws(CoderError) -> EncodeOptions {
    var options = EncodeOptions(cancellation: cancellation)
    try apply(to: &options.output)
    if has(IC_CONVERT_COLOR) { options.color = try OutputColor(number: given.color, in: "ic_encoding") }
    options.firstFrameOnly = has(IC_FIRST_FRAME)
    options.allowsCopy = !has(IC_ENCODE_ANEW)
    options.metadata = options.metadata.filter { given.left_out & 1 << $0.rawValue == 0 }
    return options
  }

  /// Copies of the caller's payloads.
  var metadata: [MetadataKind: [UInt8]] {
    var metadata: [MetadataKind: [UInt8]] = [:]
    for (kind, bytes, count) in [
      (MetadataKind.icc, given.icc, given.icc_count), (.exif, given.exif, given.exif_count),
      (.xmp, given.xmp, given.xmp_count),
    ] {
      guard let bytes, count > 0 else { continue }
      metadata[kind] = Array(UnsafeRawBufferPointer(start: bytes, count: Int(clamping: count)))
    }
    return metadata
  }
}

extension Frame {
  /// A frame of the caller's, whose pixels stay where they are.
  init(_ pixels: UnsafePointer<ic_pixels>) throws(CoderError) {
    let given = try pixels.known()
    let isShown = given.delay_denominator != 0 || given.delay_numerator != 0
    self.init(
      pixels: try PixelBuffer(pixels),
      delay: isShown ? FrameDelay(numerator: given.delay_numerator, denominator: given.delay_denominator) : .zero)
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
      shown.append(try Frame(pixels))
    }
    guard let first = shown.first?.pixels else { throw .invalidArgument("no frames are given") }
    let options = try encoding.options(cancellation: cancel.map { object($0, as: Cancellation.self) })
    var pages = [Image(frames: shown)]
    if let count = encoding.pageCount {
      guard count == shown.count else {
        throw .invalidArgument("ic_encoding.page_count is \(count), and \(shown.count) frames are given")
      }
      pages = shown.map { Image(frames: [$0]) }
    } else if !shown.allSatisfy({ $0.pixels.size == first.size && $0.pixels.layout == first.layout }) {
      throw .invalidArgument("frames differ in size, pixel format or alpha")
    }
    for index in pages.indices { pages[index].metadata = encoding.metadata }
    let format = encoding.format ?? registry.format(for: pages[0])
    try file.fill(ic_bytes(try registry.encode(pages, as: format, options: options)))
    return nil
  }
}
