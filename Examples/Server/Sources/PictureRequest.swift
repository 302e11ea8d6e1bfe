// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import ImageCodersBuiltIn
import ImageLoading

/// What a client asks for: `?url=…&w=300&h=200&fit=cover&dpr=2&q=80&format=webp&e=1790000000&s=…`; for a picture that it sends,
/// the same without `url` and `q`.
///
/// Each parameter may be there once, and no others: a request that can be spelled in many ways is signed and cached in
/// many ways.
struct PictureRequest {
  /// Where the picture comes from; empty for one that is sent.
  var url = ""
  /// The box in pixels of the result, a side of 0 is free.
  var box = Size(width: 300, height: 0)
  var mode = ThumbnailMode.fit
  /// The quality, 1 to 100, or nil for that of the format.
  var quality: Int?
  /// Nil to choose by what the client accepts.
  var format: ImageFormat?
  /// When the signature ends, in seconds since 1970, or nil.
  var expiry: Int?
  var signature: String?

  /// What the signature signs: every parameter but the signature, in the order of their names, as they were given; before
  /// them, for a picture that is sent, a line that is no parameter.
  let signedText: String

  private static let names: Set<String> = ["w", "h", "fit", "dpr", "format", "e", "s"]
  static let uploadLine = "POST /thumbnail"
  /// The formats that can be asked for, by their names.
  static let formats: [String: ImageFormat] = ["avif": .avif, "webp": .webP, "jpeg": .jpeg, "jpg": .jpeg, "png": .png]
  private static let mostPixels = 16_000_000

  /// - Parameter isUpload: Whether the picture is sent.
  /// - Throws: 400 with what is wrong.
  init(_ query: Parameters, isUpload: Bool = false) throws(HTTPError) {
    let names = isUpload ? Self.names : Self.names.union(["url", "q"])
    var values: [String: String] = [:]
    for (name, value) in query {
      guard names.contains(String(name)) else {
        throw Self.refusal("the parameter \(name.prefix(40)) is not known")
      }
      // Lines are what the signature tells parameters apart by.
      guard !value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
        throw Self.refusal("the parameter \(name) has a control character")
      }
      guard values.updateValue(String(value), forKey: String(name)) == nil else {
        throw Self.refusal("the parameter \(name) is there twice")
      }
    }
    let signed = values.filter { $0.key != "s" }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    signedText = ((isUpload ? [Self.uploadLine] : []) + signed).joined(separator: "\n")
    if !isUpload {
      guard let url = values["url"] else { throw Self.refusal("the parameter url is missing") }
      self.url = url
    }
    signature = values["s"]
    let scale = try Self.number(values["dpr"], "dpr", 1...4) ?? 1
    let width = try Self.number(values["w"], "w", 0...8192)
    let height = try Self.number(values["h"], "h", 0...8192)
    if width != nil || height != nil { box = Size(width: (width ?? 0) * scale, height: (height ?? 0) * scale) }
    guard box.width > 0 || box.height > 0 else { throw Self.refusal("w and h are both 0") }
    guard max(box.width, 1) * max(box.height, 1) <= Self.mostPixels, max(box.width, box.height) <= 8192 else {
      throw Self.refusal("\(box) pixels; \(Self.mostPixels) are allowed, 8192 a side")
    }
    switch values["fit"] {
    case nil, "inside": mode = .fit
    case "cover": mode = .fill
    case "fill": mode = .stretch
    case let other?: throw Self.refusal("fit is \(other.prefix(20)); inside, cover and fill are known")
    }
    quality = try Self.number(values["q"], "q", 1...100)
    if let name = values["format"] {
      guard let known = Self.formats[name] else {
        throw Self.refusal(
          "the format \(name.prefix(20)); \(Self.formats.keys.sorted().joined(separator: ", ")) are known")
      }
      format = known
    }
    expiry = try Self.number(values["e"], "e", 0...Int.max)
  }

  private static func number(_ text: String?, _ name: String, _ range: ClosedRange<Int>) throws(HTTPError) -> Int? {
    guard let text else { return nil }
    guard let number = Int(text), String(number) == text, range.contains(number) else {
      throw refusal("\(name) is \(text.prefix(20)); \(range.lowerBound) to \(range.upperBound) is allowed")
    }
    return number
  }

  static func refusal(_ message: String) -> HTTPError { HTTPError(.badRequest, message: message) }
}
