// SPDX-License-Identifier: Apache-2.0

/// A dictionary whose first entry takes no memory of its own: most files have one picture.
struct OneOrMany<Key: Hashable, Value> {
  private var first: (key: Key, value: Value)?
  private var others: [Key: Value] = [:]

  subscript(key: Key) -> Value? {
    if let first, first.key == key { return first.value }
    return others.isEmpty ? nil : others[key]
  }

  /// Adds an entry, whose key is new.
  mutating func add(_ value: Value, for key: Key) {
    if first == nil { first = (key, value) } else { others[key] = value }
  }
}
