// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What whole files give.
  static let decodeChecks: [PluginCheck] = [
    PluginCheck(.decode, "samples", .r15, "Each sample is described and decoded.") { (subject) throws(CheckEnd) in
      let samples = try subject.everySample
      var refused: [String] = []
      for sample in samples {
        let known = try subject.read(sample.bytes, sample.name)
        // The file may be valid and out of this plugin's reach.
        if let failure = known.failures.first, failure.status == Status.unsupported {
          refused.append("\(sample.name): \(failure.message)")
          continue
        }
        let reading = try subject.readWhole(sample)
        for (index, picture) in reading.pictures.enumerated() where !picture.isWhole {
          throw .failed(
            "\(sample.name): picture \(index)",
            expected: "all \(picture.offer.height) rows done, as decode returned OK",
            found: "\(picture.rowsDone)", rule: .r8)
        }
      }
      guard refused.isEmpty else {
        throw .warned(
          "\(refused.count) of \(samples.count) samples are UNSUPPORTED: \(refused.joined(separator: "; "))")
      }
      return "\(samples.count) samples"
    },
    PluginCheck(.decode, "info", .r16, "info has values that version 1.0 knows, and a format of the manifest.") {
      (subject) throws(CheckEnd) in
      let formats: [String]?
      do throws(CheckEnd) { formats = try subject.manifest.formats.map(\.format.rawValue) } catch { formats = nil }
      for sample in try subject.samples {
        for (page, info) in try subject.readWhole(sample).infos.enumerated() {
          try Self.verify(info, "\(sample.name), page \(page)", sample, formats, isLater: try subject.coder.isLater)
        }
      }
      return nil
    },
    PluginCheck(.decode, "negotiate", .r16, "Offers are at least what is requested, say what is unmet, and are kept.") {
      (subject) throws(CheckEnd) in
      var count = 0
      let isLater = try subject.coder.isLater
      for sample in try subject.samples {
        guard let reader = try subject.opened(sample), let info = Self.decodable(reader) else { continue }
        let (status, frame) = reader.frameInfo(0, 0)
        guard status == Status.ok else { continue }
        for request in Self.requests(frame) where !subject.isOutOfTime {
          let what = """
            \(sample.name): a request of \(request.width)×\(request.height), pixel format \(request.pixel_format), \
            alpha \(request.alpha)
            """
          subject.stage(what)
          let (status, offer) = reader.negotiate(request)
          // A later version may have readers that enlarge, up to some limit; drawings have one.
          let mayRefuse =
            isLater || (Self.isDrawing(info) && [Status.unsupported, Status.limitExceeded].contains(status))
          if mayRefuse, request.width == .max, status >= 0x10 { continue }
          guard status == Status.ok else {
            throw .failed(what, expected: "an offer", found: "\(Status.name(status)): \(reader.session.message)")
          }
          try Self.verify(offer, isLater: isLater, what)
          if !Self.isDrawing(info) { try Self.verify(offer, request, frame, what) }
          guard let picture = reader.decode(offer), picture.status == Status.ok, picture.isWhole else {
            throw .failed(what, expected: "a decode of what was offered", found: reader.session.message)
          }
          try subject.verify(reader.session, what)
          count += 1
        }
      }
      return "\(count) requests"
    },
    PluginCheck(.decode, "repeat", .r10, "Another decode or session, and rows from the top, give the same pixels.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let first = try subject.readWhole(sample)
        let second = try subject.readWhole(sample)
        if let difference = second.difference(from: first) {
          throw .failed("\(sample.name) in a second session", expected: "the same pixels", found: difference)
        }
        guard let reader = try subject.opened(sample), Self.decodable(reader) != nil, let known = first.pictures.first
        else {
          continue
        }
        for turn in 1...3 {
          subject.stage("\(sample.name), decode \(turn) of one session")
          var request = ReaderProbe.request(0, 0)
          if turn == 3 { request.flags = UInt32(IMGCODER_REQUEST_TOP_DOWN) }
          let (_, offer) = reader.negotiate(request)
          guard let picture = reader.decode(offer) else { continue }
          if let difference = picture.difference(from: known) {
            throw .failed(
              "\(sample.name), decode \(turn) of one session", expected: "the same pixels", found: difference)
          }
        }
      }
      return nil
    },
    PluginCheck(.decode, "threads", .r10, "Sessions on four threads at once give the same pixels.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let known = try subject.readWhole(sample)
        subject.stage("\(sample.name) on four threads")
        let readings = Concurrent.readings(of: sample.bytes, with: try subject.reader, threads: 4)
        for reading in readings {
          if let difference = reading.difference(from: known) {
            throw .failed("\(sample.name) on four threads", expected: "the same pixels", found: difference)
          }
        }
      }
      return nil
    },
    PluginCheck(.decode, "sessions", .r12, "Sessions that take turns on one thread do not change each other.") {
      (subject) throws(CheckEnd) in
      var opened: [(ReaderProbe, ReaderProbe.Picture, String)] = []
      for sample in try subject.samples.prefix(6) {
        let known = try subject.readWhole(sample)
        guard let picture = known.pictures.first else { continue }
        for _ in 0..<2 {
          let reader = ReaderProbe(try subject.reader, sample.bytes, session: HostSessionProbe())
          subject.stage("\(sample.name) beside \(opened.count) sessions")
          guard reader.open() == Status.ok, Self.decodable(reader) != nil else { continue }
          opened.append((reader, picture, sample.name))
        }
      }
      // The last opened first, so that each session is used after others were opened and closed.
      while let (reader, known, name) = opened.popLast() {
        subject.stage("\(name) beside \(opened.count) sessions")
        let (_, offer) = reader.negotiate(ReaderProbe.request(0, 0))
        let picture = reader.decode(offer)
        if let difference = picture?.difference(from: known) {
          throw .failed("\(name) beside \(opened.count) sessions", expected: "the same pixels", found: difference)
        }
        reader.close()
      }
      return nil
    },
    PluginCheck(.decode, "foreign", .r15, "Files of other formats are refused as WRONG_FORMAT.") {
      (subject) throws(CheckEnd) in
      _ = try subject.reader
      let signatures: [FormatSignature]
      do throws(CheckEnd) { signatures = try subject.manifest.formats.flatMap(\.signatures) } catch { signatures = [] }
      // Those that a signature agrees with are for `manifest.others` to judge: they may be of a kind of this format.
      var files = try subject.foreignSamples.filter { file in !signatures.contains { $0.isIn(file.bytes) } }
      files.append(CheckSubject.Sample(name: "an empty file", bytes: []))
      files.append(CheckSubject.Sample(name: "64 spaces", bytes: [UInt8](repeating: 0x20, count: 64)))
      for file in files {
        let reading = try subject.read(file.bytes, file.name)
        let isRight = reading.open == Status.wrongFormat || (file.bytes.isEmpty && reading.open == Status.truncated)
        guard isRight else {
          throw .failed("open of \(file.name)", expected: "WRONG_FORMAT", found: Status.name(reading.open))
        }
      }
      return "\(files.count) files"
    },
  ]

  private static func verify(
    _ info: imgcoder_info, _ what: String, _ sample: CheckSubject.Sample, _ formats: [String]?, isLater: Bool
  ) throws(CheckEnd) {
    let isEmbedded = info.flags & UInt32(IMGCODER_INFO_EMBEDDED) != 0
    let facts: [(String, Bool, String, String)] = [
      ("the canvas", info.width > 0 && info.height > 0, "at least 1×1", "\(info.width)×\(info.height)"),
      (
        "pixel_format", checking_bytes_per_pixel(info.pixel_format) > 0 || (isLater && info.pixel_format > 16),
        "1 to 16",
        "\(info.pixel_format)"
      ),
      ("bits_per_channel", (1...32).contains(info.bits_per_channel), "1 to 32", "\(info.bits_per_channel)"),
      ("alpha", info.alpha <= 2, "0 to 2", "\(info.alpha)"),
      ("orientation", info.orientation <= 8, "0 to 8", "\(info.orientation)"),
      ("frame_count", info.frame_count >= 1, "at least 1", "\(info.frame_count)"),
      ("page_count", info.page_count >= 1, "at least 1", "\(info.page_count)"),
      ("primary_page", info.primary_page < max(info.page_count, 1), "below \(info.page_count)", "\(info.primary_page)"),
      (
        "subsampling", [0, 444, 422, 420, 440, 411, 400].contains(info.subsampling), "a subsampling of types.h",
        "\(info.subsampling)"
      ),
      ("gamma", info.gamma.isFinite && info.gamma >= 0, "a number of at least 0", "\(info.gamma)"),
      ("flags", info.flags < 1 << 23 || isLater, "flags of version 1.1", "\(info.flags)"),
      (
        "INFO_STANDS_IN",
        info.flags & UInt32(IMGCODER_INFO_STANDS_IN) == 0 || info.flags & UInt32(IMGCODER_INFO_LOSSLESS) == 0,
        "not set with LOSSLESS", "both"
      ),
      (
        "INFO_INCOMPLETE", info.flags & UInt32(IMGCODER_INFO_INCOMPLETE) == 0, "not set: all bytes are there", "set"
      ),
      (
        "embedded file",
        !isEmbedded
          || (info.embedded_offset <= UInt64(sample.bytes.count)
            && info.embedded_length <= UInt64(sample.bytes.count) - info.embedded_offset),
        "inside the \(sample.bytes.count) bytes of the file",
        "\(info.embedded_length) bytes at \(info.embedded_offset)"
      ),
    ]
    for (name, holds, expected, found) in facts where !holds {
      throw .failed("\(what): \(name)", expected: expected, found: found)
    }
    let format = LoadedCoder.text(info.format)
    if let formats, format.map({ formats.contains($0) }) != true {
      throw .failed(
        "\(what): format", expected: formats.joined(separator: ", "), found: LoadedCoder.shown(info.format), rule: .r15)
    }
  }

  /// Requests of all formats and alpha modes, and of several sizes.
  private static func requests(_ frame: imgcoder_frame_info) -> [imgcoder_request] {
    var requests: [imgcoder_request] = []
    for format in UInt32(0)...16 {
      for alpha in UInt32(0)...2 { requests.append(ReaderProbe.request(0, 0, format: format, alpha: alpha)) }
    }
    for (across, down): (UInt32, UInt32) in [(1, 1), (2, 2), (3, 2), (8, 8), (1, 8)] {
      let (width, height) = (max(1, frame.width / across), max(1, frame.height / down))
      requests.append(ReaderProbe.request(0, 0, width: width, height: height))
    }
    requests.append(ReaderProbe.request(0, 0, width: 1, height: 1))
    requests.append(ReaderProbe.request(0, 0, width: .max, height: .max))
    return requests
  }

  /// Fails unless an offer agrees with its request.
  private static func verify(
    _ offer: imgcoder_offer, _ request: imgcoder_request, _ frame: imgcoder_frame_info, _ what: String
  ) throws(CheckEnd) {
    let (wide, high) = (min(request.width, frame.width), min(request.height, frame.height))
    guard offer.width <= frame.width, offer.height <= frame.height, offer.width >= wide, offer.height >= high,
      request.width != 0 || (offer.width == frame.width && offer.height == frame.height)
    else {
      throw .failed(
        what, expected: "at least that, and at most the frame's \(frame.width)×\(frame.height)",
        found: "\(offer.width)×\(offer.height)")
    }
    let differs = request.pixel_format != 0 && offer.pixel_format != request.pixel_format
    guard (offer.unmet & UInt32(IMGCODER_UNMET_PIXEL_FORMAT) != 0) || !differs else {
      throw .failed(
        what, expected: "IMGCODER_UNMET_PIXEL_FORMAT for an offer of pixel format \(offer.pixel_format)",
        found: "unmet \(offer.unmet)")
    }
  }
}
