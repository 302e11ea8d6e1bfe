// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import ImageCoderEngine
import ImageCoderModel

/// The JSON of a manifest, key by key; in the file, words are joined by underscores.
struct ManifestFile: Decodable {
  struct ABI: Decodable {
    var major: Whole
    var minMinor: Whole?
  }

  struct Match: Decodable {
    var offset: Int?
    var from: String?
    var bytes: String
    var mask: String?
    var within: Int?
  }

  struct Format: Decodable {
    var uti: String
    var name: String?
    var mime: [String]?
    var extensions: [String]?
    var match: [Match]?
    var write: Bool?
  }

  struct Container: Decodable {
    var dictionary: String
    var unclampedDelay: String?
    var delay: String?
    var loopCount: String?
    var defaultLoopCount: Whole?
  }

  struct Option: Decodable {
    var name: String
    var type: String
    var minimum: Double?
    var maximum: Double?
    var choices: [String]?
    var text: String?
    var `default`: Value?

    enum Value: Decodable {
      case boolean(Bool)
      case number(Double)
      case word(String)

      init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let flag = try? value.decode(Bool.self) {
          self = .boolean(flag)
        } else if let number = try? value.decode(Double.self) {
          self = .number(number)
        } else {
          self = .word(try value.decode(String.self))
        }
      }
    }
  }

  var id: String
  var name: String
  var version: String
  var vendor: String?
  var license: String?
  var libraryLicense: String?
  var abi: ABI
  var library: String
  var platform: String?
  var runtime: String?
  var formats: [Format]
  var capabilities: [String]
  var container: Container?
  var encodeOptions: [Option]?
  var transcodes: [Transcode]?
  var packages: Packages?
  var priority: Whole?

  struct Transcode: Decodable {
    var from: String
    var to: String
  }

  struct Packages: Decodable {
    var build: [String]?
    var run: [String]?
  }

  /// A whole number of 32 bits. The decoder itself does not say which key holds a number that is none.
  struct Whole: Decodable {
    var value: Int

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      guard let value = Int32(exactly: try container.decode(Double.self)) else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a whole number of 32 bits")
      }
      self.value = Int(value)
    }
  }
}

extension Manifest {
  /// Bytes that a manifest may have at most.
  static let maxBytes = 1 << 20

  /// Reads a manifest.
  ///
  /// - Throws: ``SkipReason`` with the key that is wrong.
  init(json bytes: [UInt8]) throws(SkipReason) {
    let file: ManifestFile
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      file = try decoder.decode(ManifestFile.self, from: Data(bytes))
    } catch let error as DecodingError {
      throw SkipReason(.manifestInvalid, error.sentence)
    } catch {
      throw SkipReason(.manifestInvalid, "not JSON")
    }
    try self.init(file)
  }

  private init(_ file: ManifestFile) throws(SkipReason) {
    guard file.id.contains("."), file.id.utf8.allSatisfy(Self.isIdentifier) else {
      throw SkipReason(.manifestInvalid, "id \"\(file.id)\" is not in reverse-DNS form")
    }
    // A path that leaves the manifest's folder could name anything on the machine.
    guard !file.library.isEmpty, !file.library.hasPrefix("/"), !file.library.split(separator: "/").contains("..") else {
      throw SkipReason(.manifestInvalid, "library \"\(file.library)\" is not a path below the manifest")
    }
    guard !file.formats.isEmpty else { throw SkipReason(.manifestInvalid, "formats is empty") }
    id = file.id
    name = file.name
    version = file.version
    vendor = file.vendor ?? ""
    license = file.license ?? ""
    libraryLicense = file.libraryLicense
    abiMajor = file.abi.major.value
    abiMinMinor = file.abi.minMinor?.value ?? 0
    library = file.library
    platform = file.platform
    runtime = file.runtime
    capabilities = Set(file.capabilities)
    priority = file.priority?.value ?? 100
    formats = []
    options = []
    transcodes = (file.transcodes ?? []).map {
      Transcode(from: ImageFormat(rawValue: $0.from), to: ImageFormat(rawValue: $0.to))
    }
    packages = file.packages.map { Packages(build: $0.build ?? [], run: $0.run ?? []) }
    names = file.container.map { container in
      ContainerPropertyNames(
        dictionary: container.dictionary, unclampedDelay: container.unclampedDelay ?? "UnclampedDelayTime",
        delay: container.delay ?? "DelayTime", loopCount: container.loopCount ?? "LoopCount",
        defaultLoopCount: LoopCount(plays: UInt32(clamping: container.defaultLoopCount?.value ?? 0)))
    }
    for format in file.formats { formats.append(try Format(format)) }
    for option in file.encodeOptions ?? [] { options.append(try OptionDescription(option)) }
  }

  private static func isIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

extension Manifest.Format {
  fileprivate init(_ file: ManifestFile.Format) throws(SkipReason) {
    format = ImageFormat(rawValue: file.uti)
    isWritten = file.write ?? true
    name = file.name ?? file.uti
    mimeTypes = file.mime ?? []
    extensions = (file.extensions ?? []).map { $0.lowercased() }
    signatures = []
    for match in file.match ?? [] { signatures.append(try Signature(match)) }
  }
}

extension Signature {
  fileprivate init(_ file: ManifestFile.Match) throws(SkipReason) {
    guard let bytes = Self.bytes(hex: file.bytes), !bytes.isEmpty, bytes.count <= 64 else {
      throw SkipReason(.manifestInvalid, "match bytes \"\(file.bytes)\" are not 1 to 64 bytes of hex")
    }
    var mask: [UInt8] = []
    if let text = file.mask {
      guard let bits = Self.bytes(hex: text), bits.count == bytes.count else {
        throw SkipReason(.manifestInvalid, "match mask \"\(text)\" is not as long as \"\(file.bytes)\"")
      }
      mask = bits
    }
    let offset = file.offset ?? 0
    let within = file.within ?? 0
    guard (0...65_536).contains(offset), (0...4_096).contains(within) else {
      throw SkipReason(.manifestInvalid, "match offset \(offset) within \(within); 65536 and 4096 are allowed at most")
    }
    switch file.from ?? "start" {
    case "start": self.init(bytes, at: offset, mask: mask, within: within)
    case "end": self.init(bytes, at: -max(offset, bytes.count), mask: mask)
    default: throw SkipReason(.manifestInvalid, "match from \"\(file.from ?? "")\"; start and end are known")
    }
  }

  /// Pairs of hex digits, spaces between them allowed.
  private static func bytes(hex: String) -> [UInt8]? {
    let digits = hex.utf8.filter { $0 != UInt8(ascii: " ") }
    // An integer's own parser takes a sign.
    guard digits.count.isMultiple(of: 2), !digits.contains(UInt8(ascii: "+")) else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index..<(index + 2)], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return bytes
  }
}

extension OptionDescription {
  fileprivate init(_ file: ManifestFile.Option) throws(SkipReason) {
    let kind: Kind
    switch (file.type, file.default) {
    case ("boolean", .boolean(let value)): kind = .boolean(default: value)
    case ("integer", .number(let value)):
      guard let low = file.minimum.flatMap({ Int(exactly: $0) }), let high = file.maximum.flatMap({ Int(exactly: $0) }),
        let value = Int(exactly: value), low <= high
      else { throw SkipReason(.manifestInvalid, "option \(file.name) needs a whole minimum, maximum and default") }
      kind = .integer(low...high, default: value)
    case ("number", .number(let value)):
      guard let low = file.minimum, let high = file.maximum, low <= high else {
        throw SkipReason(.manifestInvalid, "option \(file.name) needs a minimum and a maximum")
      }
      kind = .number(low...high, default: value)
    case ("choice", .word(let word)):
      guard let words = file.choices, let index = words.firstIndex(of: word) else {
        throw SkipReason(.manifestInvalid, "option \(file.name): default \"\(word)\" is not among its choices")
      }
      kind = .choice(words, default: index)
    default:
      throw SkipReason(.manifestInvalid, "option \(file.name): type \"\(file.type)\" with that default is not known")
    }
    self.init(name: file.name, text: file.text ?? "", kind: kind)
  }
}

extension DecodingError {
  /// What is wrong and where, in one line.
  fileprivate var sentence: String {
    switch self {
    case .keyNotFound(let key, let context): "key \(Self.path(context, key)) is missing"
    case .typeMismatch(_, let context): "key \(Self.path(context)) has the wrong type"
    case .valueNotFound(_, let context): "key \(Self.path(context)) is null"
    case .dataCorrupted(let context): context.codingPath.isEmpty ? "not JSON" : "key \(Self.path(context)) is not valid"
    @unknown default: "not a manifest"
    }
  }

  private static func path(_ context: Context, _ last: (any CodingKey)? = nil) -> String {
    (context.codingPath + (last.map { [$0] } ?? [])).map { key in
      key.intValue.map(String.init) ?? snakeCase(key.stringValue)
    }.joined(separator: ".")
  }

  /// The key as the file spells it.
  private static func snakeCase(_ name: String) -> String {
    name.reduce(into: "") { text, letter in text += letter.isUppercase ? "_\(letter.lowercased())" : String(letter) }
  }
}
