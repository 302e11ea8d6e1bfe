// SPDX-License-Identifier: Apache-2.0

extension PluginCheck {
  /// Where rows are written.
  static let decodePixelChecks: [PluginCheck] = [
    PluginCheck(.decode, "guards", .r8, "No byte before, between or after rows is touched.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let known = try subject.readWhole(sample)
        for (padding, isAtStart): (UInt32, Bool) in [(0, false), (0, true), (16, false), (16, true), (4096, false)] {
          var settings = ReadSettings()
          settings.sink.padding = padding
          settings.sink.isAtStart = isAtStart
          try Self.compare(subject, sample, settings, known, "rows \(padding) bytes apart")
        }
      }
      return nil
    },
    PluginCheck(.decode, "fills", .r8, "Rows of 0x00 and rows of 0xAA become the same.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        var settings = ReadSettings()
        settings.sink.fill = 0x00
        let known = try subject.readWhole(sample, settings)
        for fill: UInt32 in [0xAA, 0xFF] {
          settings.sink.fill = fill
          try Self.compare(subject, sample, settings, known, "rows of 0x\(String(fill, radix: 16))")
        }
      }
      return nil
    },
    PluginCheck(.decode, "grants", .r10, "Rows granted one, three or all at a time become the same.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let known = try subject.readWhole(sample)
        for grant: UInt32 in [1, 3] {
          var settings = ReadSettings()
          settings.sink.grant = grant
          try Self.compare(subject, sample, settings, known, "\(grant) rows at a time")
        }
      }
      return nil
    },
    PluginCheck(.decode, "sink-stops", .r16, "A status of the sink ends the decode, which returns it.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let calls = try subject.readWhole(sample).pictures.first?.calls ?? 0
        for call in Self.places(Int(calls), 12) where !subject.isOutOfTime {
          for status in [Status.cancelled, Status.io] {
            var settings = ReadSettings()
            settings.frames = 1
            settings.pages = 1
            settings.sink.stoppedCall = UInt64(call + 1)
            settings.sink.stopStatus = status
            let name = "\(sample.name), whose sink returns \(Status.name(status)) from call \(call + 1)"
            let reading = try subject.read(sample.bytes, name, settings)
            guard let picture = reading.pictures.first else { continue }
            guard picture.status == status else {
              throw .failed(name, expected: Status.name(status), found: Status.name(picture.status))
            }
            guard picture.callsAfterStop == 0 else {
              throw .failed(name, expected: "no further call of the sink", found: "\(picture.callsAfterStop)")
            }
          }
        }
      }
      return nil
    },
    PluginCheck(.decode, "after-error", .r16, "After a decode that failed, another gives the right pixels.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        guard let known = try subject.readWhole(sample).pictures.first else { continue }
        let name = "\(sample.name) after a decode that was cancelled"
        subject.stage(name)
        guard let reader = try subject.opened(sample), Self.decodable(reader) != nil else { continue }
        let (_, offer) = reader.negotiate(ReaderProbe.request(0, 0))
        for call: UInt64 in [1, 2] {
          var sink = ReaderProbe.Sink()
          sink.stoppedCall = call
          _ = reader.decode(offer, sink)
          let (_, again) = reader.negotiate(ReaderProbe.request(0, 0))
          guard let picture = reader.decode(again) else { continue }
          guard picture.status == Status.ok, picture.difference(from: known) == nil else {
            throw .failed(
              name, expected: "the same pixels",
              found: picture.difference(from: known) ?? "\(Status.name(picture.status)): \(reader.session.message)")
          }
        }
        try subject.verify(reader.session, name)
      }
      return nil
    },
  ]

  private static func compare(
    _ subject: CheckSubject, _ sample: CheckSubject.Sample, _ settings: ReadSettings, _ known: Reading, _ what: String
  ) throws(CheckEnd) {
    let reading = try subject.read(sample.bytes, "\(sample.name) into \(what)", settings)
    if let difference = reading.difference(from: known) {
      throw .failed("\(sample.name) into \(what)", expected: "the same pixels", found: difference)
    }
  }

  /// All numbers below a bound, or some of them, spread evenly and without the last.
  static func places(_ bound: Int, _ limit: Int) -> [Int] {
    bound <= limit ? Array(0..<max(bound, 0)) : (0..<limit).map { $0 * bound / limit }
  }
}
