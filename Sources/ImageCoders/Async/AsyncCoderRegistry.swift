// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

extension CoderRegistry {
  /// The same calls for async code: `registry.async.decode(…)` beside `registry.decode(…)`.
  public var async: AsyncCoderRegistry { AsyncCoderRegistry(registry: self) }
}

/// The calls of a registry for async code, with the names and arguments of the synchronous ones.
///
///     let image = try await registry.async.decode("photo.webp")
///
/// Each waits for a thread of the library, and blocks none of the cooperative pool. Cancelling the task takes the work
/// out of the queue, or stops it. Work of a task with a higher priority goes first, also when the priority is raised
/// while the work waits. ``WorkQueue`` says what else goes first, and can be asked to refuse work.
public struct AsyncCoderRegistry: Sendable {
  /// Where the coders are.
  package let registry: CoderRegistry

  /// Decodes an image: all frames, or the first.
  ///
  /// - Parameter coder: The identifier of the only coder to use, or nil to choose.
  /// - Returns: The image. If the file is truncated or damaged after its header, the part that can be decoded, with
  ///   ``Image/problem``.
  /// - Throws: As ``CoderRegistry/decode(_:options:coder:)``; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func decode(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> Image {
    try await inTurn(options.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.decode(source, options: options.stopped(by: cancellation), coder: coder)
    }
  }

  /// Opens an image for access to its header, frames and metadata from any task.
  ///
  /// - Parameter coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: As ``CoderRegistry/open(_:options:coder:explain:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func open(
    _ source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> AsyncImageDecoder {
    AsyncImageDecoder(
      try await LanedObject(within: options.cancellation) { [registry] (cancellation) throws(CoderError) in
        try registry.open(source, options: options.stopped(by: cancellation), coder: coder)
      })
  }

  /// Reads what a file says of its picture: size, format, orientation, frames.
  ///
  /// - Parameter coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: As ``CoderRegistry/header(of:options:coder:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func header(
    of source: ByteSource, options: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> ImageHeader {
    try await inTurn(options.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.header(of: source, options: options.stopped(by: cancellation), coder: coder)
    }
  }

  /// Encodes one picture or animation to a file's bytes.
  ///
  /// - Parameters:
  ///   - format: The file format, or nil to choose one that can hold the picture: see ``CoderRegistry/format(for:)``.
  ///   - coder: The identifier of the only coder to use, or nil for the first that can encode the picture.
  /// - Throws: As ``CoderRegistry/encode(_:as:options:coder:)-(Image,_,_,_)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func encode(
    _ image: Image, as format: ImageFormat? = nil, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> [UInt8] {
    try await inTurn(options.cancellation, kind: .continues) { [registry] (cancellation) throws(CoderError) in
      try registry.encode(image, as: format, options: options.stopped(by: cancellation), coder: coder)
    }
  }

  /// Encodes several pages to a file's bytes.
  ///
  /// - Parameter coder: The identifier of the only coder to use, or nil for the first that can encode the pictures.
  /// - Throws: As ``CoderRegistry/encode(_:as:options:coder:)-([Image],_,_,_)``; ``CoderError/Code/cancelled`` when the task
  ///   is cancelled.
  public func encode(
    _ pages: [Image], as format: ImageFormat, options: EncodeOptions = EncodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> [UInt8] {
    try await inTurn(options.cancellation, kind: .continues) { [registry] (cancellation) throws(CoderError) in
      try registry.encode(pages, as: format, options: options.stopped(by: cancellation), coder: coder)
    }
  }

  /// Converts a file. Frames, delays, loop count and metadata are kept; only one frame at a time is in memory.
  ///
  /// - Parameters:
  ///   - reading: How the file is read. Its size, orientation and first-frame options are set from `options`.
  ///   - reader: The identifier of the only coder to read with, or nil to choose.
  ///   - coder: The identifier of the only coder to write with, or nil for the first that writes the format.
  ///   - problem: Called on a thread of the library for each page or frame that was decoded only in part. If nil, such
  ///     a page or frame is an error.
  /// - Returns: The new file; its bytes, if the destination is memory.
  /// - Throws: As ``CoderRegistry/convert(_:to:at:options:reading:reader:coder:problem:)``; ``CoderError/Code/cancelled``
  ///   when the task is cancelled.
  @discardableResult
  public func convert(
    _ source: ByteSource, to format: ImageFormat, at destination: EncodeDestination = .memory,
    options: EncodeOptions = EncodeOptions(), reading: DecodeOptions = DecodeOptions(), reader: String? = nil,
    coder: String? = nil, problem: (@Sendable (CoderError) -> Void)? = nil
  ) async throws(CoderError) -> EncodedFile {
    try await inTurn(options.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.convert(
        source, to: format, at: destination, options: options.stopped(by: cancellation),
        reading: reading.stopped(by: Cancellation(within: cancellation, and: reading.cancellation)), reader: reader,
        coder: coder, problem: problem)
    }
  }

  /// Changes the metadata of a file without decoding its pixels. Everything else stays byte for byte.
  ///
  /// - Parameters:
  ///   - reading: How the file is read: its limits and allowed formats apply.
  ///   - coder: The identifier of the only coder to edit with, or nil to choose.
  /// - Returns: The new file; its bytes, if the destination is memory.
  /// - Throws: As ``CoderRegistry/editMetadata(_:_:at:reading:coder:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  @discardableResult
  public func editMetadata(
    _ source: ByteSource, _ edit: MetadataEdit, at destination: EncodeDestination = .memory,
    reading: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> EncodedFile {
    try await inTurn(reading.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.editMetadata(source, edit, at: destination, reading: reading.stopped(by: cancellation), coder: coder)
    }
  }

  /// Works on a whole file without decoding its pixels.
  ///
  /// - Parameters:
  ///   - format: The format of the new file, or nil for that of the source.
  ///   - reading: How the file is read: its limits and allowed formats apply.
  ///   - coder: The identifier of the only coder to use, or nil to choose.
  /// - Throws: As ``CoderRegistry/apply(_:to:as:at:reading:coder:)``; ``CoderError/Code/cancelled`` when the task is cancelled.
  @discardableResult
  public func apply(
    _ operation: FileOperation, to source: ByteSource, as format: ImageFormat? = nil,
    at destination: EncodeDestination = .memory, reading: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> AppliedOperation {
    try await inTurn(reading.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.apply(
        operation, to: source, as: format, at: destination, reading: reading.stopped(by: cancellation), coder: coder)
    }
  }

  /// Asks whether ``apply(_:to:as:at:reading:coder:)`` would succeed. Nothing is written.
  ///
  /// - Returns: What the first coder says that would do it, or else the first that has the operation.
  /// - Throws: As ``CoderRegistry/ask(_:of:as:reading:coder:)``; ``CoderError/Code/cancelled`` when the task is cancelled.
  public func ask(
    _ operation: FileOperation, of source: ByteSource, as format: ImageFormat? = nil,
    reading: DecodeOptions = DecodeOptions(), coder: String? = nil
  ) async throws(CoderError) -> OperationAnswer {
    try await inTurn(reading.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.ask(
        operation, of: source, as: format, reading: reading.stopped(by: cancellation), coder: coder)
    }
  }

  /// Converts a file to another format with exactly the same content, without decoding its pixels.
  ///
  /// - Returns: The new file's bytes, or nil if no coder can convert the file in this way, or if the options require
  ///   changes to it.
  /// - Throws: As ``CoderRegistry/transcode(_:to:options:reading:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func transcode(
    _ source: ByteSource, to format: ImageFormat, options: EncodeOptions = EncodeOptions(),
    reading: DecodeOptions? = nil
  ) async throws(CoderError) -> [UInt8]? {
    try await inTurn(options.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.transcode(source, to: format, options: options.stopped(by: cancellation), reading: reading)
    }
  }

  /// Makes a small file of a picture, ready to be published.
  ///
  ///     let small = try await registry.async.makeThumbnail(of: .bytes(upload), .web.sized(width: 300, height: 0))
  ///
  /// - Parameters:
  ///   - reading: How the file is read: limits, allowed formats, whether a part of a picture is enough. Its size, mode,
  ///     color and first-frame options are set from the preset.
  ///   - problem: Called on a thread of the library if the picture was decoded only in part. If nil, or if `reading` is
  ///     strict, that is an error.
  /// - Returns: The new file; its bytes, if the destination is memory.
  /// - Throws: As ``CoderRegistry/makeThumbnail(of:_:at:reading:problem:)``; ``CoderError/Code/cancelled`` when the task is
  ///   cancelled.
  public func makeThumbnail(
    of source: ByteSource, _ preset: ThumbnailPreset = .web, at destination: EncodeDestination = .memory,
    reading: DecodeOptions = DecodeOptions(), problem: (@Sendable (CoderError) -> Void)? = nil
  ) async throws(CoderError) -> EncodedFile {
    try await inTurn(reading.cancellation) { [registry] (cancellation) throws(CoderError) in
      try registry.makeThumbnail(
        of: source, preset, at: destination, reading: reading.stopped(by: cancellation), problem: problem)
    }
  }

  /// Begins a file that is written frame by frame or page by page.
  ///
  /// - Parameters:
  ///   - pageCount: The number of pages that the file will have.
  ///   - coder: The identifier of the only coder to use, or nil for the first that writes the format.
  /// - Throws: ``CoderError/Code/noCoder`` if no coder writes the format; what the coder throws.
  public func makeEncoder(
    as format: ImageFormat, to destination: EncodeDestination = .memory, options: EncodeOptions = EncodeOptions(),
    pageCount: Int = 1, coder: String? = nil
  ) async throws(CoderError) -> AsyncImageEncoder {
    AsyncImageEncoder(
      try await LanedObject(within: options.cancellation) { [registry] (cancellation) throws(CoderError) in
        try registry.makeEncoder(
          as: format, to: destination, options: options.stopped(by: cancellation), pageCount: pageCount, coder: coder)
      })
  }

  /// Runs work in turn, with a flag that the task's cancellation and the caller's set.
  private func inTurn<Value: Sendable>(
    _ outer: Cancellation?, kind: WorkQueue.Kind = .begins,
    _ body: @escaping @Sendable (Cancellation) throws(CoderError) -> Value
  ) async throws(CoderError) -> Value {
    let cancellation = Cancellation(within: outer)
    return try await WorkQueue.shared.value(cancellation, kind: kind) { () throws(CoderError) in try body(cancellation)
    }
  }
}

extension DecodeOptions {
  /// The same, stopped by this flag alone.
  func stopped(by cancellation: Cancellation) -> DecodeOptions {
    var options = self
    options.cancellation = cancellation
    return options
  }
}

extension EncodeOptions {
  /// The same, stopped by this flag alone.
  fileprivate func stopped(by cancellation: Cancellation) -> EncodeOptions {
    var options = self
    options.cancellation = cancellation
    return options
  }
}
