// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

// Coders do without this, and so it is not in the module that each plugin has.

/// As a number, text, truth, list or object. A number without a fraction comes back as ``PropertyValue/integer(_:)``, and bytes,
/// which are written in Base64, as text.
extension PropertyValue: Codable {
  /// Reads a value of any kind but null.
  public init(from decoder: any Decoder) throws {
    if let list = try? decoder.unkeyedContainer() {
      self = .list(try Self.items(list))
      return
    }
    guard let value = try? decoder.singleValueContainer(), !Self.isObject(decoder) else {
      self = .dictionary(try Properties(from: decoder))
      return
    }
    if let integer = try? value.decode(Int64.self) {
      self = .integer(integer)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let flag = try? value.decode(Bool.self) {
      self = .boolean(flag)
    } else {
      self = .text(try value.decode(String.self))
    }
  }

  private static func items(_ list: any UnkeyedDecodingContainer) throws -> [PropertyValue] {
    var (list, items) = (list, [PropertyValue]())
    while !list.isAtEnd { items.append(try list.decode(PropertyValue.self)) }
    return items
  }

  private static func isObject(_ decoder: any Decoder) -> Bool {
    (try? decoder.container(keyedBy: PropertyName.self)) != nil
  }

  /// Writes the value; a number that is not finite as null.
  public func encode(to encoder: any Encoder) throws {
    if case .dictionary(let properties) = self { return try properties.encode(to: encoder) }
    if case .list(let items) = self {
      var list = encoder.unkeyedContainer()
      for item in items { try list.encode(item) }
      return
    }
    var value = encoder.singleValueContainer()
    switch self {
    case .integer(let integer): try value.encode(integer)
    // JSON has no others (RFC 8259 section 6).
    case .number(let number): if number.isFinite { try value.encode(number) } else { try value.encodeNil() }
    case .text(let text): try value.encode(text)
    case .boolean(let flag): try value.encode(flag)
    case .data(let bytes): try value.encode(String(decoding: Base64.text(bytes), as: UTF8.self))
    case .dictionary, .list: break
    }
  }
}

/// As an object by the names of properties. What is null there is left out.
extension Properties: Codable {
  /// Reads an object.
  public init(from decoder: any Decoder) throws {
    self.init()
    let object = try decoder.container(keyedBy: PropertyName.self)
    for name in object.allKeys where try !object.decodeNil(forKey: name) {
      self[name.stringValue] = try object.decode(PropertyValue.self, forKey: name)
    }
  }

  /// Writes an object, by name.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: PropertyName.self)
    for (name, value) in sorted { try object.encode(value, forKey: PropertyName(stringValue: name)) }
  }
}

/// Any name: ImageIO's are not known beforehand.
private struct PropertyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}
