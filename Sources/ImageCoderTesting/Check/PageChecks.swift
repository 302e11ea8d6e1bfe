// SPDX-License-Identifier: Apache-2.0

import CImageCoder

extension PluginCheck {
  static let pageChecks: [PluginCheck] = [
    PluginCheck(.pages, "count", .r16, "Each page that is counted is described, with the same count.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for sample in try samples(of: subject, every: true, { $0.page_count > 1 }, "no sample has several pages") {
        guard let reader = try subject.opened(sample) else { continue }
        let first = reader.info(0).info
        for page in 0..<min(first.page_count, 64) {
          subject.stage("\(sample.name): page \(page)")
          let (status, info) = reader.info(page)
          guard status == Status.ok else {
            throw .failed("\(sample.name): info of page \(page)", expected: "OK", found: reader.session.message)
          }
          guard info.page_count == first.page_count, info.primary_page == first.primary_page else {
            throw .failed(
              "\(sample.name): page \(page)",
              expected: "page_count \(first.page_count), primary_page \(first.primary_page), as page 0",
              found: "\(info.page_count), \(info.primary_page)")
          }
          count += 1
        }
      }
      return "\(count) pages"
    },
    PluginCheck(.pages, "hidden", .r16, "Each hidden page belongs to a visible one, and says what it is.") {
      (subject) throws(CheckEnd) in
      var count = 0
      let hidden = try samples(of: subject, every: true, { $0.hidden_page_count > 0 }, "no sample has hidden pages")
      for sample in hidden {
        guard let reader = try subject.opened(sample) else { continue }
        let first = reader.info(0).info
        for page in reader.hiddenPages.prefix(64) {
          subject.stage("\(sample.name): hidden page \(page)")
          let (status, info) = reader.info(page)
          // One that is damaged is left out.
          guard status == Status.ok else { continue }
          guard info.page_kind != UInt32(IMGCODER_PAGE_PICTURE), info.owner_page < first.page_count else {
            throw .failed(
              "\(sample.name): hidden page \(page)", expected: "a kind, and an owner below \(first.page_count)",
              found: "kind \(info.page_kind), owner \(info.owner_page)")
          }
          guard info.page_count == first.page_count, info.hidden_page_count == first.hidden_page_count else {
            throw .failed(
              "\(sample.name): hidden page \(page)",
              expected: "page_count \(first.page_count), hidden_page_count \(first.hidden_page_count), as page 0",
              found: "\(info.page_count), \(info.hidden_page_count)")
          }
          count += 1
        }
      }
      return "\(count) hidden pages"
    },
    PluginCheck(.pages, "order", .r10, "Pages in any order give the same pixels.") { (subject) throws(CheckEnd) in
      for sample in try samples(of: subject, { $0.page_count > 1 }, "no sample has several pages") {
        var settings = ReadSettings()
        settings.pages = 8
        settings.frames = 1
        let known = try subject.readWhole(sample, settings)
        guard let reader = try subject.opened(sample) else { continue }
        for picture in known.pictures.reversed() + known.pictures {
          let page = picture.offer.page
          subject.stage("\(sample.name): page \(page) after others")
          let (_, offer) = reader.negotiate(ReaderProbe.request(page, picture.offer.frame))
          guard let again = reader.decode(offer) else { continue }
          if let difference = again.difference(from: picture) {
            throw .failed("\(sample.name): page \(page) after others", expected: "the same pixels", found: difference)
          }
        }
        try subject.verify(reader.session, sample.name)
      }
      return nil
    },
  ]

  static let animationChecks: [PluginCheck] = [
    PluginCheck(.animation, "frames", .r16, "Frames lie inside the canvas and have known disposals and blends.") {
      (subject) throws(CheckEnd) in
      var count = 0
      for sample in try samples(of: subject, isAnimated, "no sample is animated") {
        guard let reader = try subject.opened(sample) else { continue }
        let info = reader.info(0).info
        for index in 0..<(info.hasUncountedFrames ? 256 : min(info.frame_count, 256)) {
          subject.stage("\(sample.name): frame \(index)")
          let (status, frame) = reader.frameInfo(0, index)
          if info.hasUncountedFrames, index >= info.frame_count, status == Status.invalidArgument { break }
          guard status == Status.ok else {
            throw .failed(
              "\(sample.name): frame_info of frame \(index) of \(info.frame_count)", expected: "OK",
              found: reader.session.message)
          }
          let (right, bottom) = (UInt64(frame.x) + UInt64(frame.width), UInt64(frame.y) + UInt64(frame.height))
          guard frame.width > 0, frame.height > 0, right <= UInt64(info.width), bottom <= UInt64(info.height) else {
            throw .failed(
              "\(sample.name): frame \(index)", expected: "a rectangle inside \(info.width)×\(info.height)",
              found: "\(frame.width)×\(frame.height) at \(frame.x), \(frame.y)")
          }
          guard frame.disposal <= 2, frame.blend <= 1, frame.depends_on == .max || frame.depends_on <= index else {
            throw .failed(
              "\(sample.name): frame \(index)",
              expected: "disposal 0 to 2, blend 0 or 1, depends_on of an earlier frame",
              found: "disposal \(frame.disposal), blend \(frame.blend), depends_on \(frame.depends_on)")
          }
          count += 1
        }
      }
      return "\(count) frames"
    },
    PluginCheck(.animation, "order", .r10, "Frames backwards, twice and at random are those in order.") {
      (subject) throws(CheckEnd) in
      for sample in try samples(of: subject, isAnimated, "no sample is animated") where !subject.isOutOfTime {
        var settings = ReadSettings()
        settings.frames = 16
        settings.pages = 1
        let known = try subject.readWhole(sample, settings).pictures
        var random = CheckRandom(subject.seed)
        let backwards = Array(known.indices.reversed())
        let orders = [
          backwards, known.indices.flatMap { [$0, $0] }, known.indices.map { _ in random.below(known.count) },
        ]
        for (order, name) in zip(orders, ["backwards", "twice", "at random"]) {
          guard let reader = try subject.opened(sample) else { continue }
          for index in order {
            let what = "\(sample.name): frame \(index), \(name)"
            subject.stage(what)
            let (_, offer) = reader.negotiate(ReaderProbe.request(0, UInt32(index)))
            guard let picture = reader.decode(offer) else { continue }
            if let difference = picture.difference(from: known[index]) {
              throw .failed(what, expected: "the same pixels", found: difference)
            }
          }
          try subject.verify(reader.session, sample.name)
        }
      }
      return nil
    },
    PluginCheck(.animation, "delays", .r16, "Each delay is a fraction, or in the frame's properties.") {
      (subject) throws(CheckEnd) in
      for sample in try samples(of: subject, isAnimated, "no sample is animated") {
        guard let reader = try subject.opened(sample) else { continue }
        let count = reader.info(0).info.frame_count
        for index in 0..<min(count, 64) where reader.frameInfo(0, index).info.delay_denominator == 0 {
          subject.stage("\(sample.name): delay of frame \(index)")
          guard let container = try subject.reader.container else {
            throw .failed(
              "\(sample.name): frame \(index)", expected: "a delay, or a container with the delay's name",
              found: "neither")
          }
          let properties = String(decoding: reader.properties(0, index)?.text ?? [], as: UTF8.self)
          let names = [container.delay, container.unclamped_delay].compactMap { LoadedCoder.text($0) }
          if count > 1, !names.contains(where: { !$0.isEmpty && properties.contains("\($0)=") }) {
            throw .warned("\(sample.name): frame \(index) states no delay, and the host takes 0.1 s")
          }
        }
      }
      return nil
    },
    PluginCheck(.animation, "alpha", .r16, "Frames without IMGCODER_FRAME_HAS_ALPHA, and opaque offers, are opaque.") {
      (subject) throws(CheckEnd) in
      for sample in try subject.samples where !subject.isOutOfTime {
        let reading = try subject.readWhole(sample)
        for (index, picture) in reading.pictures.enumerated() {
          guard index < reading.frames.count else { break }
          let statesAlpha = reading.frames[index].flags & UInt32(IMGCODER_FRAME_HAS_ALPHA) != 0
          guard !statesAlpha || picture.offer.alpha == 0 else { continue }
          // The alpha samples themselves, whatever the offer says of them.
          let canonical = TestPixels.canonical(picture.pixels, picture.offer.pixel_format, 1) ?? []
          let isOpaque = stride(from: 3, to: canonical.count, by: 4).allSatisfy { canonical[$0] == 65_535 }
          guard isOpaque else {
            throw .failed(
              "\(sample.name): picture \(index)", expected: "alpha samples at their maximum, as the frame is opaque",
              found: "smaller ones")
          }
        }
      }
      return nil
    },
  ]

  private static func isAnimated(_ info: imgcoder_info) -> Bool {
    info.flags & UInt32(IMGCODER_INFO_ANIMATED) != 0 || info.frame_count > 1
  }

  /// Samples whose first page is as wanted.
  ///
  /// - Parameter every: Whether those count that are not decoded.
  static func samples(
    of subject: CheckSubject, every: Bool = false, _ isWanted: (imgcoder_info) -> Bool, _ reason: String
  ) throws(CheckEnd) -> [CheckSubject.Sample] {
    var found: [CheckSubject.Sample] = []
    for sample in every ? try subject.everySample : try subject.samples {
      if let reader = try subject.opened(sample), isWanted(reader.info(0).info) { found.append(sample) }
    }
    guard !found.isEmpty else { throw .skipped(reason) }
    return found
  }
}
