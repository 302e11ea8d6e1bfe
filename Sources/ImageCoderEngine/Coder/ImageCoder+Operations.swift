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
    guard let known = operations.named(operation.name, from: from, to: to) else {
      throw .unsupported("\(id) has no operation \(operation.name)")
    }
    let checked = try known.checked(operation, from: from, to: to)
    // Both sides of the interface copy the blocks into arrays.
    try ArrayMemory.check(bytes: 2 * checked.blocks.values.reduce(0) { $0 + $1.count }, for: "the operation's blocks")
    let session = context.session(for: context.source)
    let isOutermost = session.budget.beginCall()
    defer { if isOutermost { session.budget.endCall() } }
    var result: OperationResult
    do throws(CoderError) {
      result = try base.run(checked, from: from, to: to, in: session, asksOnly: asksOnly)
    } catch {
      throw session.reason(for: error)
    }
    if known.takesOut {
      if let part = result.bytes { try context.options.limits.check(metadata: part.count) }
      if asksOnly, !result.isPresent {
        result.refusal = .unsupported("the file has nothing that \(operation.name) takes out")
      }
    } else if !asksOnly, result.bytes?.isEmpty ?? true {
      // An empty file would take the place of one that is there.
      throw .libraryFailure("the coder wrote no file")
    }
    return result
  }
}
