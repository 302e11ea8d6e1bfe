// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

extension Subject {
  /// Each of the writer's own options changes the bytes of some file, unless the conformance declares that it does not.
  var optionEffects: [ConformanceCheck] {
    guard container.canWrite else { return [] }
    let declared = optionsWithoutEffect.sorted { $0.key < $1.key }.map { name, reason in
      check(.options, "\(name), declared without effect") { (claim) throws(ConformanceFailure) in
        let known = manifest.options.map(\.name)
        try claim.holds(known.contains(name), "name", expected: known.joined(separator: ", "), found: name)
        try claim.holds(!reason.isEmpty, "reason", expected: "a sentence", found: "none")
      }
    }
    let effective = manifest.options.filter { optionsWithoutEffect[$0.name] == nil }.map { option in
      check(.options, "\(option.name) changes a file") { (claim) throws(ConformanceFailure) in
        try checkEffect(of: option, claim)
      }
    }
    return declared + effective
  }

  func checkEffect(of option: OptionDescription, _ claim: Claim) throws(ConformanceFailure) {
    let trials = try claim.value("pictures") { try self.trials }
    var search = EffectSearch(option: option, coder: coder)
    for trial in trials {
      if try search.finds(trial, claim) { return }
    }
    // Some options count only beside another one's value, as a level for the codec that has levels.
    for other in manifest.options where other.name != option.name {
      for value in other.kind.samples(limit: 8) {
        for trial in trials where trial.isForPairs {
          var trial = trial
          trial.options.values[other.name] = value
          if try search.finds(trial, claim) { return }
        }
      }
    }
    throw claim.failure(
      "values \(option.kind.samples(limit: 16))", expected: "two that give different files from one picture",
      found: "the same bytes for each of \(search.tried) pictures and settings\(search.refusal)")
  }

  /// Pictures and settings under which an option may count; likely ones first.
  private var trials: [EffectTrial] {
    get throws(CoderError) {
      var images = [
        [Image(try pictures.smooth(.rgba8, .straight))], [Image(try pictures.larger.rough())],
      ]
      if manifest.capabilities.contains("frames") {
        let frames = [try pictures.flat(250, 20, 90), try pictures.flat(9, 80, 200), try pictures.flat(60, 180, 10)]
        images.append([Image(frames: frames.map { Frame(pixels: $0, delay: .milliseconds(100)) })])
      }
      let countForPairs = images.count
      var described = Image(try pictures.opaqueFlat())
      for kind in MetadataKind.allCases { described.metadata[kind] = payload(kind) ?? simplePayload(kind) }
      images += [
        [described], [Image(try pictures.bilevel())], [Image(try pictures.smooth(.gray8, .opaque))],
        [Image(try pictures.smooth(.rgba16, .straight))], [Image(try pictures.larger.smooth(.rgba8, .straight))],
      ]
      if manifest.writesPages {
        images.append([Image(try pictures.flat(250, 20, 90)), Image(try pictures.flat(9, 80, 200))])
      }
      var settings = [EncodeOptions()]
      for (isLossless, quality) in [(true, nil), (false, 0.3)] {
        var options = EncodeOptions()
        options.isLossless = isLossless
        options.quality = quality
        settings.append(options)
      }
      var trials: [EffectTrial] = []
      for format in manifest.writtenFormats {
        for options in settings {
          for (index, pages) in images.enumerated() {
            trials.append(
              EffectTrial(
                format: format.format, pages: pages, options: options, isForPairs: index < countForPairs))
          }
        }
      }
      return trials
    }
  }
}

/// A payload for a kit without fixtures: it is not all that a format may hold, but can be compressed.
private func simplePayload(_ kind: MetadataKind) -> [UInt8]? {
  switch kind {
  case .xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'>\(String(repeating: " ", count: 1_000))</x:xmpmeta>".utf8)
  // TIFF 6.0 §2: big-endian, IFD0 at 8 without entries.
  case .exif: Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
  default: nil
  }
}

/// A picture, or pages of them, and how they are written.
private struct EffectTrial {
  let format: ImageFormat
  let pages: [Image]
  var options: EncodeOptions
  /// Whether it is also tried beside each value of each other option.
  let isForPairs: Bool
}

/// Looks for two values of an option that give different files.
private struct EffectSearch {
  let option: OptionDescription
  let coder: any ImageCoder
  /// Pictures and settings that were written.
  private(set) var tried = 0
  private var lastError: CoderError?

  init(option: OptionDescription, coder: any ImageCoder) {
    self.option = option
    self.coder = coder
  }

  /// The end of a sentence about what failed.
  var refusal: String { lastError.map { "; the last refusal was \($0)" } ?? "" }

  /// Whether two values give different files, and the same value the same file.
  mutating func finds(_ trial: EffectTrial, _ claim: Claim) throws(ConformanceFailure) -> Bool {
    var first: (value: OptionValue, bytes: [UInt8])?
    for value in option.kind.samples(limit: 16) {
      guard let bytes = encode(trial, value) else { continue }
      guard let known = first else {
        first = (value, bytes)
        tried += 1
        continue
      }
      guard bytes != known.bytes else { continue }
      let again = encode(trial, known.value)
      try claim.holds(
        again == known.bytes, "two files with \(option.name) of \(known.value)", expected: "the same bytes",
        found: "other bytes")
      return true
    }
    return false
  }

  /// The file, or nil when the writer refuses the value for this picture.
  private mutating func encode(_ trial: EffectTrial, _ value: OptionValue) -> [UInt8]? {
    var options = trial.options
    options.values[option.name] = value
    do throws(CoderError) {
      return try coder.encode(trial.pages, as: trial.format, options: options)
    } catch {
      lastError = error
      return nil
    }
  }
}

extension OptionDescription.Kind {
  /// The default, both ends and values between them, in an order in which a difference shows early.
  ///
  /// - Parameter limit: How many values there are at most, but for those of a choice.
  fileprivate func samples(limit: Int) -> [OptionValue] {
    if case .text(let maximum, let value) = self {
      return [.word(value), .word(String("sample".prefix(maximum))), ""]
    }
    let (lowest, usual, highest) = numbers
    var samples = [usual, highest, lowest]
    switch self {
    case .boolean, .text: break
    case .choice(let words, _): samples += words.indices.map(Double.init)
    case .integer:
      // Sides of tiles and the like have an effect below a picture's own side.
      let steps = [1, 2, 16, 64].map { lowest + $0 } + [0.5, 0.25, 0.75].map { lowest + (highest - lowest) * $0 }
      samples += steps.map { $0.rounded() }.filter { $0 < highest }
    case .number: samples += [0.5, 0.25, 0.75, 0.04].map { lowest + (highest - lowest) * $0 }
    }
    var seen: Set<Double> = []
    let distinct = samples.filter { seen.insert($0).inserted }.map { OptionValue.number($0) }
    if case .choice = self { return distinct }
    return Array(distinct.prefix(limit))
  }
}
