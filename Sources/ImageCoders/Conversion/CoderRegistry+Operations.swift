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
  /// Why no coder would do it, or nil if nothing in the headers of the file speaks against it.
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

  /// The format of an extension, a name or a type identifier, also if only an operation names it.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument``.
  package func formatOfOperations(named name: String) throws(CoderError) -> ImageFormat {
    if let format = format(forExtension: name) { return format }
    let formats = operations().flatMap { $0.operation.formats.flatMap { [$0.from, $0.to] } }
    if let format = formats.first(where: { $0.rawValue == name }) { return format }
    throw .invalidArgument("no coder has the format \(name)")
  }

  /// Works on a whole file without decoding its pixels.
  ///
  ///     try registry.apply(FileOperation("turn", values: ["orientation": 6]), to: .file("shot.jpg"), at: .file("up.jpg"))
  ///
  /// What is written is as the coder wrote it. ``editMetadata(_:_:at:reading:coder:)`` also looks at what comes of it.
  ///
  /// - Parameters:
  ///   - format: The format of the new file, or nil for that of the source.
  ///   - destination: A file is replaced when the new one is whole; it may be the source.
  ///   - reading: How the file is read: its limits and allowed formats apply.
  ///   - id: The identifier of the only coder to use, or nil to choose.
  /// - Throws: ``CoderError/Code/unsupported`` if no coder has the operation for these formats, or does it with this file;
  ///   ``CoderError/Code/invalidArgument`` for a value or a block that it does not take; ``CoderError`` for a file that
  ///   cannot be read.
  @available(*, noasync, message: "this blocks a thread: await registry.async.apply(…)")
  @discardableResult
  public func apply(
    _ operation: FileOperation, to source: ByteSource, as format: ImageFormat? = nil,
    at destination: EncodeDestination = .memory, reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) throws(CoderError) -> AppliedOperation {
    try naming(source) { () throws(CoderError) in
      let (coder, written, result) = try run(
        operation, source, as: format, asksOnly: false, reading: reading, coder: id)
      let file = try result.bytes.map { (bytes) throws(CoderError) in
        try EncodedFile(format: written, bytes: bytes, byteCount: bytes.count).put(at: destination)
      }
      return AppliedOperation(coder: coder, file: file, facts: result.facts)
    }
  }

  /// Asks whether ``apply(_:to:as:at:reading:coder:)`` would succeed, as far as the headers of the file say. Nothing is
  /// written.
  ///
  /// - Returns: What the first coder says that would do it, or else the first that has the operation.
  /// - Throws: As for ``apply(_:to:as:at:reading:coder:)``, apart from what ``OperationAnswer/refusal`` says.
  @available(*, noasync, message: "this blocks a thread: await registry.async.ask(…)")
  public func ask(
    _ operation: FileOperation, of source: ByteSource, as format: ImageFormat? = nil,
    reading: DecodeOptions = DecodeOptions(), coder id: String? = nil
  ) throws(CoderError) -> OperationAnswer {
    try naming(source) { () throws(CoderError) in
      let (coder, _, result) = try run(operation, source, as: format, asksOnly: true, reading: reading, coder: id)
      return OperationAnswer(coder: coder, facts: result.facts, refusal: result.refusal)
    }
  }

  private func run(
    _ operation: FileOperation, _ source: ByteSource, as format: ImageFormat?, asksOnly: Bool,
    reading: DecodeOptions, coder id: String?
  ) throws(CoderError) -> (coder: String, written: ImageFormat, result: OperationResult) {
    if let id, !coderIDs.contains(id) { _ = try coder(id) }
    let source = try rereadable(source, reading)
    let (header, reader) = try headerAndReader(of: source, options: reading)
    let from = header.format
    let to = format ?? from
    let reading = try policy.restricting(reading, for: [from])
    let open = try OpenSource(source, limits: reading.limits)
    try reading.limits.check(memory: open.size)
    var refused: (coder: String, written: ImageFormat, result: OperationResult)?
    let outcome = try attempt(operation.name, from: from, to: to, readBy: reader, coder: id) {
      (coder) throws(CoderError) in
      let isOfMetadata = [KnownOperation.editMetadata, .readMetadata].contains { $0.name == operation.name }
      let takesOut = coder.operations.named(operation.name, from: from, to: to)?.takesOut ?? false
      if isOfMetadata || takesOut, let words = reading.restrictions.metadata {
        throw .unsupported("metadata may not be read (set by \(words))")
      }
      let context = DecodeContext(open, options: reading)
      var result: OperationResult
      do throws(CoderError) {
        result = try coder.apply(operation, from: from, to: to, in: context, asksOnly: asksOnly)
      } catch {
        throw error.annotated(setBy: reading.restrictions.setter(of: error))
      }
      result.refusal = result.refusal?.annotated(coder: coder.id)
      if result.refusal == nil { return (coder.id, to, result) }
      refused = refused ?? (coder.id, to, result)
      return nil
    }
    switch outcome {
    case .done(let done): return done
    case .refused(let error):
      if let refused { return refused }
      throw error ?? .unsupported("no coder has the operation \(operation.name) \(Self.words(from, to))")
    }
  }

  private static func words(_ from: ImageFormat, _ to: ImageFormat) -> String {
    from == to ? "for \(from)" : "from \(from) to \(to)"
  }
}

/// How the coders that have an operation get on with a file.
enum OperationOutcome<Result> {
  /// One did it.
  case done(Result)
  /// None did it, for the reason of the first one; nil if none has the operation.
  case refused(CoderError?)
}

extension CoderRegistry {
  /// Whether a coder has an operation, as far as manifests say.
  func hasOperation(_ known: KnownOperation, from: ImageFormat, to: ImageFormat) -> Bool {
    candidatesInOrder().contains { $0.has(known.name, from: from, to: to) }
  }

  /// Tries the coders that have an operation, in their order, until one does it.
  ///
  /// The rules are those of ``choose(_:options:coder:explain:_:)``: a file that one coder refuses does not get to another
  /// one in the program, where that one wraps a library in C and nobody named it.
  ///
  /// - Parameters:
  ///   - reader: The identifier of the coder that has read the file's header.
  ///   - id: The identifier of the only coder, or nil for all.
  ///   - refused: Called for each coder that does not support the file, or cannot be used; it may end the search.
  ///   - body: Returns nil if the next coder is to try.
  func attempt<Result>(
    _ operation: String, from: ImageFormat, to: ImageFormat, readBy reader: String, coder id: String? = nil,
    refused: (_ coder: String, _ error: CoderError) throws(CoderError) -> Void = { (_, _) throws(CoderError) in },
    _ body: (any ImageCoder) throws(CoderError) -> Result?
  ) throws(CoderError) -> OperationOutcome<Result> {
    var first: CoderError?
    let candidates = candidatesInOrder()
    // A reader before the one that read the header has refused the file.
    var hasRun = firstReader(of: from, in: candidates)?.id != reader
    var untried: [String] = []
    for candidate in candidates
    where candidate.has(operation, from: from, to: to) && (id == nil || candidate.id == id) {
      let isSecond = hasRun && !isNamed(candidate, [from])
      let loaded = Swift.Result { () throws(SkipReason) in
        try candidate.coder(for: self, isSecondReader: isSecond)
      }
      if isSecond, case .failure(let reason) = loaded, reason.code == .isolationMissing {
        untried.append("\(candidate.id) is \(reason.ofSecondReader)")
        continue
      }
      do throws(CoderError) {
        try policy.checkAllowed(coder: candidate.id)
        let coder = try loaded.orError(of: candidate.id)
        hasRun = true
        if let result = try body(coder) { return .done(result) }
      } catch {
        let error = error.annotated(coder: candidate.id)
        guard error.allowsFallback else { throw error }
        try refused(candidate.id, error)
        if first == nil || first?.code == .wrongFormat { first = error }
      }
    }
    return .refused(first?.adding(untried))
  }

  /// The coder that is asked first for a file of a format: one that is preferred, or else the first in their order.
  private func firstReader(of format: ImageFormat, in candidates: [Candidate]) -> Candidate? {
    let state = snapshot().state
    let readers = candidates.filter { $0.canRead && $0.formats.contains(format) }
    let preferred = readers.compactMap { reader in
      state.preference(reader, reading: [format]).map { (place: $0, reader: reader) }
    }
    return preferred.min { $0.place < $1.place }?.reader ?? readers.first
  }
}

extension Candidate {
  fileprivate func has(_ operation: String, from: ImageFormat, to: ImageFormat) -> Bool {
    operations.named(operation, from: from, to: to) != nil
  }
}
