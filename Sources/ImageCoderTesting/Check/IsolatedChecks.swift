// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders

extension PluginCheck {
  /// What is the same in a worker, a process that can open no file and make no connection.
  static let isolatedChecks: [PluginCheck] = [
    PluginCheck(.isolated, "load", .r16, "The library loads in a worker, and describes the same coder.") {
      (subject) throws(CheckEnd) in
      let pair = try IsolatedPair(subject)
      let (here, there) = (described(pair.here), described(pair.there))
      for (own, other) in zip(here, there) where own.text != other.text {
        throw .failed(own.name, expected: "\(own.text), as without a worker", found: other.text)
      }
      return nil
    },
    PluginCheck(.isolated, "decode", .r11, "A worker finds the same header and the same pixels.") {
      (subject) throws(CheckEnd) in
      let pair = try pair(of: subject)
      var count = 0
      for sample in try subject.samples where count == 0 || !subject.isOutOfTime {
        for options in [DecodeOptions(), DecodeOptions.thumbnail(width: 24, height: 24)] {
          subject.stage("\(sample.name) in a worker")
          try pair.compare(sample.name) { (registry, facts) throws(CoderError) in
            try decode(sample.bytes, options, with: registry, into: &facts)
          }
        }
        count += 1
      }
      return "\(count) samples"
    },
    PluginCheck(.isolated, "metadata", .r11, "A worker finds the same payloads and properties.") {
      (subject) throws(CheckEnd) in
      let pair = try pair(of: subject)
      for sample in try subject.samples {
        subject.stage("metadata of \(sample.name) in a worker")
        try pair.compare(sample.name) { (registry, facts) throws(CoderError) in
          try eachPage(sample.bytes, DecodeOptions(), with: registry) { (decoder, page) throws(CoderError) in
            for kind in MetadataKind.allCases {
              let bytes = try decoder.metadata(kind)
              facts.append(
                IsolatedPair.Fact(
                  name: "\(kind) of page \(page)", text: bytes.map { "\($0.count) bytes" } ?? "none",
                  hash: bytes.hashValue))
            }
            facts += stated(try decoder.properties(), of: "page \(page)")
          }
        }
      }
      return nil
    },
    PluginCheck(.isolated, "errors", .r14, "Of a file that is cut, a worker says the same.") {
      (subject) throws(CheckEnd) in
      let pair = try pair(of: subject)
      for sample in try subject.samples {
        for count in places(sample.bytes.count, 12) where !subject.isOutOfTime {
          let name = "the first \(count) bytes of \(sample.name)"
          subject.stage("\(name) in a worker")
          try pair.compare(name) { (registry, facts) throws(CoderError) in
            try decode(Array(sample.bytes.prefix(count)), DecodeOptions(), with: registry, into: &facts)
          }
        }
      }
      return nil
    },
    PluginCheck(.isolated, "writing", .r11, "A worker writes the same bytes.") { (subject) throws(CheckEnd) in
      let pair = try pair(of: subject)
      for settings in try subject.writableFormats {
        subject.stage("\(settings.format), written in a worker")
        let pictures = TestPictures(size: Size(width: settings.width, height: settings.height))
        try pair.compare(settings.format) { (registry, facts) throws(CoderError) in
          let image = Image(try pictures.smooth(.rgba8, .straight))
          facts.append(written(try registry.encode(image, as: ImageFormat(rawValue: settings.format))))
        }
      }
      return nil
    },
    PluginCheck(.isolated, "operations", .r11, "An operation writes the same bytes in a worker.") {
      (subject) throws(CheckEnd) in
      let pair = try pair(of: subject)
      try subject.requireOperations()
      for sample in try subject.samples {
        for own in try subject.operations(for: sample) where !subject.isOutOfTime {
          let name = "\(own.operation.name) of \(sample.name)"
          subject.stage("\(name) in a worker")
          try pair.compare(name) { (registry, facts) throws(CoderError) in
            let result = try registry.apply(
              FileOperation(own.operation.name), to: .bytes(sample.bytes),
              as: ImageFormat(rawValue: own.operation.to))
            if let bytes = result.file?.bytes { facts.append(written(bytes)) }
            facts += stated(result.facts, of: "the operation's facts")
          }
        }
      }
      return nil
    },
  ]

  private static func pair(of subject: CheckSubject) throws(CheckEnd) -> IsolatedPair {
    do throws(CheckEnd) { return try IsolatedPair(subject) } catch {
      guard case .failed = error else { throw error }
      throw .skipped("no worker can use the library, see isolated.load")
    }
  }

  private static func described(_ coder: any Container) -> [IsolatedPair.Fact] {
    [
      ("whether it reads", "\(coder.canRead)"), ("whether it writes", "\(coder.canWrite)"),
      ("whether it writes pages", "\(coder.writesPages)"),
      ("whether it reads bytes as they arrive", "\(coder.readsIncrementally)"),
      ("what the writer keeps", "\(coder.writerFeatures.capabilities)"),
    ].map { IsolatedPair.Fact(name: $0, text: $1) }
  }

  private static func written(_ bytes: [UInt8]) -> IsolatedPair.Fact {
    IsolatedPair.Fact(name: "the file that is written", text: "\(bytes.count) bytes", hash: bytes.hashValue)
  }

  /// Each property by its path: `LoopCount of {GIF} of page 0`.
  private static func stated(_ properties: Properties, of what: String) -> [IsolatedPair.Fact] {
    properties.sorted.flatMap { name, value in
      if case .dictionary(let inner) = value { return stated(inner, of: "\(name) of \(what)") }
      return [IsolatedPair.Fact(name: "\(name) of \(what)", text: "\(value)")]
    }
  }

  /// Opens the first pages of a file one after the other.
  private static func eachPage(
    _ bytes: [UInt8], _ options: DecodeOptions, with registry: CoderRegistry,
    body: (ImageDecoder, Int) throws(CoderError) -> Void
  ) throws(CoderError) {
    var (page, count) = (0, 1)
    while page < min(count, 3) {
      var options = options
      options.page = page
      // The only coder of the registry: a file need not be recognized.
      let decoder = try registry.open(.bytes(bytes), options: options, coder: registry.coderIDs.first)
      count = decoder.header.pageCount
      try body(decoder, page)
      page += 1
    }
  }

  /// Header and rows of each page.
  private static func decode(
    _ bytes: [UInt8], _ options: DecodeOptions, with registry: CoderRegistry, into facts: inout [IsolatedPair.Fact]
  ) throws(CoderError) {
    var found: [IsolatedPair.Fact] = []
    defer { facts += found }
    try eachPage(bytes, options, with: registry) { (decoder, page) throws(CoderError) in
      for (name, value) in Mirror(reflecting: decoder.header).children {
        // A set has no order that two sets of one process would share.
        let text = (value as? Set<MetadataKind>).map { "\($0.map { "\($0)" }.sorted())" } ?? "\(value)"
        found.append(IsolatedPair.Fact(name: "\(name ?? "") of page \(page)", text: text))
      }
      for (name, text) in [
        ("auxiliary pictures", "\(try decoder.auxiliaryPictures())"), ("stored colors", "\(decoder.storedColor)"),
      ] {
        found.append(IsolatedPair.Fact(name: "\(name) of page \(page)", text: text))
      }
      let image = try decoder.image()
      let problem = image.problem.map { "\($0)" } ?? "none"
      found.append(IsolatedPair.Fact(name: "problem of page \(page)", text: problem))
      for (index, frame) in image.frames.enumerated() {
        let pixels = frame.pixels
        let name = "page \(page), frame \(index)"
        found.append(IsolatedPair.Fact(name: name, text: "\(pixels.size) \(pixels.layout) \(frame.delay)"))
        for y in 0..<pixels.size.height {
          var hasher = Hasher()
          pixels.withRow(y) { hasher.combine(bytes: $0) }
          found.append(IsolatedPair.Fact(name: "\(name), row \(y)", text: "a row", hash: hasher.finalize()))
        }
      }
    }
  }
}
