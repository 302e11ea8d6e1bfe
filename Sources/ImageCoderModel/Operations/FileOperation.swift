// SPDX-License-Identifier: Apache-2.0

/// Work on a whole file without decoding its pixels: a name, values, and blocks of bytes.
///
///     try registry.apply(FileOperation("turn", values: ["orientation": 6]), to: .file("shot.jpg"), at: .file("up.jpg"))
///
/// Names without a dot are those of ``KnownOperation``; others begin with their author's domain, and are whatever a coder
/// makes of them: `org.example.watermark`.
public struct FileOperation: Sendable, Equatable {
  /// What is to be done.
  public var name: String
  /// The values that are given, by name; the defaults apply to the others.
  public var values: [String: OptionValue]
  /// The blocks that are given, by name.
  public var blocks: [String: [UInt8]]

  /// Makes an operation; a coder's ``OperationDescription`` says whether it has one like it.
  public init(_ name: String, values: [String: OptionValue] = [:], blocks: [String: [UInt8]] = [:]) {
    self.name = name
    self.values = values
    self.blocks = blocks
  }

  /// The value of an option: the given value, or else the option's default.
  public subscript<Value>(_ option: CoderOption<Value>) -> Value {
    values[option.name].flatMap(option.read) ?? option.defaultValue
  }
}

/// Describes an operation of a coder, so that everything can be checked before the coder sees a file.
public struct OperationDescription: Sendable, Equatable {
  /// The format of a source, and that of the file that is made of it.
  public struct Formats: Sendable, Equatable {
    /// The format of the source.
    public var from: ImageFormat
    /// The format of the new file; often the same.
    public var to: ImageFormat

    /// A pair of formats.
    ///
    /// - Parameter to: Nil if the format stays.
    public init(from: ImageFormat, to: ImageFormat? = nil) {
      self.from = from
      self.to = to ?? from
    }
  }

  /// Lower case, words joined by "-": `turn`.
  public var name: String
  /// One sentence for lists.
  public var text: String
  /// The formats that it works on.
  public var formats: [Formats]
  /// All values that it takes.
  public var options: [OptionDescription]
  /// The names of the blocks that it takes.
  public var blocks: [String]
  /// Whether what it gives is a part of the source, and no file of ``Formats/to``.
  public var takesOut: Bool

  /// Makes a description; nothing is checked.
  public init(
    name: String, text: String, formats: [Formats], options: [OptionDescription] = [], blocks: [String] = [],
    takesOut: Bool = false
  ) {
    self.name = name
    self.text = text
    self.formats = formats
    self.options = options
    self.blocks = blocks
    self.takesOut = takesOut
  }

  /// Whether it makes files of one format from files of another.
  package func works(from: ImageFormat, to: ImageFormat) -> Bool { formats.contains { $0.from == from && $0.to == to } }

  /// An operation as a coder gets it: words for texts, numbers for all other values.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for formats that it does not work on; ``CoderError/Code/invalidArgument``
  ///   for a value or a block that it does not take.
  package func checked(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat
  ) throws(CoderError) -> FileOperation {
    guard works(from: from, to: to) else {
      throw .unsupported("\(name) \(from == to ? "of \(from)" : "from \(from) to \(to)")")
    }
    var checked = operation
    for (value, given) in operation.values.sorted(by: { $0.key < $1.key }) {
      guard let option = options.first(where: { $0.name == value }) else {
        throw .invalidArgument("\(name) has no value \(value); it has \(Self.list(options.map(\.name)))")
      }
      checked.values[value] = try option.checked(given)
    }
    for block in operation.blocks.keys.sorted() where !blocks.contains(block) {
      throw .invalidArgument("\(name) has no block \(block); it has \(Self.list(blocks))")
    }
    return checked
  }

  private static func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
}
