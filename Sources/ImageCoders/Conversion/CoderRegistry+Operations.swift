// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// What came of a ``FileOperation``.
public struct AppliedOperation: Sendable {
  /// The identifier of the coder that did it.
  public var coder: String
  /// The new file; its bytes, if the destination is memory. Nil if the source does not have the part that was to be taken
  /// out.
  public var file: EncodedFile?
  /// What the coder says of its work.
  public var facts: Properties
}

/// Whether a coder would do a ``FileOperation``.
public struct OperationAnswer: Sendable {
  /// The identifier of the coder that answers.
  public var coder: String
  /// What it says: what would be left out, or what would be possible where this is not.
  public var facts: Properties
  /// Why no coder would do it, or nil if this one would.
  public var refusal: CoderError?
}

extension CoderRegistry {
  /// What coders do with whole files without decoding their pixels. No plugin is loaded.
  ///
  /// - Parameter format: Only operations on files of this format, or nil for all.
  /// - Returns: Each operation with the identifier of its coder, in the order in which coders are tried.
  public func operations(
    for format: ImageFormat? = nil
  ) -> [(coder: String, operation: OperationDescription)] {
    candidatesInOrder().flatMap { candidate in
      candidate.operations.filter { operation in
        format == nil || operation.formats.contains { $0.from == format }
      }.map { (candidate.id, $0) }
    }
  }

  /// Works on a whole file without decoding its pixels.
  ///
  ///     try registry.apply(FileOperation("turn", values: ["orientation": 6]), to: .file("shot.jpg"), at: .file("up.jpg"))
  ///
  /// What is written is as the coder wrote it. ``editMetadata(_:_:at:reading:coder:)``, ``transcode(_:to:options:reading:)``
  /// and ``convert(_:to:at:options:reading:reader:coder:problem:)`` also look at what comes of it.
  ///
  /// - Parameters:
  ///   - format: The format of the new file, or nil for that of the source.
  ///   - destination: A file is replaced when the new one is whole; it may be the source.
  ///   - reading: How the file is read: its limits and allowed formats apply.
  ///   - id: The identifier of the only coder to use, or nil to choose.
  /// - Throws: ``CoderError/Code/unsupported`` if no coder has the operation for these formats, or does it with this file;
  ///   ``CoderError/Code/invalidArgument`` for a value or a block that it does not take; ``CoderError`` for a file that
  ///   cannot be read.
  @discardableResult
  public func apply(
    _ operation: FileOperation, to source: ByteSource, as format: ImageFormat? = nil,
    at destination: EncodeDestination = .memory, reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) throws(CoderError) -> AppliedOperation {
    try naming(source) { () throws(CoderError) in
      let (coder, written, result) = try run(operation, source, as: format, asksOnly: false, reading, coder: id)
      let file = try result.bytes.map { (bytes) throws(CoderError) in
        try EncodedFile(bytes, of: written, to: destination)
      }
      return AppliedOperation(coder: coder, file: file, facts: result.facts)
    }
  }

  /// Asks whether ``apply(_:to:as:at:reading:coder:)`` would succeed. Nothing is written.
  ///
  /// - Returns: What the first coder says that would do it, or else the first that has the operation.
  /// - Throws: As for ``apply(_:to:as:at:reading:coder:)``, apart from what ``OperationAnswer/refusal`` says.
  public func ask(
    _ operation: FileOperation, of source: ByteSource, as format: ImageFormat? = nil,
    reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) throws(CoderError) -> OperationAnswer {
    try naming(source) { () throws(CoderError) in
      let (coder, _, result) = try run(operation, source, as: format, asksOnly: true, reading, coder: id)
      return OperationAnswer(coder: coder, facts: result.facts, refusal: result.refusal)
    }
  }

  private func run(
    _ operation: FileOperation, _ source: ByteSource, as format: ImageFormat?, asksOnly: Bool,
    _ reading: DecodeOptions, coder id: String?
  ) throws(CoderError) -> (coder: String, written: ImageFormat, result: OperationResult) {
    fatalError()
  }
}
