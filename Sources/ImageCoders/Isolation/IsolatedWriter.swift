// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import CIsolation
import ImageCoderEngine
import ImageCoderModel

/// One file that is written in a worker.
final class IsolatedWriter: WriterSession {
  private let work: IsolatedWork
  private let addsMetadata: Bool
  private let takesRGB16: Bool

  init(
    _ pool: WorkerPool, _ isolation: Isolation, session: HostSession, output: ByteOutput, options: WriteOptions,
    known: [OptionDescription], addsMetadata: Bool, takesRGB16: Bool
  ) throws(CoderError) {
    work = try IsolatedWork(pool, isolation, session: session, output: output, takesSource: false)
    self.addsMetadata = addsMetadata
    self.takesRGB16 = takesRGB16
    let parcel = options.withRaw(known) { raw in
      var parcel = Parcel()
      parcel.add(value: session.limits.raw)
      parcel.add(value: raw.pointee.flags)
      parcel.add(options.format.rawValue)
      parcel.add(
        values: UnsafeBufferPointer(start: raw.pointee.values, count: Int(raw.pointee.value_count)))
      return parcel
    }
    try work.check(try work.call(Worker.Request(ISOLATION_WRITER_OPEN), parcel).status)
  }

  func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
    var request = Worker.Request(ISOLATION_WRITER_LAYOUT)
    let wanted = takesRGB16 ? wanted : wanted.withoutRGB16
    request.message.words.0 = wanted.format.rawValue
    request.message.words.1 = wanted.alpha.rawValue
    let reply = try work.call(request)
    try work.check(reply.status)
    guard reply.results.count == 8 else { throw work.worker.fault("a layout of \(reply.results.count) bytes") }
    let format = reply.results.loadUnaligned(as: UInt32.self)
    let alpha = reply.results.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
    guard let accepted = PixelFormat(rawValue: format), let mode = AlphaMode(rawValue: alpha) else {
      throw .libraryFailure("the plugin accepts pixel format \(format) with alpha mode \(alpha)")
    }
    return PixelLayout(accepted, mode)
  }

  func setHeader(_ header: ImageHeader) throws(CoderError) {
    var parcel = Parcel()
    // The worker knows the format.
    parcel.add(value: header.raw(format: imgcoder_string()))
    try work.check(try work.call(Worker.Request(ISOLATION_WRITER_HEADER), parcel).status)
  }

  func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) {
    guard addsMetadata else { throw .unsupported("the format has no place for \(kind)") }
    var request = Worker.Request(ISOLATION_WRITER_METADATA)
    request.message.words.0 = kind.rawValue
    var parcel = Parcel()
    parcel.add(metadata)
    try work.check(try work.call(request, parcel).status)
  }

  func setLight(_ light: LightLevels) throws(CoderError) {
    var parcel = Parcel()
    parcel.add(value: light.raw)
    try work.check(try work.call(Worker.Request(ISOLATION_WRITER_COLOR), parcel).status)
  }

  func addThumbnail(_ pixels: PixelView) throws(CoderError) {
    try add(pixels, imgcoder_frame_info_sized(), ISOLATION_WRITER_THUMBNAIL)
  }

  func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) {
    try add(pixels, frame.raw, ISOLATION_WRITER_FRAME)
  }

  private func add(_ pixels: PixelView, _ frame: imgcoder_frame_info, _ kind: Int) throws(CoderError) {
    let picture = try IsolatedPicture(pixels)
    var raw = imgcoder_pixels_sized()
    raw.pixel_format = pixels.layout.format.rawValue
    raw.alpha = pixels.layout.alpha.rawValue
    raw.width = UInt32(clamping: pixels.size.width)
    raw.height = UInt32(clamping: pixels.size.height)
    raw.stride = UInt64(picture.rowBytes)
    var request = Worker.Request(kind)
    request.message.words.0 = picture.fits ? 1 : 0
    request.message.words.1 = UInt32(picture.rowsOfBand)
    if picture.fits { picture.fill(work.worker) }
    var parcel = Parcel()
    parcel.add(value: frame)
    parcel.add(value: raw)
    let reply = try Worker.with(parcel.bytes) { (bytes) throws(CoderError) in
      request.payload = bytes
      return try work.call(request, picture)
    }
    try work.check(reply.status)
  }

  func finish() throws(CoderError) {
    try work.check(try work.call(Worker.Request(ISOLATION_WRITER_FINISH)).status)
  }
}
