// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders

/// What two files say differently of their pictures: the facts and the properties of each.
struct MetadataComparison {
  /// A fact that is not the same; nil for what a file does not state.
  struct Difference {
    let name: String
    let first: String?
    let second: String?
  }

  let differences: [Difference]

  /// - Parameters:
  ///   - first: An open file, with its parts.
  ///   - second: The other one.
  init(_ first: Statements, _ second: Statements) {
    let names = Set(first.values.keys).union(second.values.keys).sorted {
      (Statements.rank($0), $0) < (Statements.rank($1), $1)
    }
    differences = names.compactMap { name in
      let (a, b) = (first.values[name], second.values[name])
      guard a != b else { return nil }
      // What cannot be told apart by its words has other bytes.
      let isSame = a?.words == b?.words
      return Difference(name: name, first: a?.words, second: b.map { isSame ? "\($0.words), others" : $0.words })
    }
  }

  /// What a file states, by the name of the statement.
  struct Statements {
    struct Value: Equatable {
      let words: String
      /// What is compared where words are not enough.
      var bytes: [UInt8]?
    }

    fileprivate private(set) var values: [String: Value] = [:]

    init(_ decoder: ImageDecoder, _ parts: [FilePart]) throws(CoderError) {
      let header = decoder.header
      values["size"] = Value(words: "\(header.displayedSize)")
      values["color"] = Value(words: decoder.colorDescription)
      values["orientation"] = Value(words: "\(header.orientation.rawValue)")
      if header.isAnimated { values["frames"] = Value(words: "\(header.frameCount)") }
      if header.isAnimated { values["plays"] = Value(words: decoder.loopCount.words) }
      if header.pageCount > 1 { values["pages"] = Value(words: "\(header.pageCount)") }
      if let resolution = header.resolution { values["density"] = Value(words: "\(resolution.short) ppi") }
      let light = decoder.storedColor.light
      if let peak = light.contentPeak { values["brightest light"] = Value(words: "\(peak.short) nit") }
      var counts: [FilePart.Kind: Int] = [:]
      for part in parts {
        counts[part.kind, default: 0] += 1
        let number = counts[part.kind, default: 1]
        values[number > 1 ? "\(part.kind.rawValue) \(number)" : part.kind.rawValue] = Self.value(of: part)
      }
      addProperties(try decoder.properties(), "")
    }

    /// Facts of the file come before properties in groups.
    fileprivate static func rank(_ name: String) -> Int { name.hasPrefix("{") ? 1 : 0 }

    private static func value(of part: FilePart) -> Value {
      switch part.content {
      case .words: return Value(words: part.note)
      case .page(_, let size): return Value(words: size.map { "\($0)" } ?? "there")
      case .bytes(let bytes):
        // What these say is among the properties, and they may say it in other bytes.
        if [.exif, .xmp, .iptc].contains(part.kind) { return Value(words: "there") }
        return Value(words: "\(bytes.count) bytes" + (part.note.isEmpty ? "" : ", \(part.note)"), bytes: bytes)
      }
    }

    private mutating func addProperties(_ properties: Properties, _ group: String) {
      for (name, value) in properties.sorted {
        let whole = group.isEmpty ? name : "\(group).\(name)"
        if case .dictionary(let inner) = value {
          addProperties(inner, whole)
        } else if case .data(let bytes) = value {
          values[whole] = Value(words: value.inWords, bytes: bytes)
        } else {
          values[whole] = Value(words: value.inWords)
        }
      }
    }
  }
}
