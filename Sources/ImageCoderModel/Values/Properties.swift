// SPDX-License-Identifier: Apache-2.0

/// A value in a property dictionary.
public enum PropertyValue: Sendable, Hashable {
  /// A whole number, such as `PixelWidth`.
  case integer(Int64)
  /// A floating-point number, such as `DelayTime` in seconds.
  case number(Double)
  /// Text, such as `ColorModel`.
  case text(String)
  /// Nested properties, such as `{GIF}`.
  case dictionary(Properties)
  /// Several values in their order, such as `ISOSpeedRatings`.
  case list([PropertyValue])
  /// A flag, such as `HasAlpha`. The plugin interface has none: there it is 1 or 0.
  case boolean(Bool)
  /// Bytes that have no other meaning here, such as parts of makers' notes. The plugin interface has none: there they are a list
  /// of whole numbers.
  case data([UInt8])

  /// The value as a number, a flag as 1 or 0; nil if it is neither.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// The value as an integer, a flag as 1 or 0; nil if it is not one exactly.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }
}

/// Properties of a file, a page or a frame, by their names in ImageIO: `{GIF}`, `PixelWidth`, `Orientation`.
public struct Properties: Sendable, Hashable {
  private struct Entry: Sendable, Hashable {
    var name: String
    var value: PropertyValue
  }

  /// By name. Few are ever there, and a search is smaller in every plugin than a hash table.
  private var entries: [Entry] = []

  /// Makes a dictionary without values.
  public init() {}

  /// The value of a name, or nil if there is none. Setting nil removes the name.
  public subscript(name: String) -> PropertyValue? {
    get {
      let place = place(of: name)
      return place < entries.count && entries[place].name == name ? entries[place].value : nil
    }
    set {
      let place = place(of: name)
      let isThere = place < entries.count && entries[place].name == name
      switch (newValue, isThere) {
      case (let value?, true): entries[place].value = value
      case (let value?, false): entries.insert(Entry(name: name, value: value), at: place)
      case (nil, true): entries.remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// The place of the first entry whose name is not before a name.
  private func place(of name: String) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].name < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The value in a dictionary inside this one.
  public subscript(dictionary: String, name: String) -> PropertyValue? {
    get {
      guard case .dictionary(let inner)? = self[dictionary] else { return nil }
      return inner[name]
    }
    set {
      var inner = Properties()
      if case .dictionary(let existing)? = self[dictionary] { inner = existing }
      inner[name] = newValue
      self[dictionary] = .dictionary(inner)
    }
  }

  /// Whether there are no names. A nested dictionary counts, even an empty one.
  public var isEmpty: Bool { entries.isEmpty }

  /// Names and values, by name.
  public var sorted: [(name: String, value: PropertyValue)] {
    entries.map { (name: $0.name, value: $0.value) }
  }

  /// Adds another dictionary's values. If both have a name, nested dictionaries are merged, and other values are
  /// replaced.
  package mutating func merge(_ other: Properties) {
    for entry in other.entries {
      if case .dictionary(let theirs) = entry.value, case .dictionary(var ours)? = self[entry.name] {
        ours.merge(theirs)
        self[entry.name] = .dictionary(ours)
      } else {
        self[entry.name] = entry.value
      }
    }
  }
}

/// The names of a container's animation properties, and the loop count that applies if a file does not state one.
///
/// Apart from these, animated formats differ only in their readers and writers.
public struct ContainerPropertyNames: Sendable, Equatable {
  /// `{GIF}`
  public var dictionary: String
  /// `UnclampedDelayTime`: seconds as stored in the file.
  public var unclampedDelay: String
  /// `DelayTime`: seconds as browsers show them.
  public var delay: String
  /// `LoopCount`: total number of plays; 0 means endless.
  public var loopCount: String
  /// The loop count if the file does not state one.
  public var defaultLoopCount: LoopCount

  /// Makes names; by default those that most animated containers share, with endless play.
  public init(
    dictionary: String, unclampedDelay: String = "UnclampedDelayTime", delay: String = "DelayTime",
    loopCount: String = "LoopCount", defaultLoopCount: LoopCount = .infinite
  ) {
    self.dictionary = dictionary
    self.unclampedDelay = unclampedDelay
    self.delay = delay
    self.loopCount = loopCount
    self.defaultLoopCount = defaultLoopCount
  }
}
