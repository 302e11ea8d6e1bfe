// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
public import ImageCoderModel

/// What a coder makes of a ``FileOperation``.
public struct OperationResult: Sendable {
  /// The new file, or the part that was taken out. Nil if the coder was only asked, and if the source does not have the
  /// part.
  public var bytes: [UInt8]?
  /// What the coder says of its work.
  public var facts: Properties
  /// Why the coder would not write this file, if it was only asked.
  public var refusal: CoderError?
  /// Whether the source has the part that is to be taken out.
  package var isPresent = true

  /// What a coder has written, or says.
  public init(bytes: [UInt8]?, facts: Properties = Properties(), refusal: CoderError? = nil) {
    self.bytes = bytes
    self.facts = facts
    self.refusal = refusal
  }
}

extension HostSession {
  /// The result of an operation.
  ///
  /// - Parameters:
  ///   - asksOnly: Whether nothing is kept of what is written.
  ///   - body: Does the work, and writes what it would write if the coder is only asked, too.
  package func result(
    asksOnly: Bool, _ body: (ByteOutput) throws(CoderError) -> (status: imgcoder_status, facts: Properties)
  ) throws(CoderError) -> OperationResult {
    var result = OperationResult(bytes: nil)
    let bytes = try output(isKept: !asksOnly) { (output) throws(CoderError) in
      let (status, facts) = try body(output)
      result.facts = facts
      result.isPresent = status != InterfaceStatus.notPresent
      guard result.isPresent, status != InterfaceStatus.ok else { return }
      let error = error(for: status)
      guard asksOnly, error.code == .unsupported else { throw error }
      result.refusal = error
    }
    if !asksOnly, result.isPresent { result.bytes = bytes }
    return result
  }
}
