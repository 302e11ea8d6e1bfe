// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

/// How a file is read from its first call to its last.
struct ReadSettings {
  var host = HostSessionProbe.Settings()
  var source = ReaderProbe.Source()
  var sink = ReaderProbe.Sink()
  /// Nil for no options.
  var flags: UInt32? = 0
  /// Values of options to read.
  var values: [TestValue] = []
  /// How many pages and frames of each are read, at most.
  var pages = 3
  var frames = 4
  var readsProperties = false
}

/// What reading a file gave.
struct Reading {
  /// A call that failed.
  struct Failure {
    let call: String
    let status: UInt32
    let message: String
    let isReported: Bool
    let reportedStatus: UInt32
  }

  var open = Status.ok
  var failures: [Failure] = []
  var infos: [imgcoder_info] = []
  var frames: [imgcoder_frame_info] = []
  var pictures: [ReaderProbe.Picture] = []
  /// Bytes of the host's memory that were left after `close`.
  var left: UInt64 = 0
  var record = checking_record()
  var sourceCalls: UInt64 = 0
  /// Bytes that had arrived after `open` and `info` of the first page.
  var arrivedAtInfo: UInt64 = 0
  var heldAtInfo: UInt64 = 0

  /// The status of the first call that failed, or OK.
  var status: UInt32 { failures.first?.status ?? Status.ok }

  /// Whether the pixels and statuses are equal.
  func delivers(sameAs other: Reading) -> Bool { difference(from: other) == nil }

  /// How another reading of the same bytes differs, or nil.
  func difference(from other: Reading) -> String? {
    if status != other.status { return "\(Status.name(status)) instead of \(Status.name(other.status))" }
    if pictures.count != other.pictures.count { return "\(pictures.count) pictures instead of \(other.pictures.count)" }
    for (index, (own, others)) in zip(pictures, other.pictures).enumerated() {
      if let text = own.difference(from: others) { return "picture \(index): \(text)" }
    }
    return nil
  }
}

extension imgcoder_info {
  /// Whether only asking for the frame after the last one shows that there is none.
  var hasUncountedFrames: Bool {
    let needed = UInt32(IMGCODER_INFO_ANIMATED | IMGCODER_INFO_FRAMES_UNKNOWN)
    return flags & needed == needed
  }
}

extension ReaderProbe.Picture {
  /// How another picture differs in size or in rows that are done in both, or nil.
  func difference(from other: Self) -> String? {
    guard offer.width == other.offer.width, offer.height == other.offer.height,
      offer.pixel_format == other.offer.pixel_format
    else {
      return "\(offer.width)×\(offer.height) in pixel format \(offer.pixel_format) instead of "
        + "\(other.offer.width)×\(other.offer.height) in \(other.offer.pixel_format)"
    }
    if rowsDone != other.rowsDone { return "\(rowsDone) rows are done instead of \(other.rowsDone)" }
    return differentRow(other).map { "row \($0) has other bytes" }
  }

  /// The first row that is done in both and differs, or nil.
  func differentRow(_ other: Self) -> Int? {
    if pixels == other.pixels { return nil }
    let count = rowBytes
    return (0..<min(done.count, other.done.count)).first { y in
      done[y] == 1 && other.done[y] == 1
        && pixels[(y * count)..<((y + 1) * count)] != other.pixels[(y * count)..<((y + 1) * count)]
    }
  }
}

extension CheckSubject {
  /// Reads a file: opens it, describes and decodes its first pages and frames, and closes it.
  ///
  /// - Parameter name: What is read, for messages.
  /// - Throws: A failure if the plugin uses the host against its rules, or offers what no host can use.
  func read(_ bytes: [UInt8], _ name: String, _ settings: ReadSettings = ReadSettings()) throws(CheckEnd) -> Reading {
    stage(name)
    let session = HostSessionProbe(settings.host)
    let malloced = checking_malloc_bytes()
    let reader = ReaderProbe(try coder, bytes, session: session, source: settings.source)
    let own = checking_malloc_bytes() &- malloced
    var reading = Reading()
    func failed(_ call: String, _ status: UInt32) -> Bool {
      guard status != Status.ok else { return false }
      let record = session.record
      reading.failures.append(
        Reading.Failure(
          call: call, status: status, message: session.message, isReported: record.fail_calls > 0,
          reportedStatus: record.status))
      return true
    }
    func pages() throws(CheckEnd) {
      var count = 1
      var page = 0
      while page < min(count, settings.pages) {
        let (status, info) = reader.info(UInt32(page))
        if failed("info of page \(page)", status) { break }
        if page == 0 {
          count = Int(info.page_count)
          reading.arrivedAtInfo = reader.source.pointee.arrived
          let grown = checking_malloc_bytes() &- malloced &- own
          reading.heldAtInfo = max(session.record.peak_bytes, Int64(bitPattern: grown) > 0 ? grown : 0)
        }
        reading.infos.append(info)
        if settings.readsProperties, let properties = reader.properties(UInt32(page), .max) {
          _ = failed("properties of page \(page)", properties.status)
        }
        if info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0 {
          let mayGrow = isIncremental && info.flags & UInt32(IMGCODER_INFO_ANIMATED) != 0
          try frames(page, mayGrow || info.hasUncountedFrames ? .max : Int(info.frame_count))
        }
        page += 1
      }
    }
    let isIncremental = (settings.flags ?? 0) & UInt32(IMGCODER_OPEN_INCREMENTAL) != 0
    func frames(_ page: Int, _ count: Int) throws(CheckEnd) {
      for frame in 0..<min(max(count, 0), settings.frames) {
        let what = "page \(page), frame \(frame)"
        let (status, info) = reader.frameInfo(UInt32(page), UInt32(frame))
        // While bytes arrive, and where nobody counts them, only this tells that there is no further frame.
        let isEnd = isIncremental || reading.infos.last?.hasUncountedFrames ?? false
        if status == Status.invalidArgument, frame > 0, isEnd { return }
        if failed("frame_info of \(what)", status) { return }
        reading.frames.append(info)
        let (negotiated, offer) = reader.negotiate(ReaderProbe.request(UInt32(page), UInt32(frame)))
        if failed("negotiate of \(what)", negotiated) { continue }
        guard let picture = reader.decode(offer, settings.sink) else {
          throw .failed(
            "\(name): the offer for \(what)", expected: "a size of at least 1×1 and a pixel format of 1 to 16",
            found: "\(offer.width)×\(offer.height), pixel format \(offer.pixel_format)", rule: .r16)
        }
        reading.pictures.append(picture)
        _ = failed("decode of \(what)", picture.status)
      }
    }
    reading.open = reader.open(flags: settings.flags, values: settings.values)
    if !failed("open", reading.open) { try pages() }
    checking_session_count_tasks(session.session)
    reader.close()
    reading.sourceCalls = reader.source.pointee.calls
    reading.record = session.record
    reading.left = session.record.live_bytes
    try verify(session, name)
    return reading
  }

  /// Fails if the plugin used the host against its rules.
  func verify(_ session: HostSessionProbe, _ name: String) throws(CheckEnd) {
    if let (rule, text) = session.violation {
      throw .failed(name, expected: "services of the host used by their rules", found: text, rule: rule)
    }
    if let overrun = session.overrun {
      throw .failed(
        name, expected: "no byte written after the fields of \(overrun) that the plugin knows",
        found: "later fields were written", rule: .r16)
    }
  }

  /// Reads a sample that has to be decoded whole.
  func readWhole(_ sample: Sample, _ settings: ReadSettings = ReadSettings()) throws(CheckEnd) -> Reading {
    let reading = try read(sample.bytes, sample.name, settings)
    guard let failure = reading.failures.first else { return reading }
    throw .failed(
      "\(sample.name): \(failure.call)", expected: "OK", found: "\(Status.name(failure.status)): \(failure.message)")
  }
}
