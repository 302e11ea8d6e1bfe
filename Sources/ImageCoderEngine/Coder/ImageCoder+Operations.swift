// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

extension ImageCoder {
  /// The default: none.
  public var operations: [OperationDescription] { [] }

  /// The default for a coder without ``operations``.
  ///
  /// - Throws: ``CoderError/Code/unsupported``.
  public func apply(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in context: DecodeContext, asksOnly: Bool
  ) throws(CoderError) -> OperationResult {
    throw .unsupported("\(id) has no operation \(operation.name)")
  }
}

extension AnimatedCoder {
  /// Implements ``ImageCoder/operations``: those of the container.
  public var operations: [OperationDescription] { base.operations }

  /// Implements ``ImageCoder/apply(_:from:to:in:asksOnly:)`` with the container's operation, once it is checked.
  public func apply(
    _ operation: FileOperation, from: ImageFormat, to: ImageFormat, in context: DecodeContext, asksOnly: Bool = false
  ) throws(CoderError) -> OperationResult {
    guard let known = operations.first(where: { $0.name == operation.name }) else {
      throw .unsupported("\(id) has no operation \(operation.name)")
    }
    let session = HostSession(
      source: context.source, limits: context.options.limits, cancellation: context.options.cancellation,
      log: context.options.log)
    let checked = try known.checked(operation, from: from, to: to)
    let result = try base.run(checked, from: from, to: to, in: session, asksOnly: asksOnly)
    if known.takesOut, let part = result.bytes { try context.options.limits.check(metadata: part.count) }
    guard result.bytes != nil || asksOnly || known.takesOut else { throw .libraryFailure("the coder wrote no file") }
    return result
  }
}
