// SPDX-License-Identifier: Apache-2.0

/// A value in a property dictionary.
public enum PropertyValue: Sendable, Equatable {
  case integer(Int64)
  case number(Double)
  case text(String)
  case dictionary(Properties)

  /// The value as a number, when it is one.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The value as an integer, when it is one without loss.
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }
}

/// Properties of a file, a page or a frame by ImageIO's names: `{GIF}`, `PixelWidth`, `Orientation`.
public struct Properties: Sendable, Equatable {
  private var values: [String: PropertyValue] = [:]

  public init() {}

  public subscript(name: String) -> PropertyValue? {
    get { values[name] }
    set { values[name] = newValue }
  }

  /// The value in a dictionary inside this one.
  public subscript(dictionary: String, name: String) -> PropertyValue? {
    get {
      guard case .dictionary(let inner)? = values[dictionary] else { return nil }
      return inner[name]
    }
    set {
      var inner = Properties()
      if case .dictionary(let existing)? = values[dictionary] { inner = existing }
      inner[name] = newValue
      values[dictionary] = .dictionary(inner)
    }
  }

  public var isEmpty: Bool { values.isEmpty }

  /// Names and values, by name.
  public var sorted: [(name: String, value: PropertyValue)] {
    values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
  }

  /// Adds another dictionary's values; where both have a name, dictionaries are merged and the other's value wins.
  public mutating func merge(_ other: Properties) {
    for (name, value) in other.values {
      if case .dictionary(let theirs) = value, case .dictionary(var ours)? = values[name] {
        ours.merge(theirs)
        values[name] = .dictionary(ours)
      } else {
        values[name] = value
      }
    }
  }
}

/// The names under which a container keeps its animation's properties, and the loop count that holds when a file says
/// nothing.
///
/// The one thing, beside its reader and writer, in which an animated format differs from another.
public struct ContainerNames: Sendable, Equatable {
  /// `{GIF}`
  public var dictionary: String
  /// `UnclampedDelayTime`: seconds as the file has them.
  public var unclampedDelay: String
  /// `DelayTime`: seconds as browsers show them.
  public var delay: String
  /// `LoopCount`: plays in all, 0 without end.
  public var loopCount: String
  /// What holds when the file says nothing.
  public var defaultLoopCount: LoopCount

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
