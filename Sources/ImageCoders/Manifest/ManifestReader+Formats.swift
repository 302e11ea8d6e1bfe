// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension ManifestReader {
  func format(_ node: JSONNode) throws(TextProblem) -> Manifest.Format {
    let file = try object(node, Self.formatKeys)
    let uti = try file.required("uti").word()
    return Manifest.Format(
      format: ImageFormat(rawValue: uti), name: try file["name"]?.string() ?? uti,
      mimeTypes: try file["mime"]?.strings() ?? [],
      extensions: try file["extensions"]?.list(fileExtension) ?? [],
      signatures: try file["match"]?.list(match) ?? [], isWritten: try file["write"]?.boolean() ?? true,
      refines: try file["refines"].map { (node) throws(TextProblem) in try refined(node, by: uti) } ?? [],
      dialects: try file["dialects"]?.list(dialect) ?? [])
  }

  private func refined(_ node: JSONNode, by uti: String) throws(TextProblem) -> [ImageFormat] {
    try node.list { (item) throws(TextProblem) in
      let refined = try item.word()
      guard refined != uti else {
        throw item.problem(allowed: "a format other than the one that refines it is allowed")
      }
      return ImageFormat(rawValue: refined)
    }
  }

  private func dialect(_ node: JSONNode) throws(TextProblem) -> Manifest.Dialect {
    let file = try object(node, Self.dialectKeys)
    let uti = try file.required("uti").word()
    let signatures = try file.required("match").list(match)
    guard !signatures.isEmpty else { throw try file.required("match").problem(allowed: "at least one is needed") }
    return Manifest.Dialect(
      format: ImageFormat(rawValue: uti), name: try file["name"]?.word() ?? uti, signatures: signatures)
  }

  /// An extension without a dot, in lower case.
  private func fileExtension(_ node: JSONNode) throws(TextProblem) -> String {
    let written = try node.word()
    let meant = String(written.drop { $0 == "." }).lowercased()
    guard !meant.isEmpty else { throw node.problem(allowed: "an extension without a dot is allowed") }
    if meant != written {
      warnings.append(
        node.problem(allowed: "extensions have no dot and are in lower case, so it is read as \(meant.quoted)"))
    }
    return meant
  }

  /// A signature, and what else has to hold.
  private func match(_ node: JSONNode) throws(TextProblem) -> FormatSignature {
    let match = try object(node, Self.matchKeys)
    var signature = try signature(match)
    if let list = match["and"] {
      let nodes = try list.list()
      guard (1...Self.mostConditions).contains(nodes.count) else {
        throw list.problem(allowed: "1 to \(Self.mostConditions) conditions are allowed")
      }
      for node in nodes {
        if let condition = try condition(node) { signature.conditions.append(condition) }
      }
    }
    return signature
  }

  /// Nil for a condition of a later version, which does not hold a file off here: this host asks the coder too often, but
  /// never too seldom.
  private func condition(_ node: JSONNode) throws(TextProblem) -> FormatCondition? {
    let members = try node.object()
    if members["tag"] != nil { return .tag(try tag(try object(node, Self.tagConditionKeys))) }
    if members["brand"] != nil { return .brand(try brands(try object(node, Self.brandConditionKeys))) }
    guard members["bytes"] != nil else {
      warnings.append(node.problem("has neither bytes nor brand nor tag and is ignored"))
      return nil
    }
    let match = try object(node, Self.bytesConditionKeys)
    var signature = try signature(match)
    signature.step = try match["step"]?.whole(1...4_096) ?? 1
    return .bytes(signature)
  }

  private func brands(_ condition: JSONObject) throws(TextProblem) -> [Brand] {
    let list = try condition.required("brand")
    let brands = try list.list { (node) throws(TextProblem) in
      guard let brand = Brand(try node.string()) else {
        throw node.problem(allowed: "four characters of ASCII are allowed")
      }
      return brand
    }
    guard (1...Self.mostValues).contains(brands.count) else {
      throw list.problem(allowed: "1 to \(Self.mostValues) brands are allowed")
    }
    return brands
  }

  private func tag(_ condition: JSONObject) throws(TextProblem) -> TagCondition {
    let tag = UInt16(clamping: try condition.required("tag").whole(0...Int(UInt16.max)))
    var values: [UInt32] = []
    if let list = condition["value"] {
      values = try list.list { (node) throws(TextProblem) in UInt32(clamping: try node.whole(0...Int(UInt32.max))) }
      guard (1...Self.mostValues).contains(values.count) else {
        throw list.problem(allowed: "1 to \(Self.mostValues) values are allowed")
      }
    }
    switch try condition["in"]?.string() ?? "first" {
    case "first": return TagCondition(tag, values: values)
    case "all": return TagCondition(tag, values: values, looksAtAll: true)
    default: throw try condition.required("in").problem(allowed: "\"first\" or \"all\" is allowed")
    }
  }

  private static let mostConditions = 8
  private static let mostValues = 16

  private func signature(_ match: JSONObject) throws(TextProblem) -> FormatSignature {
    let text = try match.required("bytes")
    guard let bytes = Self.bytes(hex: try text.string()), (1...64).contains(bytes.count) else {
      throw text.problem(allowed: "1 to 64 bytes of hex are allowed")
    }
    let mask = try match["mask"].map { (node) throws(TextProblem) in try self.mask(node, count: bytes.count) } ?? []
    let offset = try match["offset"]?.whole(0...65_536) ?? 0
    let within = try match["within"]?.whole(0...4_096) ?? 0
    switch try match["from"]?.string() ?? "start" {
    case "start": return FormatSignature(bytes, at: offset, mask: mask, within: within)
    case "end":
      if let node = match["within"], within > 0 {
        warnings.append(node.problem(allowed: "it is ignored, a signature from the end is not searched"))
      }
      if let node = match["offset"], offset < bytes.count {
        warnings.append(node.problem(allowed: "it is read as \(bytes.count), at which the bytes end with the file"))
      }
      return FormatSignature(bytes, at: -max(offset, bytes.count), mask: mask)
    default: throw try match.required("from").problem(allowed: "\"start\" or \"end\" is allowed")
    }
  }

  private func mask(_ node: JSONNode, count: Int) throws(TextProblem) -> [UInt8] {
    guard let mask = Self.bytes(hex: try node.string()), mask.count == count else {
      throw node.problem(allowed: "as many bytes of hex as in bytes, \(count), are allowed")
    }
    // It would agree with every file.
    guard mask.contains(where: { $0 != 0 }) else { throw node.problem(allowed: "at least one bit has to be 1") }
    return mask
  }

  /// Pairs of hex digits, spaces between them allowed.
  private static func bytes(hex: String) -> [UInt8]? {
    var hex = hex
    return hex.withUTF8 { letters in
      var bytes: [UInt8] = []
      bytes.reserveCapacity(letters.count / 2)
      var first: UInt8?
      for letter in letters where letter != UInt8(ascii: " ") {
        guard let digit = digit(letter) else { return nil }
        if let high = first { bytes.append(high << 4 | digit) }
        first = first == nil ? digit : nil
      }
      return first == nil ? bytes : nil
    }
  }

  private static func digit(_ letter: UInt8) -> UInt8? {
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): letter - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): letter - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): letter - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
