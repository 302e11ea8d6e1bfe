// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder

extension PluginCheck {
  /// How a plugin answers what version 1.0 does not know.
  static let interfaceAnswerChecks: [PluginCheck] = [
    PluginCheck(.interface, "exact", .r16, "The plugin uses no field after those of version 1.0.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(4) {
        var settings = ReadSettings()
        settings.readsProperties = true
        settings.host.version = .first
        _ = try subject.readWhole(sample, settings)
      }
      return nil
    },
    PluginCheck(
      .interface, "first-formats", .r16,
      "To a host of version 1.0, only pixel formats of that version are named, and the pixels are the same."
    ) {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(4) {
        let today = try subject.readWhole(sample)
        var settings = ReadSettings()
        settings.host.version = .first
        let first = try subject.read(sample.bytes, "\(sample.name) for a host of version 1.0", settings)
        let formats = first.infos.map(\.pixel_format) + first.pictures.map(\.offer.pixel_format)
        for format in formats where format > 10 {
          throw .failed(
            "\(sample.name) for a host of version 1.0", expected: "pixel formats of 1 to 10", found: "\(format)")
        }
        for (index, (own, other)) in zip(first.pictures, today.pictures).enumerated() {
          guard own.rowsDone == other.rowsDone else { continue }
          func canonical(_ picture: ReaderProbe.Picture) -> [UInt16]? {
            TestPixels.canonical(picture.pixels, picture.offer.pixel_format, picture.offer.alpha)
          }
          guard let pixels = canonical(own), let others = canonical(other), pixels != others else { continue }
          throw .failed(
            "\(sample.name) for a host of version 1.0", expected: "the same pixels",
            found: "others in picture \(index)")
        }
      }
      return nil
    },
    PluginCheck(.interface, "grown", .r16, "The plugin works with structs of a later version, and leaves their fields.")
    {
      (subject) throws(CheckEnd) in
      // What is after the fields of this version may be fields of the plugin's.
      let coder = try subject.coder
      guard !coder.isLater else {
        throw .skipped("the plugin is built for version 1.\(coder.entry.abi_minor), and knows later fields")
      }
      for sample in try subject.samples.prefix(4) {
        let plain = try subject.readWhole(sample)
        var settings = ReadSettings()
        settings.host.version = .later
        settings.readsProperties = true
        let grown = try subject.read(sample.bytes, "\(sample.name) with larger structs", settings)
        if let difference = grown.difference(from: plain) {
          throw .failed("\(sample.name) with larger structs", expected: "the same result", found: difference)
        }
      }
      return nil
    },
    PluginCheck(
      .interface, "grown-writing", .r16, "The writer works with structs of 1.0 and of a later version."
    ) {
      (subject) throws(CheckEnd) in
      for settings in try subject.writableFormats.prefix(4) {
        let plain = try subject.write(settings, settings.format)
        for version in [HostSessionProbe.Version.first, .later] {
          var other = settings
          other.host.version = version
          let what = "\(settings.format) with structs of \(version == .first ? "version 1.0" : "a later version")"
          let written = try subject.write(other, what)
          guard written.bytes == plain.bytes, written.status == plain.status else {
            throw .failed(
              what, expected: "the same file",
              found: written.failure.map { "\($0.call): \(Status.name($0.status))" } ?? "other bytes")
          }
        }
      }
      return nil
    },
    PluginCheck(.interface, "no-options", .r16, "open works without options.") { (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(4) {
        let plain = try subject.readWhole(sample)
        var settings = ReadSettings()
        settings.flags = nil
        let bare = try subject.read(sample.bytes, "\(sample.name) without options", settings)
        if let difference = bare.difference(from: plain) {
          throw .failed("\(sample.name) without options", expected: "the same result", found: difference)
        }
      }
      return nil
    },
    PluginCheck(.interface, "unknown-page", .r16, "A page or frame that the file does not have is INVALID_ARGUMENT.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(4) {
        guard let reader = try subject.opened(sample) else { continue }
        let (status, info) = reader.info(0)
        guard status == Status.ok else { continue }
        let hidden = reader.hiddenPages
        let pages = [info.page_count, info.page_count &+ 1, 0x7FFF_FFFF, .max].filter { !hidden.contains($0) }
        let frames: [UInt32] = (info.hasUncountedFrames ? [] : [info.frame_count]) + [0x7FFF_FFFF, .max]
        func require(_ status: UInt32, _ what: String) throws(CheckEnd) {
          try subject.verify(reader.session, "\(sample.name): \(what)")
          guard status == Status.invalidArgument else {
            throw .failed("\(sample.name): \(what)", expected: "INVALID_ARGUMENT", found: Status.name(status))
          }
        }
        for page in pages {
          subject.stage("\(sample.name): page \(page) of \(info.page_count)")
          try require(reader.info(page).status, "info of page \(page)")
          try require(reader.frameInfo(page, 0).status, "frame_info of page \(page)")
          try require(reader.negotiate(ReaderProbe.request(page, 0)).status, "negotiate of page \(page)")
          if let answer = reader.properties(page, .max) { try require(answer.status, "properties of page \(page)") }
          if let answer = reader.metadata(page, 1), answer.status == Status.ok {
            throw .failed("\(sample.name): metadata of page \(page)", expected: "INVALID_ARGUMENT", found: "OK")
          }
        }
        guard info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0 else { continue }
        for frame in frames {
          subject.stage("\(sample.name): frame \(frame) of \(info.frame_count)")
          try require(reader.frameInfo(0, frame).status, "frame_info of frame \(frame)")
          try require(reader.negotiate(ReaderProbe.request(0, frame)).status, "negotiate of frame \(frame)")
        }
      }
      return nil
    },
    PluginCheck(.interface, "unknown-metadata", .r16, "An unknown kind of metadata is answered with a status.") {
      (subject) throws(CheckEnd) in
      guard try subject.reader.reader?.metadata != nil else { throw .skipped("the reader has no metadata") }
      for sample in try subject.samples.prefix(4) {
        guard let reader = try subject.opened(sample) else { continue }
        for kind: UInt32 in [0, 5, 75, 76, 77, 0x8000_0000, .max] {
          subject.stage("\(sample.name): metadata of kind \(kind)")
          guard let (status, _) = reader.metadata(0, kind) else { continue }
          guard status != Status.ok, try subject.coder.isKnown(status), status != Status.needMore else {
            throw .failed(
              "\(sample.name): metadata of kind \(kind)", expected: "NOT_PRESENT", found: Status.name(status))
          }
        }
        try subject.verify(reader.session, sample.name)
      }
      return nil
    },
    PluginCheck(
      .interface, "unknown-request", .r16, "A request with unknown formats is answered with a status or a known format."
    ) { (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(4) {
        guard let reader = try subject.opened(sample), Self.decodable(reader) != nil else { continue }
        for (format, alpha): (UInt32, UInt32) in [(17, 1), (31, 0), (32, 1), (99, 9), (.max, .max), (6, 3)] {
          let what = "\(sample.name): negotiate of pixel format \(format), alpha \(alpha)"
          subject.stage(what)
          let (status, offer) = reader.negotiate(ReaderProbe.request(0, 0, format: format, alpha: alpha))
          guard status == Status.ok else {
            guard try subject.coder.isKnown(status), status >= 0x10 else {
              throw .failed(what, expected: "an error, or an offer", found: Status.name(status))
            }
            continue
          }
          try Self.verify(offer, isLater: try subject.coder.isLater, what)
          guard offer.unmet & UInt32(IMGCODER_UNMET_PIXEL_FORMAT) != 0 || format == 6 else {
            throw .failed(what, expected: "IMGCODER_UNMET_PIXEL_FORMAT", found: "unmet \(offer.unmet)")
          }
        }
        try subject.verify(reader.session, sample.name)
      }
      return nil
    },
    PluginCheck(.interface, "unknown-flags", .r16, "Unknown flags of open change nothing.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples.prefix(3) {
        let plain = try subject.readWhole(sample)
        var settings = ReadSettings()
        settings.flags = 0xFFFF_FFF0
        let reading = try subject.read(sample.bytes, "\(sample.name) with unknown flags", settings)
        if let difference = reading.difference(from: plain) {
          throw .failed("\(sample.name) with unknown flags", expected: "the same result", found: difference)
        }
      }
      return nil
    },
    PluginCheck(.interface, "recognize", .r16, "recognize answers OK, WRONG_FORMAT or NEED_MORE, for prefixes too.") {
      (subject) throws(CheckEnd) in
      let coder = try subject.coder
      guard let call = coder.coder.recognize else { throw .skipped("the coder has no recognize") }
      func answer(_ bytes: [UInt8], _ size: UInt64, _ what: String) throws(CheckEnd) -> UInt32 {
        subject.stage("recognize of \(what)")
        let session = HostSessionProbe()
        let source = checking_source_new(session.session, bytes, UInt64(bytes.count), 0)!
        defer { checking_source_end(source) }
        let status = call(coder.raw, source.pointee.bytes, UInt64(bytes.count), size)
        guard [Status.ok, Status.wrongFormat, Status.needMore].contains(status) else {
          throw .failed("recognize of \(what)", expected: "OK, WRONG_FORMAT or NEED_MORE", found: Status.name(status))
        }
        return status
      }
      for sample in try subject.samples {
        let prefix = Array(sample.bytes.prefix(4096))
        for count in 0..<min(prefix.count, 32) {
          _ = try answer(Array(prefix.prefix(count)), UInt64(sample.bytes.count), "\(count) bytes of \(sample.name)")
        }
        let status = try answer(prefix, UInt64(sample.bytes.count), sample.name)
        guard status != Status.wrongFormat else {
          throw .failed("recognize of \(sample.name)", expected: "OK", found: "WRONG_FORMAT", rule: .r15)
        }
      }
      for sample in try subject.foreignSamples {
        let status = try answer(Array(sample.bytes.prefix(4096)), UInt64(sample.bytes.count), sample.name)
        guard status != Status.ok else {
          throw .failed("recognize of \(sample.name)", expected: "WRONG_FORMAT", found: "OK", rule: .r15)
        }
      }
      return nil
    },
  ]

  /// The first page's description, or nil if its pixels cannot be asked for.
  static func decodable(_ reader: ReaderProbe) -> imgcoder_info? {
    let (status, info) = reader.info(0)
    guard status == Status.ok, info.flags & UInt32(IMGCODER_INFO_EMBEDDED) == 0 else { return nil }
    return info
  }

  /// Fails unless an offer has values of this version. A later one may have other formats, and leave more unmet.
  static func verify(_ offer: imgcoder_offer, isLater: Bool, _ what: String) throws(CheckEnd) {
    let isRight =
      offer.width > 0 && offer.height > 0
      && (checking_bytes_per_pixel(offer.pixel_format) > 0 || (isLater && offer.pixel_format > 16)) && offer.alpha <= 2
      && offer.row_order <= 1 && (offer.unmet < 16 || isLater) && isPart(offer)
      && covers(offer.covered_width, offer.whole_width == 0 ? offer.width : offer.whole_width)
      && covers(offer.covered_height, offer.whole_height == 0 ? offer.height : offer.whole_height)
    guard isRight else {
      throw .failed(
        what,
        expected: """
          an offer of at least 1×1, inside the whole, pixel format 1 to 16, alpha 0 to 2, row order 0 or 1, covered but \
          for less than a column and a row
          """,
        found: """
          \(offer.width)×\(offer.height), pixel format \(offer.pixel_format), alpha \(offer.alpha), \
          row order \(offer.row_order), unmet \(offer.unmet), covered \(offer.covered_width)×\(offer.covered_height), at \(offer.part_x),\(offer.part_y) of \
          \(offer.whole_width)×\(offer.whole_height)
          """)
    }
  }

  /// Whether an offer that is a part of a picture lies inside it.
  private static func isPart(_ offer: imgcoder_offer) -> Bool {
    guard offer.whole_width != 0 || offer.whole_height != 0 else { return true }
    let (right, bottom) = (UInt64(offer.part_x) + UInt64(offer.width), UInt64(offer.part_y) + UInt64(offer.height))
    return right <= UInt64(offer.whole_width) && bottom <= UInt64(offer.whole_height)
  }

  private static func covers(_ covered: Double, _ side: UInt32) -> Bool {
    covered == 0 || (covered > Double(side) - 1 && covered <= Double(side))
  }
}
