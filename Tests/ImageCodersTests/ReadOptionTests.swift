// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import ImageCoders
import Synchronization
import Testing

/// Options of readers, from the caller to the reader.
@Suite struct ReadOptionTests {
  enum Kind: String, CaseIterable { case none, some }

  static let level = CoderOption.integer("level", 1...9, default: 5, "How much.")
  static let stops = CoderOption.number("exposure", -2...2, default: 0, "Stops brighter.")
  static let isFast = CoderOption.boolean("fast", default: false, "Whether it is fast.")
  static let kind = CoderOption.choice("kind", default: Kind.none, "Which.")
  static let password = CoderOption.text("password", maximumBytes: 8, default: "", isSecret: true, "Opens it.")
  static let table = [
    level.description, stops.description, isFast.description, kind.description, password.description,
  ]

  /// Says in its only pixels what it was opened with: the level, the stops and 100 of them, whether it is fast, the kind, and the
  /// letters of the password. The format is the one that the file's second letter names.
  final class Told: ReaderSession, ContainerReader {
    private let told: [UInt8]
    private let format: ImageFormat

    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      let letter = try source.contents()[1]
      format = ImageFormat(rawValue: letter == 0x62 ? "org.example.b" : "org.example.a")
      told = [
        UInt8(options[ReadOptionTests.level]), UInt8(100 + options[ReadOptionTests.stops] * 10),
        options[ReadOptionTests.isFast] ? 1 : 0, options[ReadOptionTests.kind] == .some ? 1 : 0,
        UInt8(options[ReadOptionTests.password].utf8.count), UInt8(options.values.count),
      ]
    }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      ImageHeader(
        format: format, canvas: Size(width: told.count, height: 1), pixelFormat: .gray8, bitsPerChannel: 8,
        alpha: .opaque)
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(request, size: Size(width: told.count, height: 1), pixelFormat: .gray8, alpha: .opaque)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      let row = try sink.rows(at: 0)
      for (x, value) in told.enumerated() { row.base.storeBytes(of: value, toByteOffset: x, as: UInt8.self) }
      try sink.done(at: 0)
    }
  }

  private static let usual: [UInt8] = [5, 100, 0, 0, 0, 0]

  private static func told(_ formats: [String] = ["org.example.a"]) -> AnimatedCoder {
    AnimatedCoder(
      SwiftContainer(
        id: "org.example.told", formats: formats.map { ImageFormat(rawValue: $0) },
        signatures: [FormatSignature(Array("t".utf8))], reader: Told.self, readOptions: table))
  }

  private static func registry(_ formats: [String] = ["org.example.a"]) -> CoderRegistry {
    FakeCoder.registry([told(formats)])
  }

  private static func options(_ values: [String: OptionValue]) -> DecodeOptions {
    var options = DecodeOptions()
    options.values = values
    return options
  }

  private static func pixels(_ image: Image) -> [UInt8] {
    var row: [UInt8] = []
    image.pixels.withRow(0) { row = Array($0) }
    return row
  }

  private static func read(
    _ values: [String: OptionValue], _ registry: CoderRegistry = registry(), file: String = "ta"
  ) throws(CoderError) -> [UInt8] {
    pixels(try registry.decode(.bytes(Array(file.utf8)), options: options(values)))
  }

  @Test(
    arguments: [
      (["level": 1], [1, 100, 0, 0, 0, 1]), (["level": 9], [9, 100, 0, 0, 0, 1]),
      (["level": "7"], [7, 100, 0, 0, 0, 1]),
      (["exposure": -2], [5, 80, 0, 0, 0, 1]), (["exposure": 2], [5, 120, 0, 0, 0, 1]),
      (["fast": true], [5, 100, 1, 0, 0, 1]), (["kind": "some"], [5, 100, 0, 1, 0, 1]),
      (["password": "12345678"], [5, 100, 0, 0, 8, 1]), (["level": 2, "fast": "on"], [2, 100, 1, 0, 0, 2]),
      // A default is no value at all.
      ([:], usual), (["level": 5], usual), (["level": "5", "exposure": 0, "fast": false], usual),
      (["kind": 0, "password": ""], usual),
    ] as [([String: OptionValue], [UInt8])]) func valuesReachTheReader(
      _ values: [String: OptionValue], _ told: [UInt8]
    ) throws
  {
    #expect(try Self.read(values) == told)
  }

  @Test(
    arguments: [
      ("level", 0, "option level is 0, 1 to 9 is allowed"), ("level", 10, "option level is 10, 1 to 9 is allowed"),
      ("level", 1.5, "option level is 1.5, 1 to 9 is allowed"),
      ("exposure", 2.1, "option exposure is 2.1, -2 to 2 is allowed"),
      ("fast", 2, "option fast is 2, true or false is allowed"),
      ("kind", "any", "option kind is \"any\", none, some is allowed"),
      ("password", "123456789", "option password is a text of 9, a text of at most 8 bytes is allowed"),
      ("quality", 1, "org.example.a has no option quality; it has level, exposure, fast, kind, password"),
    ] as [(String, OptionValue, String)]) func whatIsNotTakenIsRefused(
      _ name: String, _ value: OptionValue, _ message: String
    )
  {
    for way in Way.allCases {
      let error = #expect(throws: CoderError.self) { try Self.read(Self.options([name: value]), way) }
      #expect(error?.code == .invalidArgument && error?.message == message, "\(error as Any)")
    }
  }

  private enum Way: CaseIterable { case picture, header, coder }

  private static func read(_ options: DecodeOptions, _ way: Way) throws(CoderError) {
    let file = ByteSource.bytes(Array("ta".utf8))
    switch way {
    case .picture: _ = try registry().decode(file, options: options)
    case .header: _ = try registry().header(of: file, options: options)
    case .coder: _ = try told().decode(file, options: options)
    }
  }

  @Test func valuesTakeAtMostWhatAMessageHolds() throws {
    let long = CoderOption.text("long", maximumBytes: 10_000, default: "", "Much.").description
    // 28 bytes, the name and the text.
    #expect(
      try OptionDescription.checked(["long": .word(String(repeating: "x", count: 4064))], for: [long], reading: "it")
        .count == 1)
    #expect(throws: CoderError.invalidArgument("the options to read take 4097 bytes, at most 4096 are allowed")) {
      try OptionDescription.checked(["long": .word(String(repeating: "x", count: 4065))], for: [long], reading: "it")
    }
  }

  @Test func aCoderWithoutOptionsSaysSo() {
    let registry = FakeCoder.registry([FakeCoder.make("org.example.plain")])
    let error = #expect(throws: CoderError.self) {
      try registry.decode(FakeCoder.file, options: Self.options(["exposure": 1]))
    }
    #expect(error?.message == "org.example.fake has no option exposure; it has none")
  }

  @Test(arguments: [("ta", 3), ("tb", 4)]) func aFormatsValueConcernsItsFilesOnly(_ file: String, _ level: Int) throws {
    for formats in [["org.example.a", "org.example.b"], [file == "ta" ? "org.example.a" : "org.example.b"]] {
      let registry = Self.registry(formats)
      var options = Self.options(["fast": true])
      options.formatValues = [
        ImageFormat(rawValue: "org.example.a"): ["level": 3], ImageFormat(rawValue: "org.example.b"): ["level": 4],
        .png: ["no-such": 1],
      ]
      let image = try registry.decode(.bytes(Array(file.utf8)), options: options)
      #expect(Self.pixels(image) == [UInt8(level), 100, 1, 0, 0, 2])
    }
  }

  /// A page that is a whole file of another format, after one byte.
  final class Box: ReaderSession, ContainerReader {
    static let format = ImageFormat(rawValue: "org.example.box")
    private let size: Int

    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) { size = source.size }

    func header(page: Int) throws(CoderError) -> ImageHeader {
      var header = ImageHeader(
        format: Self.format, canvas: Size(width: 1, height: 1), pixelFormat: .gray8, bitsPerChannel: 8, alpha: .opaque)
      header.embedded = 1..<size
      return header
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer { throw .unsupported("the file in it") }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) { throw .unsupported("the file in it") }
  }

  @Test func aFileInAFileHasTheValuesOfItsFormat() throws {
    let registry = FakeCoder.registry([
      Self.told(),
      AnimatedCoder(
        SwiftContainer(
          id: "org.example.box", formats: [Box.format], signatures: [FormatSignature(Array("b".utf8))],
          reader: Box.self, readOptions: [Self.stops.description])),
    ])
    // A value for all files is that of the outer one.
    var options = Self.options(["exposure": 1])
    options.formatValues = [
      ImageFormat(rawValue: "org.example.a"): ["level": 3], Box.format: ["exposure": 2], .png: ["no-such": 1],
    ]
    let file = ByteSource.bytes(Array("bta".utf8))
    #expect(Self.pixels(try registry.decode(file, options: options)) == [3, 100, 0, 0, 0, 1])
    options.formatValues[ImageFormat(rawValue: "org.example.a")] = ["quality": 1]
    let error = #expect(throws: CoderError.self) { try registry.decode(file, options: options) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "org.example.a has no option quality; it has level, exposure, fast, kind, password")
  }

  @Test func aSecondReaderWithoutTheOptionIsNotTried() {
    let registry = FakeCoder.registry(
      [
        FakeCoder.make("org.example.second"),
        AnimatedCoder(
          SwiftContainer(
            id: "org.example.first", formats: [ImageFormat(rawValue: "org.example.fake")],
            signatures: [FormatSignature(Array("fake".utf8))], reader: Refusing.self, readOptions: Self.table)),
      ], priorities: ["org.example.first": 200])
    var steps: [String] = []
    let error = #expect(throws: CoderError.self) {
      _ = try registry.open(FakeCoder.file, options: Self.options(["level": 1])) { step in
        if step.code == .failed { steps.append("\(step.coder ?? ""): \(step.message)") }
      }
    }
    #expect(error?.code == .wrongFormat)
    #expect(error?.message == "not mine; org.example.second is not tried: it has no option level")
    #expect(steps.last == "org.example.second: not tried: it has no option level")
    // Without the option it is.
    #expect(throws: Never.self) { try registry.open(FakeCoder.file) }
  }

  final class Refusing: FakeCoder.Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      throw .wrongFormat("not mine")
    }
  }

  @Test func policiesForbidOptions() throws {
    let registry = Self.registry()
    registry.policy = SecurityPolicy(name: "own")
    registry.policy.readOptions = SecurityPolicy.Rule(["level"], reason: "nothing else is known")
    #expect(try Self.read(["level": 2], registry) == [2, 100, 0, 0, 0, 1])
    let error = #expect(throws: CoderError.self) { try Self.read(["level": 2, "exposure": 1], registry) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "option exposure may not be given (set by the program: nothing else is known)")
    for preset in [SecurityPolicy.paranoid, .thumbnailer] { #expect(preset.readOptions?.value == [], "\(preset.name)") }
    for preset in [SecurityPolicy.standard, .trusted, .web] { #expect(preset.readOptions == nil, "\(preset.name)") }
  }

  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  @Test func aPasswordIsInNoMessage() {
    let secret = "opensesame"
    for values in [["password": .word(secret)], ["password": .word(secret), "other": 1]] as [[String: OptionValue]] {
      let log = Lines()
      var lines: [String] = []
      var options = Self.options(values)
      options.log = { _, line in log.all.withLock { $0.append(line) } }
      let error = #expect(throws: CoderError.self) {
        _ = try Self.registry().open(.bytes(Array("ta".utf8)), options: options) { lines.append($0.message) }
      }
      #expect(!"\(error as Any) \(lines) \(log.all.withLock { $0 })".contains(secret))
    }
    #expect(Self.registry().isSecret(readOption: "password"))
    #expect(FakeCoder.registry([]).isSecret(readOption: "password"))
    #expect(!Self.registry().isSecret(readOption: "level"))
  }
}
