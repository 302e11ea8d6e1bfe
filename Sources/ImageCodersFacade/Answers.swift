// SPDX-License-Identifier: Apache-2.0

import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

/// Runs the body of a function, and says how it went in the caller's struct and by the status.
///
/// - Parameter body: Returns what is missing of a picture, or nil: that is in the struct, and no failure.
func answer(
  _ error: UnsafeMutablePointer<ic_error>?, _ body: () throws(CoderError) -> CoderError?
) -> Int32 {
  do throws(CoderError) {
    tell(try body(), error)
    return Int32(IC_OK)
  } catch let failure {
    tell(failure, error)
    return Int32(failure.code.rawValue)
  }
}

private func tell(_ failure: CoderError?, _ target: UnsafeMutablePointer<ic_error>?) {
  guard let target else { return }
  var told = ic_error()
  told.offset = -1
  if let failure {
    told.status = failure.code.rawValue
    told.offset = Int64(failure.offset ?? -1)
    put(failure.coder ?? "", into: &told.coder)
    put(failure.limit?.rawValue ?? "", into: &told.limit)
    put(failure.sentence, into: &told.message)
  }
  // A struct that is too small is left alone: the status is all that the caller can get.
  try? target.fill(told)
}

extension ic_info {
  init(_ header: ImageHeader, of registry: CoderRegistry) {
    self.init()
    width = UInt32(header.displayedSize.width)
    height = UInt32(header.displayedSize.height)
    stored_width = UInt32(header.canvas.width)
    stored_height = UInt32(header.canvas.height)
    orientation = UInt32(header.orientation.rawValue)
    pixel_format = header.pixelFormat.rawValue
    alpha = header.alpha.rawValue
    bits_per_channel = UInt32(header.bitsPerChannel)
    // Images that make one picture together are its parts: ic_file_frame gives that picture alone.
    frames = header.isAnimated ? UInt32(clamping: header.frameCount) : 1
    pages = UInt32(clamping: header.pageCount)
    primary_page = UInt32(clamping: header.primaryPage + 1)
    if case .plays(let plays)? = header.loopCount { loop_count = plays }
    flags =
      flag(IC_ANIMATED, header.isAnimated) | flag(IC_PROGRESSIVE, header.isProgressive)
      | flag(IC_LOSSLESS, header.isLossless) | flag(IC_CUT, header.isTruncated) | flag(IC_DAMAGED, header.isDamaged)
      | flag(IC_PALETTE, header.hasPalette) | flag(IC_PAGES_ARE_SIZES, header.pagesAreSizes)
    metadata = header.metadata.reduce(0) { $0 | 1 << $1.rawValue }
    put(header.format.rawValue, into: &format)
    put(registry.name(of: header.format), into: &name)
    put(registry.fileExtension(of: header.format) ?? "", into: &self.`extension`)
    put(registry.mimeType(of: header.format) ?? "", into: &media_type)
  }
}

private func flag(_ flag: some BinaryInteger, _ isSet: Bool) -> UInt32 { isSet ? UInt32(flag) : 0 }

extension ic_pixels {
  /// Pixels with an owner, which the caller has to release.
  init(_ pixels: PixelBuffer, delay: FrameDelay = .zero, problem: CoderError? = nil) {
    self.init()
    describe(pixels, delay: delay, problem: problem)
    stride = UInt64(pixels.stride)
    data = pixels.base
    owner = UnsafeMutableRawPointer(pointer(to: pixels))
  }

  /// All but where the pixels are.
  mutating func describe(_ pixels: PixelBuffer, delay: FrameDelay = .zero, problem: CoderError? = nil) {
    width = UInt32(pixels.size.width)
    height = UInt32(pixels.size.height)
    pixel_format = pixels.format.rawValue
    alpha = pixels.alpha.rawValue
    self.problem = problem?.code.rawValue ?? 0
    delay_numerator = delay.numerator
    delay_denominator = delay.denominator
  }
}

extension ic_bytes {
  /// Bytes with an owner, which the caller has to release; none for no bytes.
  init(_ bytes: some Collection<UInt8>, problem: CoderError? = nil) {
    self.init()
    self.problem = problem?.code.rawValue ?? 0
    guard !bytes.isEmpty else { return }
    let lent = LentBytes(bytes)
    count = UInt64(lent.bytes.count)
    data = UnsafePointer(lent.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    owner = UnsafeMutableRawPointer(pointer(to: lent))
  }
}
