// SPDX-License-Identifier: Apache-2.0

/// A value of CBOR.
enum CBORValue {
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
  case list([CBORValue])
  case map([(key: CBORValue, value: CBORValue)])
  /// A number with a fraction, true, false, null and the like, which nobody here looks at.
  case other

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var list: [CBORValue]? { if case .list(let list) = self { list } else { nil } }

  /// The value of a key of a map.
  subscript(_ name: String) -> CBORValue? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { $0.key.text == name }?.value
  }

  subscript(_ number: Int64) -> CBORValue? {
    guard case .map(let pairs) = self else { return nil }
    return pairs.first { if case .integer(number) = $0.key { true } else { false } }?.value
  }
}

/// Reads values of CBOR. Tags are passed over.
///
/// - Format: RFC 8949.
struct CBORReader {
  private let bytes: ArraySlice<UInt8>
  private var place: Int
  private var valuesLeft = 65_536

  private static let maxDepth = 32

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    place = bytes.startIndex
  }

  /// The value at the start of bytes, or nil if it cannot be read to its end.
  static func value(_ bytes: some Collection<UInt8>) -> CBORValue? {
    var reader = CBORReader(Array(bytes)[...])
    return reader.value(depth: 0)
  }

  private mutating func value(depth: Int) -> CBORValue? {
    guard depth < Self.maxDepth, valuesLeft > 0, let first = byte() else { return nil }
    valuesLeft -= 1
    let (kind, detail) = (first >> 5, first & 31)
    guard kind != 7 else {
      // RFC 8949 §3.3: simple values and floating point, in the bytes that the detail states.
      guard detail <= 27, argument(detail) != nil else { return nil }
      return .other
    }
    if detail == 31 { return indefinite(kind, depth: depth) }
    guard let number = argument(detail) else { return nil }
    switch kind {
    case 0: return Int64(exactly: number).map { .integer($0) } ?? .other
    case 1: return Int64(exactly: number).map { .integer(-1 - $0) } ?? .other
    case 2: return take(number).map { .bytes(Array($0)) }
    case 3: return take(number).map { .text(String(decoding: $0, as: UTF8.self)) }
    case 4:
      var list: [CBORValue] = []
      for _ in 0..<number {
        guard let value = value(depth: depth + 1) else { return nil }
        list.append(value)
      }
      return .list(list)
    case 5:
      var pairs: [(CBORValue, CBORValue)] = []
      for _ in 0..<number {
        guard let key = value(depth: depth + 1), let value = value(depth: depth + 1) else { return nil }
        pairs.append((key, value))
      }
      return .map(pairs)
    default: return value(depth: depth + 1)
    }
  }

  /// RFC 8949 §3.2: items up to a stop code.
  private mutating func indefinite(_ kind: UInt8, depth: Int) -> CBORValue? {
    var values: [CBORValue] = []
    while true {
      guard place < bytes.endIndex else { return nil }
      if bytes[place] == 0xFF {
        place += 1
        break
      }
      guard let value = value(depth: depth + 1) else { return nil }
      values.append(value)
    }
    switch kind {
    case 2: return .bytes(values.flatMap { $0.bytes ?? [] })
    case 3: return .text(values.map { $0.text ?? "" }.joined())
    case 4: return .list(values)
    case 5 where values.count % 2 == 0:
      return .map(stride(from: 0, to: values.count, by: 2).map { (values[$0], values[$0 + 1]) })
    default: return nil
    }
  }

  private mutating func byte() -> UInt8? {
    guard place < bytes.endIndex else { return nil }
    defer { place += 1 }
    return bytes[place]
  }

  /// The number that follows a first byte, in as many bytes as its detail states.
  private mutating func argument(_ detail: UInt8) -> UInt64? {
    guard detail >= 24 else { return UInt64(detail) }
    guard detail <= 27 else { return nil }
    var number: UInt64 = 0
    for _ in 0..<(1 << (detail - 24)) {
      guard let byte = byte() else { return nil }
      number = number << 8 | UInt64(byte)
    }
    return number
  }

  private mutating func take(_ count: UInt64) -> ArraySlice<UInt8>? {
    guard count <= UInt64(bytes.endIndex - place) else { return nil }
    defer { place += Int(count) }
    return bytes[place..<place + Int(count)]
  }
}
