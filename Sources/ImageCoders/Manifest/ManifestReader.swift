// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension Manifest {
  /// Bytes that a manifest may have at most.
  static let maxBytes = 1 << 20

  /// Reads a manifest.
  ///
  /// - Throws: ``SkipReason`` with the place and the key that is wrong.
  package init(json bytes: [UInt8]) throws(SkipReason) {
    let reader = ManifestReader()
    do throws(TextProblem) {
      self = try reader.manifest(JSONNode(try JSONValue(parsing: bytes, maxBytes: Self.maxBytes), name: "the manifest"))
    } catch {
      throw SkipReason(.manifestInvalid, error.description)
    }
  }
}

/// Reads the keys of a manifest.
package final class ManifestReader {
  /// The version of the manifest's format that is read.
  static let version = 1

  /// What is strange and does no harm.
  var warnings: [TextProblem] = []

  /// The words of `capabilities`.
  package static let capabilities =
    [
      "read", "write", "recognize", "animation", "frames", "pages", "lossless", "incremental", "icc", "exif", "xmp",
    ] + WriterFeatures.named.filter { $0 != "frames" }
  package static let keys = [
    "manifest", "id", "name", "version", "vendor", "license", "library_license", "abi", "library", "platform",
    "runtime", "formats", "capabilities", "container", "encode_options", "decode_options", "operations", "transcodes",
    "packages", "priority", "siblings", "resources", "threads", "code",
  ]
  package static let abiKeys = ["major", "min_minor"]
  package static let formatKeys = ["uti", "name", "mime", "extensions", "write", "refines", "match", "dialects"]
  package static let matchKeys = ["bytes", "mask", "offset", "from", "within", "and"]
  package static let bytesConditionKeys = ["bytes", "mask", "offset", "from", "within", "step"]
  package static let brandConditionKeys = ["brand"]
  package static let tagConditionKeys = ["tag", "value", "in"]
  package static let dialectKeys = ["uti", "name", "match"]
  package static let containerKeys = ["dictionary", "unclamped_delay", "delay", "loop_count", "default_loop_count"]
  package static let optionKeys = ["name", "type", "minimum", "maximum", "choices", "default", "text", "secret"]
  package static let operationKeys = ["name", "text", "from", "to", "options", "blocks", "takes_out"]
  package static let transcodeKeys = ["from", "to"]
  package static let packagesKeys = ["build", "run"]

  func manifest(_ root: JSONNode) throws(TextProblem) -> Manifest {
    let file = try root.object()
    // Before anything else: another version may have other keys.
    if let node = file["manifest"] {
      let version = try node.whole(1...Int(Int32.max))
      guard version <= Self.version else {
        throw node.problem(allowed: "this host knows version \(Self.version) of the manifest's format")
      }
    }
    noteUnknownKeys(of: file, Self.keys)
    let abi = try object(file.required("abi"), Self.abiKeys)
    let formats = try file.required("formats").list(format)
    guard !formats.isEmpty else { throw try file.required("formats").problem(allowed: "at least one format is needed") }
    var manifest = Manifest(
      id: try identifier(file.required("id")), name: try file.required("name").word(),
      version: try file.required("version").word(), vendor: try file["vendor"]?.string() ?? "",
      license: try file["license"]?.string() ?? "", libraryLicense: try file["library_license"]?.string(),
      abiMajor: try abi.required("major").whole(0...Int(Int32.max)),
      abiMinMinor: try abi["min_minor"]?.whole(0...Int(Int32.max)) ?? 0,
      library: try library(file.required("library")), platform: try file["platform"]?.string(),
      runtime: try file["runtime"]?.string(), formats: formats,
      capabilities: try capabilities(file.required("capabilities")), names: try file["container"].map(names),
      options: try file["encode_options"]?.list(option) ?? [],
      operations: try operations(file),
      packages: try file["packages"].map(packages),
      priority: try file["priority"]?.whole(Int(Int32.min)...Int(Int32.max)) ?? 100)
    manifest.readOptions = try file["decode_options"]?.list(option) ?? []
    if let node = file["siblings"] { manifest.siblings = try siblings(node) }
    if let node = file["resources"] { manifest.needs.formUnion(try resources(node)) }
    if let node = file["threads"], try threads(node) { manifest.needs.insert(.threads) }
    manifest.code = try file["code"].map(code)
    manifest.warnings = warnings.sorted { ($0.place.line, $0.place.column) < ($1.place.line, $1.place.column) }
    return manifest
  }

  /// An object, with a warning for each key that is not known.
  func object(_ node: JSONNode, _ known: [String]) throws(TextProblem) -> JSONObject {
    let object = try node.object()
    noteUnknownKeys(of: object, known)
    return object
  }

  private func noteUnknownKeys(of object: JSONObject, _ known: [String]) {
    warnings += object.unknownKeys(known)
  }

  private func capabilities(_ node: JSONNode) throws(TextProblem) -> Set<String> {
    let words = try node.list()
    for word in words where !Self.capabilities.contains(try word.string()) {
      warnings.append(
        word.problem(allowed: "it is ignored; known words are \(Self.capabilities.joined(separator: ", "))"))
    }
    let known = Set(try node.strings())
    if known.isDisjoint(with: ["read", "write"]) {
      warnings.append(node.problem("has neither read nor write: the coder is never used"))
    }
    return known
  }

  private func identifier(_ node: JSONNode) throws(TextProblem) -> String {
    let id = try node.string()
    let parts = id.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count > 1, id.utf8.count <= 255, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isOfIdentifier) })
    else {
      throw node.problem(allowed: "a reverse-DNS name of a-z, 0-9, _ and -, such as org.example.png, is allowed")
    }
    return id
  }

  private static func isOfIdentifier(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private func library(_ node: JSONNode) throws(TextProblem) -> String {
    let path = try node.string()
    // A path that leaves the manifest's folder could name anything on the machine.
    guard !path.isEmpty, !path.hasPrefix("/"),
      !path.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }),
      path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw node.problem(allowed: "a path below the manifest's folder is allowed") }
    return path
  }

  private func names(_ node: JSONNode) throws(TextProblem) -> ContainerPropertyNames {
    let container = try object(node, Self.containerKeys)
    return ContainerPropertyNames(
      dictionary: try container.required("dictionary").string(),
      unclampedDelay: try container["unclamped_delay"]?.string() ?? "UnclampedDelayTime",
      delay: try container["delay"]?.string() ?? "DelayTime",
      loopCount: try container["loop_count"]?.string() ?? "LoopCount",
      defaultLoopCount: LoopCount(
        plays: UInt32(clamping: try container["default_loop_count"]?.whole(0...Int(UInt32.max)) ?? 0)))
  }

  /// Words that are not known are ignored: a host that cannot give something says so when it is missed.
  private func resources(_ node: JSONNode) throws(TextProblem) -> PluginNeeds {
    var needs: PluginNeeds = []
    for item in try node.list() {
      let word = try item.string()
      guard let known = PluginNeeds.resources.first(where: { $0.word == word }) else {
        let words = PluginNeeds.resources.map(\.word).joined(separator: ", ")
        warnings.append(item.problem(allowed: "it is ignored; known words are \(words)"))
        continue
      }
      needs.insert(known.need)
    }
    return needs
  }

  /// Patterns that could name no file of the folder are ignored, as those of a later version are.
  private func siblings(_ node: JSONNode) throws(TextProblem) -> [SiblingPattern] {
    var patterns: [SiblingPattern] = []
    for item in try node.list() {
      guard let pattern = SiblingPattern(try item.string()) else {
        warnings.append(
          item.problem(
            allowed: "it is ignored; \"*\", and names without a slash that do not begin with a dot, are allowed"))
        continue
      }
      patterns.append(pattern)
    }
    return patterns
  }

  private func threads(_ node: JSONNode) throws(TextProblem) -> Bool {
    if try node.string() == "library" { return true }
    warnings.append(node.problem(allowed: "it is ignored; the known word is library"))
    return false
  }

  private func packages(_ node: JSONNode) throws(TextProblem) -> Manifest.Packages {
    let packages = try object(node, Self.packagesKeys)
    return Manifest.Packages(build: try packages["build"]?.strings() ?? [], run: try packages["run"]?.strings() ?? [])
  }
}

// MARK: Operations

extension ManifestReader {
  /// The operations, and pairs of formats under the key that version 1.0 has for them.
  private func operations(_ file: JSONObject) throws(TextProblem) -> [OperationDescription] {
    var operations = try file["operations"]?.list(operation) ?? []
    let known = KnownOperation.transcode
    if let pairs = try file["transcodes"]?.list(transcode), !operations.contains(where: { $0.name == known.name }) {
      operations.append(OperationDescription(name: known.name, text: known.text, formats: pairs))
    }
    return operations
  }

  private func transcode(_ node: JSONNode) throws(TextProblem) -> OperationDescription.Formats {
    let pair = try object(node, Self.transcodeKeys)
    return OperationDescription.Formats(
      from: ImageFormat(rawValue: try pair.required("from").word()),
      to: ImageFormat(rawValue: try pair.required("to").word()))
  }

  private func operation(_ node: JSONNode) throws(TextProblem) -> OperationDescription {
    let file = try object(node, Self.operationKeys)
    let from = try file.required("from").formats()
    let to = try file["to"]?.formats() ?? from
    guard !from.isEmpty else { throw try file.required("from").problem(allowed: "at least one format is needed") }
    guard from.count == to.count else {
      throw try file.required("to").problem(allowed: "as many formats as in from, \(from.count), are allowed")
    }
    return OperationDescription(
      name: try file.required("name").word(), text: try file["text"]?.string() ?? "",
      formats: zip(from, to).map { OperationDescription.Formats(from: $0, to: $1) },
      options: try file["options"]?.list(option) ?? [], blocks: try file["blocks"]?.strings() ?? [],
      takesOut: try file["takes_out"]?.boolean() ?? false)
  }
}

// MARK: Options

extension ManifestReader {
  private func option(_ node: JSONNode) throws(TextProblem) -> OptionDescription {
    let file = try object(node, Self.optionKeys)
    let type = try file.required("type")
    let kind: OptionDescription.Kind
    switch try type.string() {
    case "boolean": kind = .boolean(default: try file.required("default").boolean())
    case "integer":
      let range = try Self.range(
        file, of: { (node) throws(TextProblem) in try node.whole(Int(Int32.min)...Int(UInt32.max)) })
      kind = .integer(range, default: try file.required("default").whole(range))
    case "number":
      let range = try Self.range(file, of: { (node) throws(TextProblem) in try node.number() })
      let value = try file.required("default").number()
      guard range.contains(value) else {
        throw try file.required("default").problem(
          allowed: "a number from \(range.lowerBound) to \(range.upperBound) is allowed")
      }
      kind = .number(range, default: value)
    case "choice":
      let words = try file.required("choices").strings()
      guard let index = words.firstIndex(of: try file.required("default").string()) else {
        throw try file.required("default").problem(allowed: "one of the choices is allowed")
      }
      kind = .choice(words, default: index)
    case "text":
      let maximum = try file.required("maximum").whole(0...Int(Int32.max))
      let text = try file.required("default").string()
      guard text.utf8.count <= maximum else {
        throw try file.required("default").problem(allowed: "at most \(maximum) bytes are allowed")
      }
      kind = .text(maximumBytes: maximum, default: text)
    default: throw type.problem(allowed: "\"boolean\", \"integer\", \"number\", \"choice\" or \"text\" is allowed")
    }
    var option = OptionDescription(
      name: try file.required("name").word(), text: try file["text"]?.string() ?? "", kind: kind)
    if let node = file["secret"] {
      option.isSecret = try node.boolean()
      guard !option.isSecret || kind.isText else { throw node.problem(allowed: "only a text is a secret") }
    }
    return option
  }

  private static func range<Bound: Comparable>(
    _ option: JSONObject, of bound: (JSONNode) throws(TextProblem) -> Bound
  ) throws(TextProblem) -> ClosedRange<Bound> {
    let (low, high) = (try bound(option.required("minimum")), try bound(option.required("maximum")))
    guard low <= high else {
      throw try option.required("minimum").problem(allowed: "at most the maximum, \(high), is allowed")
    }
    return low...high
  }
}

extension JSONNode {
  fileprivate func formats() throws(TextProblem) -> [ImageFormat] {
    try list { (node) throws(TextProblem) in ImageFormat(rawValue: try node.word()) }
  }

  func strings() throws(TextProblem) -> [String] {
    try list { (node) throws(TextProblem) in try node.string() }
  }
}
