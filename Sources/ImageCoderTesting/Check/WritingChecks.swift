// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What the writer makes.
  static let writingChecks: [PluginCheck] = [
    PluginCheck(.writing, "defaults", .r15, "Each format that the manifest says is written is, and can be read.") {
      (subject) throws(CheckEnd) in
      let formats = try subject.writableFormats
      for format in try subject.manifest.writtenFormats
      where !formats.contains(where: { $0.format == format.format.rawValue }) {
        let last = try subject.write(WriteSettings(format: format.format.rawValue), format.name)
        throw .failed(
          "\(format.name) of 24×18, 32×32, 16×16 and 128×128", expected: "a file", found: describe(last.failure))
      }
      for settings in formats {
        let written = try subject.write(settings, settings.format)
        try verify(subject, written, settings, settings.format)
      }
      return "\(formats.count) formats"
    },
    PluginCheck(.writing, "layouts", .r16, "Each layout is taken, or answered with one that is, and can be read.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for format in try subject.writableFormats where !subject.isOutOfTime {
        for layout in UInt32(1)...10 {
          for alpha in UInt32(0)...2 where !subject.isOutOfTime {
            var settings = format
            (settings.pixelFormat, settings.alpha) = (layout, alpha)
            let name = "\(format.format) from pixel format \(layout), alpha \(alpha)"
            let written = try subject.write(settings, name)
            if written.status == Status.unsupported { continue }
            guard written.failure == nil else {
              throw .failed(name, expected: "a file, or UNSUPPORTED", found: describe(written.failure))
            }
            try verify(subject, written, settings, name)
            count += 1
          }
        }
      }
      return "\(count) layouts"
    },
    PluginCheck(.writing, "unknown-layout", .r16, "An unknown layout is answered with a known one, or UNSUPPORTED.") {
      (subject) throws(CheckEnd) in
      for format in try subject.writableFormats {
        for (layout, alpha): (UInt32, UInt32) in [(0, 0), (11, 0), (99, 9), (.max, .max), (6, 7)] {
          let writer = WriterProbe(try subject.writer, session: HostSessionProbe())
          let name = "\(format.format) from pixel format \(layout), alpha \(alpha)"
          subject.stage(name)
          guard writer.open(format) == Status.ok else { continue }
          let (status, accepted, acceptedAlpha) = writer.negotiate(layout, alpha)
          guard status != Status.ok else {
            guard CheckSubject.layout(accepted, acceptedAlpha) != nil else {
              throw .failed(name, expected: CheckSubject.layoutsOfWriters, found: "\(accepted), \(acceptedAlpha)")
            }
            continue
          }
          guard status >= 0x10, try subject.coder.isKnown(status) else {
            throw .failed(name, expected: "an error", found: Status.name(status))
          }
        }
      }
      return nil
    },
    PluginCheck(.writing, "lossless", .r15, "What is written without loss is read again, sample for sample.") {
      (subject) throws(CheckEnd) in
      _ = try subject.writer
      guard try subject.manifest.capabilities.contains("lossless") else {
        throw .skipped("the manifest does not state lossless")
      }
      guard try subject.coder.reader != nil else { throw .skipped("the coder does not read") }
      var count = 0
      for format in try subject.writableFormats {
        for (layout, alpha): (UInt32, UInt32) in [
          (1, 0), (2, 1), (5, 0), (6, 1), (6, 0), (7, 1), (3, 0), (4, 1), (8, 1),
        ]
        where !subject.isOutOfTime {
          var settings = format
          settings.isLossless = true
          (settings.pixelFormat, settings.alpha) = (layout, alpha)
          let name = "\(format.format) from pixel format \(layout), alpha \(alpha), without loss"
          let written = try subject.write(settings, name)
          if written.status == Status.unsupported { continue }
          guard written.failure == nil, let picture = written.pictures.first else {
            throw .failed(name, expected: "a file, or UNSUPPORTED", found: describe(written.failure))
          }
          guard let expected = picture.canonical else { continue }
          var reading = ReadSettings()
          reading.frames = 1
          let found = try subject.read(written.bytes, "\(name), read again", reading)
          guard let again = found.pictures.first else { continue }
          guard let pixels = TestPixels.canonical(again.pixels, again.offer.pixel_format, again.offer.alpha) else {
            continue
          }
          guard pixels == expected else {
            let place = zip(pixels, expected).enumerated().first { $0.element.0 != $0.element.1 }
            throw .failed(
              name, expected: "equal samples",
              found: place.map { "\($0.element.0) instead of \($0.element.1) at sample \($0.offset)" }
                ?? "\(pixels.count / 4) pixels instead of \(expected.count / 4)")
          }
          count += 1
        }
      }
      guard count > 0 else { throw .skipped("the coder writes only embedded files, or no layout without loss") }
      return "\(count) round trips"
    },
    PluginCheck(.writing, "repeat", .r10, "The same picture gives the same file.") { (subject) throws(CheckEnd) in
      for settings in try subject.writableFormats {
        let (first, second) = (
          try subject.write(settings, settings.format), try subject.write(settings, settings.format)
        )
        guard first.bytes == second.bytes else {
          throw .failed(settings.format, expected: "the same file twice", found: "two files that differ")
        }
      }
      return nil
    },
    PluginCheck(.writing, "frames", .r15, "A writer of frames keeps three; another refuses the second.") {
      (subject) throws(CheckEnd) in
      let takesFrames = try (subject.writer.writer?.features ?? 0) & UInt32(IMGCODER_WRITER_FRAMES) != 0
      var count = 0
      for format in try subject.writableFormats {
        var settings = format
        settings.frames = 3
        settings.plays = 2
        let name = "\(format.format) with 3 frames"
        let written = try subject.write(settings, name)
        guard takesFrames else {
          guard written.status == Status.unsupported || written.status == Status.outOfOrder else {
            throw .failed(name, expected: "UNSUPPORTED", found: describe(written.failure))
          }
          continue
        }
        // Of several formats, some may be stills.
        if written.status == Status.unsupported { continue }
        guard written.failure == nil else { throw .failed(name, expected: "a file", found: describe(written.failure)) }
        count += 1
        guard try subject.coder.reader != nil else { continue }
        let reading = try subject.read(written.bytes, "\(name), read again")
        guard reading.frames.count == 3, reading.infos.first?.frame_count == 3 else {
          throw .failed(
            "\(name), read again", expected: "3 frames", found: "\(reading.infos.first?.frame_count ?? 0) frames")
        }
      }
      guard !takesFrames || count > 0 else {
        throw .failed("3 frames", expected: "a format that takes them", found: "none")
      }
      return nil
    },
    PluginCheck(.writing, "pages", .r15, "A writer of pages keeps three.") { (subject) throws(CheckEnd) in
      guard try subject.writer.writesPages else { throw .skipped("the writer takes one page") }
      for format in try subject.writableFormats {
        var settings = format
        settings.pages = 3
        let name = "\(format.format) with 3 pages"
        let written = try subject.write(settings, name)
        if written.status == Status.unsupported { continue }
        guard written.failure == nil else { throw .failed(name, expected: "a file", found: describe(written.failure)) }
        guard try subject.coder.reader != nil else { continue }
        let reading = try subject.read(written.bytes, "\(name), read again")
        guard reading.infos.first?.page_count == 3 else {
          throw .failed(
            "\(name), read again", expected: "3 pages", found: "\(reading.infos.first?.page_count ?? 0) pages")
        }
      }
      return nil
    },
    PluginCheck(.writing, "metadata", .r15, "Payloads that the manifest lists are kept byte for byte.") {
      (subject) throws(CheckEnd) in
      let listed = kinds.filter { kind in (try? subject.manifest.capabilities.contains(kind.name)) == true }
      guard try subject.writer.writer?.add_metadata != nil, !listed.isEmpty else {
        throw .skipped("the manifest lists no metadata that is written")
      }
      var missing: [String] = []
      for (kind, name, _) in listed {
        guard let payload = try payload(kind, subject) else {
          missing.append(name)
          continue
        }
        for format in try subject.writableFormats {
          var settings = format
          settings.metadata = [(kind, payload)]
          let what = "\(format.format) with \(name) of \(payload.count) bytes"
          let written = try subject.write(settings, what)
          if written.status == Status.unsupported { continue }
          guard written.failure == nil else {
            throw .failed(what, expected: "a file", found: describe(written.failure))
          }
          guard try subject.coder.reader != nil else { continue }
          let reader = ReaderProbe(try subject.reader, written.bytes, session: HostSessionProbe())
          guard reader.open() == Status.ok, let found = reader.metadata(0, kind), found.status == Status.ok,
            found.bytes.elementsEqual(payload)
          else { throw .failed("\(what), read again", expected: "the same bytes", found: "others, or none") }
        }
      }
      return missing.isEmpty ? nil : "no sample has \(missing.joined(separator: ", "))"
    },
    PluginCheck(.writing, "thumbnail", .r15, "A writer with add_thumbnail takes one.") { (subject) throws(CheckEnd) in
      guard try subject.writer.writer?.add_thumbnail != nil else { throw .skipped("the writer has no add_thumbnail") }
      var refusals: [String] = []
      let formats = try subject.writableFormats
      for format in formats {
        var settings = format
        settings.addsThumbnail = true
        let written = try subject.write(settings, "\(format.format) with a thumbnail")
        if written.failure != nil { refusals.append("\(format.format): \(describe(written.failure))") }
      }
      guard refusals.count < max(formats.count, 1) else {
        throw .failed("a thumbnail", expected: "a format that takes one", found: refusals.joined(separator: "; "))
      }
      return nil
    },
  ]

  static func describe(_ failure: Reading.Failure?) -> String {
    failure.map { "\($0.call): \(Status.name($0.status))\($0.message.isEmpty ? "" : ": \($0.message)")" } ?? "OK"
  }

  /// A payload that a sample of the plugin holds: nothing else is sure to be valid.
  static func payload(_ kind: UInt32, _ subject: CheckSubject) throws(CheckEnd) -> [UInt8]? {
    guard try subject.coder.reader?.metadata != nil else { return nil }
    for sample in try subject.samples {
      guard let reader = try subject.opened(sample), reader.info(0).info.orientation <= 1 else { continue }
      guard let (status, bytes) = reader.metadata(0, kind), status == Status.ok else { continue }
      return Array(bytes)
    }
    return nil
  }

  /// Fails unless a file that was written is read with its size.
  static func verify(
    _ subject: CheckSubject, _ written: Written, _ settings: WriteSettings, _ name: String
  ) throws(CheckEnd) {
    guard written.failure == nil else {
      throw .failed(name, expected: "a file", found: describe(written.failure))
    }
    guard !written.bytes.isEmpty else { throw .failed(name, expected: "a file", found: "no bytes") }
    guard try subject.coder.reader != nil, try subject.coder.missingReaderCalls.isEmpty else { return }
    let reading = try subject.read(written.bytes, "\(name), read again")
    guard let info = reading.infos.first, reading.failures.isEmpty else {
      throw .failed("\(name), read again", expected: "OK", found: describe(reading.failures.first))
    }
    guard Int(info.width) == settings.width, Int(info.height) == settings.height else {
      throw .failed(
        "\(name), read again", expected: "\(settings.width)×\(settings.height)", found: "\(info.width)×\(info.height)")
    }
    // A file of a general format may be read as one of a special kind of it.
    let format = LoadedCoder.text(info.format) ?? "?"
    guard try subject.manifest.formats.contains(where: { $0.format.rawValue == format }) else {
      throw .failed("\(name), read again: format", expected: "one of the manifest", found: format)
    }
  }
}
