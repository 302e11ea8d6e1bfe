// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Testing

/// What a coder writes that is only asked is dropped; all else is as if it were kept.
@Suite struct OperationResultTests {
  private static func result(
    _ limits: Limits, _ cancellation: Cancellation? = nil, asksOnly: Bool,
    writing body: (ByteOutput) throws(CoderError) -> Void
  ) throws(CoderError) -> OperationResult {
    let session = HostSession(source: nil, limits: limits, cancellation: cancellation)
    return try session.result(asksOnly: asksOnly) { (output) throws(CoderError) in
      do throws(CoderError) { try body(output) } catch { return (error.code.rawValue, Properties()) }
      return (0, Properties())
    }
  }

  @Test(arguments: [false, true]) func theOutputIsBounded(asksOnly: Bool) throws {
    var limits = Limits()
    limits.maxMemory = 4
    let fits = try Self.result(limits, asksOnly: asksOnly) { (output) throws(CoderError) in
      try output.write([1, 2, 3, 4])
      try output.patch([9], at: 3)
    }
    #expect(fits.bytes == (asksOnly ? nil : [1, 2, 3, 9]))
    let large = #expect(throws: CoderError.self) {
      try Self.result(limits, asksOnly: asksOnly) { (output) throws(CoderError) in
        for _ in 0..<5 { try output.write([1]) }
      }
    }
    #expect(large?.limit == .maxMemory)
    #expect(large?.found == 5)
    let beyond = #expect(throws: CoderError.self) {
      try Self.result(limits, asksOnly: asksOnly) { (output) throws(CoderError) in
        try output.write([1, 2])
        try output.patch([9], at: 2)
      }
    }
    #expect(beyond?.message == "the writer changes 1 bytes at 2 of 2")
  }

  @Test(arguments: [false, true]) func theOutputEndsWithTheCall(asksOnly: Bool) {
    let cancellation = Cancellation()
    let error = #expect(throws: CoderError.self) {
      try Self.result(Limits(), cancellation, asksOnly: asksOnly) { (output) throws(CoderError) in
        try output.write([1])
        cancellation.cancel()
        try output.write([2])
      }
    }
    #expect(error?.code == .cancelled)
  }
}
