// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension PluginCheck {
  /// Files whose bytes arrive over time.
  static let incrementalChecks: [PluginCheck] = [
    PluginCheck(.incremental, "chunks", .r10, "Bytes in pieces of 1, 7 and 1000 give the pixels of the whole file.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.read(sample.bytes, sample.name, settings(chunk: nil))
        for chunk: UInt64 in [1, 7, 1_000] {
          let name = "\(sample.name) in pieces of \(chunk)"
          let reading = try subject.read(sample.bytes, name, settings(chunk: chunk))
          if let difference = difference(reading, whole) {
            throw .failed(name, expected: "the pixels of the whole file", found: difference)
          }
        }
      }
      return nil
    },
    PluginCheck(.incremental, "header", .r15, "open and info ask only for the bytes of the header.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      var (count, whole): (Int, [String]) = (0, [])
      for sample in try subject.samples where sample.bytes.count >= 256 {
        let reading = try subject.read(sample.bytes, sample.name, settings(chunk: 1))
        count += 1
        if reading.arrivedAtInfo >= UInt64(sample.bytes.count) { whole.append(sample.name) }
      }
      guard count > 0 else { throw .skipped("there is no sample of 256 bytes or more") }
      // A file may be stored so that its description is at its end; not all of them are.
      guard whole.count < count else {
        throw .failed(
          "open and info of \(whole.joined(separator: ", "))", expected: "fewer bytes asked for than some file has",
          found: "all of them")
      }
      return "\(count - whole.count) of \(count) samples"
    },
    PluginCheck(.incremental, "rows", .r15, "Rows are done before the last byte arrives.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      var (count, late): (Int, [String]) = (0, [])
      for sample in try subject.samples + largeSamples(subject) where sample.bytes.count >= 8_192 {
        let reading = try subject.read(sample.bytes, sample.name, settings(chunk: 1))
        guard let picture = reading.pictures.first, picture.rowsDone > 1 else { continue }
        count += 1
        if picture.arrivedAtFirstRow >= UInt64(sample.bytes.count) { late.append(sample.name) }
      }
      guard count > 0 else { throw .skipped("there is no sample of 8192 bytes or more") }
      // A format may be such that the first row needs the last byte: only its author can tell.
      guard late.count < count else {
        throw .warned("no row before the last byte of \(late.joined(separator: ", "))")
      }
      return "\(count - late.count) of \(count) samples"
    },
    PluginCheck(.incremental, "complete", .r16, "When all bytes have arrived, info is that of the complete file.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      for sample in try subject.samples where !sample.bytes.isEmpty {
        let whole = ReaderProbe(try subject.reader, sample.bytes, session: HostSessionProbe())
        var source = ReaderProbe.Source()
        source.chunk = UInt64(sample.bytes.count)
        let reader = ReaderProbe(try subject.reader, sample.bytes, session: HostSessionProbe(), source: source)
        subject.stage("\(sample.name), all of whose bytes have arrived")
        guard whole.open() == Status.ok, reader.open(flags: UInt32(IMGCODER_OPEN_INCREMENTAL)) == Status.ok else {
          throw .failed(sample.name, expected: "OK from open", found: reader.session.message)
        }
        let (expected, found) = (whole.info(0).info, reader.info(0).info)
        let isSame =
          expected.flags == found.flags && expected.width == found.width && expected.height == found.height
          && expected.pixel_format == found.pixel_format && expected.frame_count == found.frame_count
          && expected.page_count == found.page_count && expected.plays == found.plays
        guard isSame else {
          throw .failed(
            "\(sample.name), all of whose bytes have arrived",
            expected: "flags \(expected.flags), \(expected.frame_count) frames, \(expected.page_count) pages",
            found: "flags \(found.flags), \(found.frame_count) frames, \(found.page_count) pages")
        }
      }
      return nil
    },
    PluginCheck(.incremental, "cancel", .r16, "CANCELLED of the source ends the session's call at once.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      for sample in try subject.samples where !subject.isOutOfTime {
        let whole = try subject.read(sample.bytes, sample.name, settings(chunk: nil))
        for place in places(sample.bytes.count, 20) where place > 0 {
          var settings = settings(chunk: 1)
          settings.source.cancelledAt = UInt64(place)
          let name = "\(sample.name), cancelled after \(place) bytes"
          let reading = try subject.read(sample.bytes, name, settings)
          guard reading.status == Status.cancelled || reading.delivers(sameAs: whole) else {
            throw .failed(name, expected: "CANCELLED", found: Status.name(reading.status))
          }
        }
      }
      return nil
    },
    PluginCheck(.incremental, "cut", .r9, "A file that ends early in pieces gives what it gives at once.") {
      (subject) throws(CheckEnd) in
      try requireIncremental(subject)
      for sample in try subject.samples where !subject.isOutOfTime {
        for length in places(sample.bytes.count, 40) where !subject.isOutOfTime {
          let bytes = Array(sample.bytes.prefix(length))
          let name = "the first \(length) bytes of \(sample.name) in pieces of 7"
          let reading = try subject.read(bytes, name, settings(chunk: 7))
          try verifyStatuses(reading, name, of: subject)
          guard !reading.failures.isEmpty || reading.pictures.allSatisfy(\.isWhole) else {
            throw .failed(name, expected: "TRUNCATED", found: "OK without all rows")
          }
        }
      }
      return nil
    },
  ]

  /// How readings differ. Before all bytes are there, a layout with alpha may be offered where none is needed.
  private static func difference(_ reading: Reading, _ whole: Reading) -> String? {
    guard let difference = reading.difference(from: whole) else { return nil }
    let isSame =
      reading.status == whole.status && reading.pictures.count == whole.pictures.count
      && zip(reading.pictures, whole.pictures).allSatisfy { found, known in
        guard found.isWhole, known.isWhole else { return found.difference(from: known) == nil }
        let pixels = TestPixels.canonical(found.pixels, found.offer.pixel_format, found.offer.alpha)
        return pixels != nil
          && pixels == TestPixels.canonical(known.pixels, known.offer.pixel_format, known.offer.alpha)
      }
    return isSame ? nil : difference
  }

  /// A picture of noise, which the coder itself writes; none if it does not.
  private static func largeSamples(_ subject: CheckSubject) throws(CheckEnd) -> [CheckSubject.Sample] {
    guard try subject.coder.writer != nil, try subject.coder.missingWriterCalls.isEmpty else { return [] }
    var samples: [CheckSubject.Sample] = []
    for format in try subject.writableFormats {
      var settings = format
      settings.noise = true
      if format.width != format.height { (settings.width, settings.height) = (160, 160) }
      let written = try subject.write(settings, "\(format.format) of noise")
      if written.failure == nil { samples.append(.init(name: "\(format.format) of noise", bytes: written.bytes)) }
    }
    return samples
  }

  private static func requireIncremental(_ subject: CheckSubject) throws(CheckEnd) {
    guard try subject.reader.readsIncrementally else { throw .skipped("the coder does not read incrementally") }
  }

  /// Settings for bytes in pieces, or for all at once.
  private static func settings(chunk: UInt64?) -> ReadSettings {
    var settings = ReadSettings()
    settings.pages = 1
    if let chunk {
      settings.flags = UInt32(IMGCODER_OPEN_INCREMENTAL)
      settings.source.chunk = chunk
    }
    return settings
  }
}
