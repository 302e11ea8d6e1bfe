// SPDX-License-Identifier: Apache-2.0

/// An operation of a coder written in Swift, in a plugin through `PluginExport`: a description, and a function.
///
///     static let operations: [ContainerOperation] = [
///       .turn(of: [.jpeg], run: JPEGGeometry.write),
///       ContainerOperation(
///         OperationDescription(
///           name: "org.example.watermark", text: "Put a mark into the file.",
///           formats: [OperationDescription.Formats(from: .jpeg)], blocks: ["mark"])
///       ) { (operation, context) throws(CoderError) in
///         try context.output.write(try marked(context.source, with: operation.blocks["mark"] ?? []))
///       },
///     ]
public struct ContainerOperation: Sendable {
  /// Does the work. Values and names have been checked against the description.
  ///
  /// It throws ``CoderError/Code/unsupported`` if this file cannot be changed so, or not without loss; nothing may have
  /// been written then.
  public typealias Run =
    @Sendable (
      _ operation: FileOperation, _ context: OperationContext
    ) throws(CoderError) -> Void

  /// What the manifest says too.
  public let description: OperationDescription
  private let run: Run

  /// An operation under a name of one's own.
  public init(_ description: OperationDescription, run: @escaping Run) {
    self.description = description
    self.run = run
  }

  private init(
    _ known: KnownOperation, _ formats: [OperationDescription.Formats], options: [OptionDescription] = [],
    blocks: [String] = [], run: @escaping Run
  ) {
    self.init(
      OperationDescription(
        name: known.name, text: known.text, formats: formats, options: options, blocks: blocks,
        takesOut: known == .readMetadata), run: run)
  }

  /// ``KnownOperation/transcode``
  public static func transcode(
    _ formats: [OperationDescription.Formats],
    run: @escaping @Sendable (_ context: OperationContext) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(.transcode, formats) { (_, context) throws(CoderError) in try run(context) }
  }

  /// ``KnownOperation/readMetadata``
  ///
  /// - Parameters:
  ///   - kinds: Those of which the reader's `metadata` does not say all.
  ///   - run: Returns nil if the file has no such block.
  public static func readMetadata(
    _ kinds: [MetadataBlock], of formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ kind: MetadataBlock) throws(CoderError) -> [UInt8]?
  ) -> ContainerOperation {
    ContainerOperation(
      .readMetadata, formats.map { .init(from: $0) }, options: [MetadataBlock.option(kinds)]
    ) { (operation, context) throws(CoderError) in
      var kind = kinds[0]
      if case .number(let index)? = operation.values[MetadataBlock.optionName] { kind = kinds[Int(index)] }
      let payload = try run(context, kind)
      context.isPresent = payload != nil
      if let payload { try context.output.write(payload) }
    }
  }

  /// ``KnownOperation/editMetadata``
  public static func editMetadata(
    of formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ edits: MetadataBlockEdits) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(
      .editMetadata, formats.map { .init(from: $0) }, options: [MetadataBlockEdits.drop.description],
      blocks: MetadataBlock.payloads.map(\.rawValue)
    ) { (operation, context) throws(CoderError) in
      try run(context, try MetadataBlockEdits(operation))
    }
  }

  /// ``KnownOperation/turn``
  public static func turn(
    of formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ part: TurnedPart) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(
      .turn, formats.map { .init(from: $0) }, options: TurnedPart.table
    ) { (operation, context) throws(CoderError) in
      try run(context, TurnedPart(operation))
    }
  }

  /// ``KnownOperation/attachGainMap``, of formats whose files say the colors of the other rendition as the map's colors.
  public static func attachGainMap(
    to formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ map: GainMapParts) throws(CoderError) -> Void
  ) -> ContainerOperation {
    attachGainMap(to: formats, takesColors: false, run: run)
  }

  /// ``KnownOperation/attachGainMap``
  ///
  /// - Parameter takesColors: Whether the map's file has no colors, and those of the other rendition are given apart.
  public static func attachGainMap(
    to formats: [ImageFormat], takesColors: Bool,
    run: @escaping @Sendable (_ context: OperationContext, _ map: GainMapParts) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(
      .attachGainMap, formats.map { .init(from: $0) },
      blocks: [GainMapParts.mapName, GainMapParts.isoName, GainMapParts.xmpName]
        + (takesColors ? [GainMapParts.pointsName, GainMapParts.profileName] : [])
    ) { (operation, context) throws(CoderError) in
      try run(context, try GainMapParts(operation))
    }
  }

  /// ``KnownOperation/attachVideo``
  public static func attachVideo(
    to formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ video: [UInt8]) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(.attachVideo, formats.map { .init(from: $0) }, blocks: [KnownOperation.videoName]) {
      (operation, context) throws(CoderError) in
      guard let video = operation.blocks[KnownOperation.videoName], !video.isEmpty else {
        throw .invalidArgument("\(operation.name) needs the block \(KnownOperation.videoName)")
      }
      try run(context, video)
    }
  }

  /// ``KnownOperation/attachAuxiliary``
  public static func attachAuxiliary(
    to formats: [ImageFormat],
    run: @escaping @Sendable (_ context: OperationContext, _ picture: AuxiliaryParts) throws(CoderError) -> Void
  ) -> ContainerOperation {
    ContainerOperation(
      .attachAuxiliary, formats.map { .init(from: $0) },
      blocks: [AuxiliaryParts.pictureName, AuxiliaryParts.typeName, AuxiliaryParts.xmpName]
    ) { (operation, context) throws(CoderError) in
      try run(context, try AuxiliaryParts(operation))
    }
  }

  /// Runs the operation once it is checked.
  fileprivate func perform(_ operation: FileOperation, _ context: OperationContext) throws(CoderError) {
    try run(try description.checked(operation, from: context.from, to: context.to), context)
  }
}

extension [ContainerOperation] {
  /// Runs one of a coder's operations once it is checked.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` for another one.
  package func perform(_ operation: FileOperation, _ context: OperationContext) throws(CoderError) {
    guard let row = first(where: { $0.description.name == operation.name }) else {
      throw .unsupported("the operation \(operation.name.prefix(80))")
    }
    try row.perform(operation, context)
  }
}

/// What an operation works on, and where it puts its results.
///
/// - Lifetime: As long as the call.
public final class OperationContext {
  /// The file.
  public let source: SourceView
  /// The format of the file, as the host found it.
  public let from: ImageFormat
  /// The format of the new file.
  public let to: ImageFormat
  /// Where the new file goes, or the part that is taken out. Nowhere, if the coder is only asked.
  public let output: ByteOutput
  /// Whether somebody only asks what would be written. Nothing has to be: an operation may return as soon as it knows that
  /// it would succeed, or throws what it would throw.
  public let asksOnly: Bool
  /// The services of the host.
  public let host: CoderHost
  /// What there is to say of the work: what was left out, or what would be possible where this is not. It counts whether
  /// the operation succeeds or is not supported.
  public var facts = Properties()
  /// Whether the file has the part that is to be taken out.
  public var isPresent = true

  /// The work on one file.
  ///
  /// - Parameters:
  ///   - to: Nil if the format stays.
  ///   - output: Nil if the coder is only asked.
  public init(
    _ source: SourceView, from: ImageFormat, to: ImageFormat? = nil, output: ByteOutput?, host: CoderHost
  ) {
    self.source = source
    self.from = from
    self.to = to ?? from
    self.output = output ?? .nowhere
    asksOnly = output == nil
    self.host = host
  }
}
