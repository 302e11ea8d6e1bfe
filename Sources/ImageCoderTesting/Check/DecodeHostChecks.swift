// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

extension PluginCheck {
  /// What a decode does when a service of the host fails.
  static let decodeHostChecks: [PluginCheck] = [
    PluginCheck(.decode, "limits", .r7, "A canvas beyond max_side or max_pixels is LIMIT_EXCEEDED; within, it is read.")
    {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.readWhole(sample)
        guard let info = whole.infos.first, info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0 else { continue }
        // Of pages and sizes in one file, the largest counts.
        guard info.page_count == 1 else { continue }
        let (side, pixels) = (max(info.width, info.height), UInt64(info.width) * UInt64(info.height))
        var (enough, less, fewer) = (ReadSettings(), ReadSettings(), ReadSettings())
        (enough.host.limits.max_side, enough.host.limits.max_pixels) = (side, pixels)
        less.host.limits.max_side = side - 1
        fewer.host.limits.max_pixels = pixels - 1
        let name = "\(sample.name), \(info.width)×\(info.height)"
        let reading = try subject.read(sample.bytes, "\(name), with limits of just that", enough)
        if let difference = reading.difference(from: whole) {
          throw .failed("\(name), with limits of just that", expected: "the same pixels", found: difference)
        }
        for (limit, settings) in [("max_side of \(side - 1)", less), ("max_pixels of \(pixels - 1)", fewer)] {
          let refused = try subject.read(sample.bytes, "\(name), with \(limit)", settings)
          guard refused.status == Status.limitExceeded else {
            throw .failed("\(name), with \(limit)", expected: "LIMIT_EXCEEDED", found: Status.name(refused.status))
          }
        }
      }
      return nil
    },
    PluginCheck(.decode, "memory", .r7, "Before the first row, no more memory is held than R7 allows.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples {
        try verifyMemory(try subject.readWhole(sample), sample.bytes.count, sample.name)
      }
      return nil
    },
    PluginCheck(.decode, "budget", .r7, "With little max_memory, a decode fails with a status or keeps to it.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.readWhole(sample)
        for budget: UInt64 in [0, 1, 64, 1_024, 16_384, 262_144] {
          var settings = ReadSettings()
          settings.host.limits.max_memory = budget
          let name = "\(sample.name) with max_memory of \(budget)"
          let reading = try subject.read(sample.bytes, name, settings)
          try verifyMemoryFailure(reading, whole, name, of: subject)
        }
      }
      return nil
    },
    PluginCheck(.decode, "allocations", .r2, "When any call of allocate returns null, the result is OUT_OF_MEMORY.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for limit in [8, 400] {
        for sample in try subject.samples {
          let whole = try subject.readWhole(sample)
          for call in places(Int(whole.record.allocations), limit) where !subject.isOutOfTime {
            var settings = ReadSettings()
            settings.host.failedAllocation = UInt64(call + 1)
            let name = "\(sample.name) when call \(call + 1) of allocate returns null"
            try verifyMemoryFailure(try subject.read(sample.bytes, name, settings), whole, name, of: subject)
            count += 1
          }
        }
      }
      return note(count, "failures", subject)
    },
    PluginCheck(.decode, "source-fails", .r16, "When the source returns IO, so does the call.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.readWhole(sample)
        for call in places(Int(whole.sourceCalls), 40) where !subject.isOutOfTime {
          var settings = ReadSettings()
          settings.source.failedCall = UInt64(call + 1)
          let name = "\(sample.name) when call \(call + 1) of the source returns IO"
          let reading = try subject.read(sample.bytes, name, settings)
          try verifyStatuses(reading, name, of: subject)
          guard reading.failures.contains(where: { $0.status == Status.io }) || reading.delivers(sameAs: whole) else {
            throw .failed(name, expected: "IO", found: Status.name(reading.status))
          }
        }
      }
      return nil
    },
    PluginCheck(.decode, "cancel", .r16, "When is_cancelled answers 1, the decode ends with CANCELLED.") {
      (subject) throws(CheckEnd) in
      var polls: UInt64 = 0
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.readWhole(sample)
        polls += whole.record.polls
        for poll in places(Int(clamping: whole.record.polls), 20) where !subject.isOutOfTime {
          var settings = ReadSettings()
          settings.host.cancelledPoll = UInt64(poll + 1)
          let name = "\(sample.name), cancelled at call \(poll + 1) of is_cancelled"
          let reading = try subject.read(sample.bytes, name, settings)
          guard reading.status == Status.cancelled || reading.delivers(sameAs: whole) else {
            throw .failed(name, expected: "CANCELLED", found: Status.name(reading.status))
          }
        }
      }
      return polls == 0 ? "is_cancelled was not called: the host cancels through the sink" : nil
    },
    PluginCheck(.decode, "hints", .r10, "HEADER_ONLY and FIRST_FRAME_ONLY describe and decode the same first frame.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.readWhole(sample)
        for (name, flag) in [
          ("HEADER_ONLY", IMGCODER_OPEN_HEADER_ONLY), ("FIRST_FRAME_ONLY", IMGCODER_OPEN_FIRST_FRAME_ONLY),
        ] {
          let what = "\(sample.name) with \(name)"
          subject.stage(what)
          let session = HostSessionProbe()
          let reader = ReaderProbe(try subject.reader, sample.bytes, session: session)
          guard reader.open(flags: UInt32(flag)) == Status.ok else {
            throw .failed(what, expected: "OK from open", found: session.message)
          }
          let (status, info) = reader.info(0)
          guard status == Status.ok, let known = whole.infos.first, info.width == known.width,
            info.height == known.height, info.pixel_format == known.pixel_format, info.alpha == known.alpha
          else { throw .failed(what, expected: "the same description", found: "\(info.width)×\(info.height)") }
          guard flag == IMGCODER_OPEN_FIRST_FRAME_ONLY, let first = whole.pictures.first,
            info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0
          else { continue }
          let (_, offer) = reader.negotiate(ReaderProbe.request(first.offer.page, 0))
          guard let picture = reader.decode(offer) else { continue }
          if let difference = picture.difference(from: first) {
            throw .failed(what, expected: "the same pixels", found: difference)
          }
          try subject.verify(session, what)
        }
      }
      return nil
    },
  ]

  /// Fails unless a reading that was short of memory says so, or gives the same as one that was not.
  private static func verifyMemoryFailure(
    _ reading: Reading, _ whole: Reading, _ name: String, of subject: CheckSubject
  ) throws(CheckEnd) {
    try verifyStatuses(reading, name, of: subject)
    if reading.delivers(sameAs: whole) { return }
    guard reading.failures.contains(where: { [Status.outOfMemory, Status.limitExceeded].contains($0.status) }) else {
      throw .failed(
        name, expected: "OUT_OF_MEMORY", found: reading.difference(from: whole) ?? Status.name(reading.status))
    }
  }
}
