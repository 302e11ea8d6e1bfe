// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension Subject {
  /// Each option works at its ends and is refused beyond them; an unknown one is answered with the known.
  var options: [ConformanceCheck] { readOptions + writeOptions }

  /// A default changes nothing, both ends decode or are refused with a reason, and a value beyond them is refused.
  private var readOptions: [ConformanceCheck] {
    guard container.canRead, let fixture = fixtures.valid.first else { return [] }
    let known = container.readOptions.map { option in
      check(.options, "to read \(option.name)") { (claim) throws(ConformanceFailure) in
        let plain = try claim.value("decode") { try decode(fixture, [:]) }
        let usual = try claim.value("\(option.name) at its default") {
          try decode(fixture, [option.name: option.kind.bounds[0]])
        }
        try claim.equal(PixelHash(usual.pixels), PixelHash(plain.pixels), "pixels with \(option.name) at its default")
        for value in option.kind.bounds.dropFirst() {
          do throws(CoderError) { _ = try decode(fixture, [option.name: value]) } catch {
            try claim.holds(
              [.invalidArgument, .unsupported].contains(error.code), "\(option.name) of \(value)",
              expected: "a picture, or invalidArgument or unsupported", found: "\(error.code): \(error.message)")
          }
        }
        for value in option.kind.beyond {
          let error = try claim.error("\(option.name) of \(value)", in: .invalidArgument) {
            try decode(fixture, [option.name: value])
          }
          try claim.holds(
            error.message.contains(option.name), "message", expected: "the name \(option.name)", found: error.message)
        }
      }
    }
    let unknown = check(.options, "an unknown one to read") { (claim) throws(ConformanceFailure) in
      let error = try claim.error("no-such-option", in: .invalidArgument) {
        try decode(fixture, ["no-such-option": 1])
      }
      for name in ["no-such-option"] + container.readOptions.map(\.name) {
        try claim.holds(error.message.contains(name), "message", expected: "the name \(name)", found: error.message)
      }
    }
    return known + [unknown]
  }

  private func decode(_ fixture: Fixture<ValidAnswer>, _ values: [String: OptionValue]) throws(CoderError) -> Image {
    var options = DecodeOptions(firstFrameOnly: true)
    options.values = values
    return try coder.decode(.bytes(fixture.bytes), options: options)
  }

  private var writeOptions: [ConformanceCheck] {
    guard container.canWrite, let format = manifest.writtenFormats.first?.format else { return [] }
    let known = manifest.options.map { option in
      check(.options, option.name) { (claim) throws(ConformanceFailure) in
        for value in option.kind.bounds {
          let bytes: [UInt8]
          do throws(CoderError) { bytes = try encode(as: format, [option.name: value]) } catch {
            // As for reading: not every text is one that the option has a meaning for.
            let mayRefuse = option.kind.isText && [.invalidArgument, .unsupported].contains(error.code)
            try claim.holds(
              mayRefuse, "\(option.name) of \(value)", expected: "a file", found: "\(error.code): \(error.message)")
            continue
          }
          let image = try claim.value("decode with \(option.name) of \(value)") { try coder.decode(.bytes(bytes)) }
          try claim.equal(image.size, pictures.size, "size with \(option.name) of \(value)")
        }
        for value in option.kind.beyond {
          let error = try claim.error("\(option.name) of \(value)", in: .invalidArgument) {
            try encode(as: format, [option.name: value])
          }
          try claim.holds(
            error.message.contains(option.name), "message", expected: "the name \(option.name)", found: error.message)
        }
      }
    }
    let unknown = check(.options, "an unknown one") { (claim) throws(ConformanceFailure) in
      let error = try claim.error("no-such-option", in: .invalidArgument) {
        try encode(as: format, ["no-such-option": 1])
      }
      for name in ["no-such-option"] + manifest.options.map(\.name) {
        try claim.holds(error.message.contains(name), "message", expected: "the name \(name)", found: error.message)
      }
    }
    let quality = check(.options, "quality") { (claim) throws(ConformanceFailure) in
      for value in [0, 0.5, 1] {
        var options = EncodeOptions()
        options.quality = value
        let picture = try claim.value("picture") { try pictures.smooth(.rgb8, .opaque) }
        let bytes = try claim.value("quality \(value)") {
          try coder.encode(Image(picture), as: format, options: options)
        }
        try claim.value("decode of quality \(value)") { _ = try coder.decode(.bytes(bytes)) }
      }
      for value in [-0.01, 1.01, .nan] {
        var options = EncodeOptions()
        options.quality = value
        let picture = try claim.value("picture") { try pictures.smooth(.rgb8, .opaque) }
        try claim.error("quality \(value)", in: .invalidArgument) {
          try coder.encode(Image(picture), as: format, options: options)
        }
      }
    }
    // A writer that describes a quality has it among its options.
    return known + [unknown]
      + (container.follows(.quality) && manifest.options.contains { $0.name == "quality" } ? [] : [quality])
  }

  private func encode(as format: ImageFormat, _ values: [String: OptionValue]) throws(CoderError) -> [UInt8] {
    var options = EncodeOptions()
    options.values = values
    return try coder.encode(Image(try pictures.smooth(.rgba8, .straight)), as: format, options: options)
  }
}

extension OptionDescription.Kind {
  /// The default, the smallest and the largest value.
  var bounds: [OptionValue] {
    switch self {
    case .text(let maximum, let value): [.word(value), "", .word(String(repeating: "x", count: maximum))]
    default: [.number(numbers.usual), .number(numbers.lowest), .number(numbers.highest)]
    }
  }

  fileprivate var isText: Bool { if case .text = self { true } else { false } }

  /// Values that the option does not take.
  var beyond: [OptionValue] {
    switch self {
    case .text(let maximum, _): [.word(String(repeating: "x", count: maximum + 1)), 1]
    default: [.number(numbers.lowest - 1), .number(numbers.highest + 1), .number(.nan)]
    }
  }

  /// The smallest, the default and the largest value of an option whose values are numbers.
  var numbers: (lowest: Double, usual: Double, highest: Double) {
    switch self {
    case .boolean(let value): (0, value ? 1 : 0, 1)
    case .integer(let range, let value): (Double(range.lowerBound), Double(value), Double(range.upperBound))
    case .number(let range, let value): (range.lowerBound, value, range.upperBound)
    case .choice(let words, let index): (0, Double(index), Double(words.count - 1))
    case .text: (0, 0, 0)
    }
  }
}
