// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs

extension Properties {
  /// Puts the dictionary's values into one of the plugin interface.
  package func put(into raw: UnsafePointer<imgcoder_properties>) {
    for (name, value) in sorted { name.withCoderString { value.put(as: $0, into: raw) } }
  }

  /// Collects what `body` puts into a dictionary of the plugin interface.
  ///
  /// - Parameter most: Bytes of names and values that are taken; what comes after them is left out.
  package static func collect(
    most: Int = .max, _ body: (UnsafePointer<imgcoder_properties>) -> imgcoder_status
  ) -> (status: imgcoder_status, properties: Properties) {
    let collector = Collector(room: most)
    var raw = imgcoder_properties_sized()
    raw.context = Unmanaged.passUnretained(collector).toOpaque()
    raw.begin = { Collector.of($0)?.begin($1) }
    raw.begin_list = { Collector.of($0)?.begin($1, asList: true) }
    raw.end = { Collector.of($0)?.end() }
    raw.put_integer = { Collector.of($0)?.put($1, .integer($2)) }
    raw.put_number = { Collector.of($0)?.put($1, .number($2)) }
    raw.put_text = { Collector.of($0)?.put($1, .text(String($2))) }
    let status = withExtendedLifetime(collector) { withUnsafePointer(to: raw, body) }
    return (status, collector.finished())
  }

  private final class Collector {
    /// A dictionary or a list that is not closed yet.
    private struct Level {
      let name: String
      var values = Properties()
      /// Nil for a dictionary.
      var items: [PropertyValue]?

      var value: PropertyValue { items.map { .list($0) } ?? .dictionary(values) }
    }

    private var open = [Level(name: "")]
    private var ignoredDepth = 0
    private static let maxDepth = 8
    private var room: Int

    init(room: Int) { self.room = room }

    static func of(_ raw: UnsafePointer<imgcoder_properties>?) -> Collector? {
      guard let context = raw?.pointee.context else { return nil }
      return Unmanaged<Collector>.fromOpaque(context).takeUnretainedValue()
    }

    func begin(_ name: imgcoder_string, asList: Bool = false) {
      if open.count > Self.maxDepth {
        ignoredDepth += 1
      } else {
        open.append(Level(name: String(name), items: asList ? [] : nil))
      }
    }

    func end() {
      if ignoredDepth > 0 {
        ignoredDepth -= 1
      } else if open.count > 1 {
        let inner = open.removeLast()
        add(inner.name, inner.value)
      }
    }

    func put(_ name: imgcoder_string, _ value: PropertyValue) {
      guard ignoredDepth == 0, room > 0 else { return }
      let name = String(name)
      room -= name.utf8.count + 8
      if case .text(let text) = value { room -= text.utf8.count }
      if room >= 0 { add(name, value) }
    }

    private func add(_ name: String, _ value: PropertyValue) {
      let last = open.count - 1
      if open[last].items != nil { open[last].items?.append(value) } else { open[last].values[name] = value }
    }

    func finished() -> Properties {
      ignoredDepth = 0
      while open.count > 1 { end() }
      return open[0].values
    }
  }
}

extension PropertyValue {
  fileprivate func put(as name: imgcoder_string, into raw: UnsafePointer<imgcoder_properties>) {
    switch self {
    case .integer(let value): raw.pointee.put_integer(raw, name, value)
    case .number(let value): raw.pointee.put_number(raw, name, value)
    case .text(let value): value.withCoderString { raw.pointee.put_text(raw, name, $0) }
    case .dictionary(let inner):
      raw.pointee.begin(raw, name)
      inner.put(into: raw)
      raw.pointee.end(raw)
    case .list(let items):
      raw.pointee.begin_list(raw, name)
      for item in items { "".withCoderString { item.put(as: $0, into: raw) } }
      raw.pointee.end(raw)
    case .boolean(let flag): raw.pointee.put_integer(raw, name, flag ? 1 : 0)
    case .data(let bytes): PropertyValue.list(bytes.map { .integer(Int64($0)) }).put(as: name, into: raw)
    }
  }
}
