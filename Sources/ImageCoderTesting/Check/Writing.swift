// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import ImageCoderModel
import ImageCoders

/// A picture to write, in memory.
struct TestPixels {
  var width: Int
  var height: Int
  var format: UInt32
  var alpha: UInt32
  var bytes: [UInt8]

  /// A picture with slopes, edges and few colors, whose alpha, if it has any, is not all opaque.
  init(width: Int, height: Int, format: UInt32, alpha: UInt32, shift: Int = 0) {
    (self.width, self.height, self.format, self.alpha) = (width, height, format, alpha)
    bytes = []
    guard let format = PixelFormat(rawValue: format) else { return }
    bytes.reserveCapacity(width * height * format.bytesPerPixel)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<format.channelCount {
          let isAlpha = format.hasAlpha && channel == format.channelCount - 1
          // Full and no alpha only, which every format with alpha can hold.
          let sample =
            isAlpha
            ? (alpha == 0 || (x + y) % 7 != 0 ? 65_535 : 0)
            : ((x / 3 + y / 2 * (channel + 1) + shift) % 4) * 21_845
          // Deep samples use all of their bits.
          let isPlain = isAlpha || format.bytesPerChannel == 1
          put(UInt16(isPlain ? sample : min(65_535, sample + x * 3)), in: format)
        }
      }
    }
  }

  /// Appends a sample of 0 to 65,535, which is 0 to 1 in floating point.
  private mutating func put(_ sample: UInt16, in format: PixelFormat) {
    switch (format.isFloat, format.bytesPerChannel) {
    case (true, 4): put(bits: (Float(sample) / 65_535).bitPattern)
    case (true, _): put(bits: Float16(Float(sample) / 65_535).bitPattern)
    case (false, 1): bytes.append(UInt8(sample >> 8))
    default: put(bits: sample)
    }
  }

  private mutating func put(bits: some FixedWidthInteger) { withUnsafeBytes(of: bits.littleEndian) { bytes += $0 } }

  mutating func makeNoise() {
    var random = CheckRandom(1)
    guard let format = PixelFormat(rawValue: format), format.isFloat else {
      for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
      return
    }
    bytes = []
    for _ in 0..<(width * height * format.channelCount) { put(UInt16(truncatingIfNeeded: random.next()), in: format) }
  }

  /// Each pixel as red, green, blue and straight alpha of 16 bits, or nil for formats without such a form. What is fully
  /// transparent has no color.
  var canonical: [UInt16]? { Self.canonical(bytes, format, alpha) }

  static func canonical(_ bytes: [UInt8], _ format: UInt32, _ alpha: UInt32) -> [UInt16]? {
    let size = Int(checking_bytes_per_pixel(format))
    guard size > 0 else { return nil }
    var result: [UInt16] = []
    var rgba: [UInt16] = [0, 0, 0, 0]
    for start in stride(from: 0, through: bytes.count - size, by: size) {
      let isKnown = bytes.withUnsafeBufferPointer {
        checking_canonical(format, alpha, $0.baseAddress! + start, &rgba)
      }
      guard isKnown != 0 || rgba[3] == 0 else { return nil }
      result += rgba[3] == 0 ? [0, 0, 0, 0] : rgba
    }
    return result
  }
}

/// A value of an option.
struct TestValue {
  var name: String
  var type: UInt32
  var number: Double
  var text = ""
}

/// What is written, and how.
struct WriteSettings {
  var host = HostSessionProbe.Settings()
  var format: String
  var isLossless = false
  var values: [TestValue] = []
  /// The layout that the host states it has.
  var pixelFormat = UInt32(IMGCODER_PIXEL_RGBA8)
  var alpha = UInt32(IMGCODER_ALPHA_STRAIGHT)
  var width = 24
  var height = 18
  /// More than one for an animation.
  var frames = 1
  var pages = 1
  var plays: UInt32 = 0
  var orientation: UInt32 = 1
  var metadata: [(kind: UInt32, bytes: [UInt8])] = []
  /// Which call of the output fails, from 1; 0 for none.
  var failedOutput: UInt64 = 0
  var addsThumbnail = false
  /// The picture is noise, which no format makes small.
  var noise = false
}

/// What writing gave.
struct Written {
  var bytes: [UInt8] = []
  /// The first call that failed, or nil.
  var failure: Reading.Failure?
  var pictures: [TestPixels] = []
  var left: UInt64 = 0
  var record = checking_record()
  var outputCalls: UInt64 = 0
  var outputCallsAfterFailure: UInt64 = 0

  var status: UInt32 { failure?.status ?? Status.ok }
}

extension CheckSubject {
  /// The layout that a writer names, as a host has it; nil for one that no host knows.
  static func layout(_ format: UInt32, _ alpha: UInt32) -> PixelLayout? {
    guard let format = PixelFormat(rawValue: format), let alpha = AlphaMode(rawValue: alpha) else { return nil }
    return PixelLayout(format, alpha)
  }

  /// What ``layout(_:_:)`` knows, in words.
  static let layoutsOfWriters = "pixel format 1 to \(PixelFormat.allCases.map(\.rawValue).max() ?? 0), alpha 0 to 2"

  /// Writes a file from its first call to its last. After the first call that fails, the writer is closed.
  func write(_ settings: WriteSettings, _ name: String) throws(CheckEnd) -> Written {
    stage(name)
    let session = HostSessionProbe(settings.host)
    let writer = WriterProbe(try coder, session: session, failedOutput: settings.failedOutput)
    var written = Written()
    func failed(_ call: String, _ status: UInt32) -> Bool {
      guard status != Status.ok else { return false }
      let record = session.record
      written.failure = Reading.Failure(
        call: call, status: status, message: session.message, isReported: record.fail_calls > 0,
        reportedStatus: record.status)
      return true
    }
    func run() {
      if failed("open", writer.open(settings)) { return }
      for page in 0..<settings.pages {
        let (status, format, alpha) = writer.negotiate(settings.pixelFormat, settings.alpha)
        if failed("negotiate", status) { return }
        guard let accepted = Self.layout(format, alpha) else {
          let asked = Self.layout(settings.pixelFormat, settings.alpha).map { "\($0)" } ?? "an unknown layout"
          written.failure = Reading.Failure(
            call: "negotiate for \(asked), which accepted pixel format \(format) with alpha \(alpha)",
            status: Status.library, message: "a writer takes \(Self.layoutsOfWriters)", isReported: true,
            reportedStatus: Status.library)
          return
        }
        var info = imgcoder_info()
        info.width = UInt32(settings.width)
        info.height = UInt32(settings.height)
        info.pixel_format = format
        info.bits_per_channel = UInt32(8 * accepted.format.bytesPerChannel)
        info.alpha = alpha
        info.orientation = settings.orientation
        info.frame_count = settings.frames == 1 ? 1 : 0
        info.page_count = UInt32(settings.pages)
        info.plays = settings.plays
        info.flags = settings.frames == 1 ? 0 : UInt32(IMGCODER_INFO_ANIMATED | IMGCODER_INFO_PLAYS_STATED)
        if failed("set_info", writer.setInfo(info)) { return }
        for (kind, bytes) in settings.metadata {
          if failed("add_metadata of kind \(kind)", writer.addMetadata(kind, bytes)) { return }
        }
        if settings.addsThumbnail {
          let small = TestPixels(width: 16, height: 12, format: format, alpha: alpha)
          if failed("add_thumbnail", writer.addThumbnail(small)) { return }
        }
        for frame in 0..<settings.frames {
          var pixels = TestPixels(
            width: settings.width, height: settings.height, format: format, alpha: alpha, shift: frame + page)
          if settings.noise { pixels.makeNoise() }
          if failed("add_frame \(frame) of page \(page)", writer.addFrame(pixels)) { return }
          written.pictures.append(pixels)
        }
      }
      _ = failed("finish", writer.finish())
    }
    run()
    checking_session_count_tasks(session.session)
    writer.close()
    written.bytes = writer.bytes
    written.outputCalls = writer.output.pointee.calls
    written.outputCallsAfterFailure = writer.output.pointee.calls_after_failure
    written.record = session.record
    written.left = session.record.live_bytes
    try verify(session, name)
    return written
  }

  /// Settings with which the writer makes a file of each of its formats, with the size that it takes.
  var writableFormats: [WriteSettings] {
    get throws(CheckEnd) {
      _ = try writer
      var result: [WriteSettings] = []
      for format in try manifest.writtenFormats {
        // The first that is taken: icons have certain sizes only.
        for (width, height) in [(24, 18), (32, 32), (16, 16), (128, 128)] {
          var settings = WriteSettings(format: format.format.rawValue)
          (settings.width, settings.height) = (width, height)
          let written = try write(settings, "\(format.name), \(width)×\(height)")
          guard written.failure == nil else { continue }
          result.append(settings)
          break
        }
      }
      return result
    }
  }

  /// Files that the coder writes itself.
  func madeSamples() throws(CheckEnd) -> [Sample] {
    guard try coder.writer != nil, try coder.missingWriterCalls.isEmpty, plugin.manifest != nil else { return [] }
    let before = stageText
    var samples: [Sample] = []
    for settings in try writableFormats {
      let name = settings.format
      samples.append(Sample(name: "\(name) that the coder wrote", bytes: try write(settings, name).bytes))
      var gray = settings
      gray.pixelFormat = UInt32(IMGCODER_PIXEL_GRAY8)
      gray.alpha = 0
      let written = try write(gray, "\(name) in gray")
      if written.failure == nil {
        samples.append(Sample(name: "\(name) in gray that the coder wrote", bytes: written.bytes))
      }
      guard try manifest.writesFrames else { continue }
      var animated = settings
      animated.frames = 3
      let frames = try write(animated, "\(name) with 3 frames")
      if frames.failure == nil {
        samples.append(Sample(name: "\(name) with 3 frames that the coder wrote", bytes: frames.bytes))
      }
    }
    stage(before)
    return samples
  }
}
