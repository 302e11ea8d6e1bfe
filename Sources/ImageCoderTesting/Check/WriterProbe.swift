// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs

/// A file that the plugin writes: one call of its table each.
final class WriterProbe {
  let session: HostSessionProbe
  let output: UnsafeMutablePointer<checking_output>
  private let table: imgcoder_writer_table
  private let coder: LoadedCoder
  private var writer: OpaquePointer?

  init(_ coder: LoadedCoder, session: HostSessionProbe, failedOutput: UInt64 = 0) {
    self.coder = coder
    self.session = session
    table = coder.writer!
    output = checking_output_new(session.session, failedOutput)
  }

  deinit {
    close()
    checking_output_end(output)
  }

  var bytes: [UInt8] { Array(UnsafeBufferPointer(start: output.pointee.bytes, count: Int(output.pointee.size))) }

  func open(_ settings: WriteSettings) -> UInt32 {
    checking_session_clear(session.session)
    let arguments = CallArguments(session)
    return withExtendedLifetime(arguments) {
      arguments.values(settings.values).withUnsafeBufferPointer { list in
        var options = imgcoder_write_options_sized()
        options.flags = settings.isLossless ? UInt32(IMGCODER_WRITE_LOSSLESS) : 0
        options.format = arguments.text(settings.format)
        options.values = list.baseAddress
        options.value_count = UInt64(list.count)
        return session.with(&options, "imgcoder_write_options") {
          table.open(coder.raw, session.host, output.pointee.output, $0, &writer)
        }
      }
    }
  }

  func negotiate(_ format: UInt32, _ alpha: UInt32) -> (status: UInt32, format: UInt32, alpha: UInt32) {
    checking_session_clear(session.session)
    var accepted: UInt32 = 0
    var acceptedAlpha: UInt32 = 0
    let status = table.negotiate(writer, format, alpha, &accepted, &acceptedAlpha)
    return (status, accepted, acceptedAlpha)
  }

  func setInfo(_ info: imgcoder_info) -> UInt32 {
    checking_session_clear(session.session)
    var info = info
    return session.with(&info, "imgcoder_info") { table.set_info(writer, $0) }
  }

  func addMetadata(_ kind: UInt32, _ bytes: [UInt8]) -> UInt32 {
    checking_session_clear(session.session)
    guard let call = table.add_metadata else { return Status.unsupported }
    return call(writer, kind, bytes, UInt64(bytes.count))
  }

  func addThumbnail(_ pixels: TestPixels) -> UInt32 {
    checking_session_clear(session.session)
    guard let call = table.add_thumbnail else { return Status.unsupported }
    return with(pixels) { call(writer, $0) }
  }

  func addFrame(_ pixels: TestPixels) -> UInt32 {
    checking_session_clear(session.session)
    var frame = imgcoder_frame_info()
    frame.width = UInt32(pixels.width)
    frame.height = UInt32(pixels.height)
    frame.delay_numerator = 1
    frame.delay_denominator = 10
    return session.with(&frame, "imgcoder_frame_info") { frame in
      with(pixels) { table.add_frame(writer, frame, $0) }
    }
  }

  func finish() -> UInt32 {
    checking_session_clear(session.session)
    return table.finish(writer)
  }

  func close() {
    guard let open = writer else { return }
    writer = nil
    table.close(open)
  }

  func hasExtension(_ id: String) -> Bool {
    guard let call = table.get_extension else { return false }
    return id.withCheckedString { call(writer, $0) } != nil
  }

  /// Pixels that end where a page ends.
  private func with(_ pixels: TestPixels, body: (UnsafePointer<imgcoder_pixels>) -> UInt32) -> UInt32 {
    let rowBytes = pixels.bytes.count / pixels.height
    let source = checking_source_new(session.session, pixels.bytes, UInt64(pixels.bytes.count), 0)!
    defer { checking_source_end(source) }
    var raw = imgcoder_pixels_sized()
    (raw.pixel_format, raw.alpha) = (pixels.format, pixels.alpha)
    (raw.width, raw.height) = (UInt32(pixels.width), UInt32(pixels.height))
    raw.pixels = UnsafePointer(source.pointee.bytes)
    raw.stride = UInt64(rowBytes)
    return session.with(&raw, "imgcoder_pixels") { body($0) }
  }
}
