// SPDX-License-Identifier: Apache-2.0

import CChecking
import CImageCoder
import CImageCoderStructs
import ImageCoderModel
import ImageCoders

/// An operation on a whole file, and how the host behaves.
struct TestOperation {
  var name: String
  var from: String
  var to: String
  var values: [TestValue] = []
  /// Which call of the output fails, from 1; 0 for none.
  var failedOutput: UInt64 = 0
}

/// What an operation gave.
struct Operated {
  var status: UInt32
  var message: String
  var isReported: Bool
  var bytes: [UInt8] = []
  var outputCalls: UInt64 = 0
  var outputCallsAfterFailure: UInt64 = 0

  var inWords: String { status < 0x10 ? Status.name(status) : "\(Status.name(status)): \(message)" }
}

/// An operation of the coder for files of one of its own formats.
struct OwnOperation {
  let kind: DescribedOperation
  let operation: TestOperation

  var takesOut: Bool { kind.flags & UInt32(IMGCODER_OPERATION_TAKES_OUT) != 0 }
}

extension LoadedCoder {
  /// The table of operations on whole files, or nil.
  var operations: imgcoder_file_operations_table? {
    pointer(IMGCODER_EXTENSION_FILE_OPERATIONS).map {
      imgcoder_file_operations_table_read($0.assumingMemoryBound(to: imgcoder_file_operations_table.self))
    }
  }

  /// The table of the extension of version 1.0, or nil.
  var transcoder: imgcoder_transcode_table? {
    pointer(IMGCODER_EXTENSION_TRANSCODE).map {
      imgcoder_transcode_table_read($0.assumingMemoryBound(to: imgcoder_transcode_table.self))
    }
  }

  /// The operations that the coder describes; no more than 1024, and none at a null address.
  var operationKinds: [DescribedOperation] {
    guard let table = operations, let list = table.kinds else { return [] }
    return (0..<Int(min(table.kind_count, 1024))).compactMap { list[$0].map { DescribedOperation($0) } }
  }

  private func pointer(_ id: String) -> UnsafeRawPointer? {
    coder.get_extension.flatMap { call in id.withCheckedString { call(raw, $0) } }
  }
}

/// An operation as this side knows it, in lists for the same reason as a ``DescribedOption``.
struct DescribedOperation {
  let flags: UInt32
  let name: imgcoder_string
  let text: imgcoder_string
  private let from: UnsafePointer<imgcoder_string>?
  private let to: UnsafePointer<imgcoder_string>?
  private let formatCount: UInt64
  private let options: UnsafePointer<UnsafePointer<imgcoder_option>?>?
  private let optionCount: UInt64
  private let blocks: UnsafePointer<imgcoder_string>?
  private let blockCount: UInt64

  init(_ kind: UnsafePointer<imgcoder_operation_kind>) {
    let raw = imgcoder_operation_kind_read(kind)
    (flags, name, text) = (raw.flags, raw.name, raw.text)
    (from, to, formatCount) = (raw.from, raw.to, raw.format_count)
    (options, optionCount) = (raw.options, raw.option_count)
    (blocks, blockCount) = (raw.blocks, raw.block_count)
  }

  /// The values that it takes.
  var described: [DescribedOption] {
    guard let options else { return [] }
    return (0..<Int(min(optionCount, 1024))).compactMap { options[$0].map { DescribedOption($0) } }
  }

  /// Pairs of formats.
  var formats: [(from: String, to: String)] {
    guard let from else { return [] }
    return (0..<Int(min(formatCount, 1024))).map { index in
      let source = LoadedCoder.text(from[index]) ?? "?"
      return (source, to.map { LoadedCoder.text($0[index]) ?? "?" } ?? source)
    }
  }

  /// The names of the blocks that it takes.
  var blockNames: [String] {
    guard let blocks else { return [] }
    return (0..<Int(min(blockCount, 1024))).map { LoadedCoder.text(blocks[$0]) ?? "?" }
  }
}

extension CheckSubject {
  /// The coder's operations for a file of its own formats, one for each format of a new file.
  func operations(for sample: Sample) throws(CheckEnd) -> [OwnOperation] {
    let manifest = try manifest
    let format = manifest.formats.first { $0.signatures.contains { $0.isIn(sample.bytes) } } ?? manifest.formats[0]
    return try coder.operationKinds.flatMap { kind in
      kind.formats.filter { $0.from == format.format.rawValue }.map { pair in
        OwnOperation(
          kind: kind,
          operation: TestOperation(name: LoadedCoder.text(kind.name) ?? "", from: pair.from, to: pair.to))
      }
    }
  }

  /// Skips a check of a coder without operations.
  func requireOperations() throws(CheckEnd) {
    guard let table = try coder.operations, table.kind_count > 0 else { throw .skipped("the coder has no operations") }
    guard table.run != nil else { throw .failed("run of the operations", expected: "a function", found: "null") }
  }

  /// Asks whether an operation would work, or nil if the coder does not say.
  func ask(_ operation: TestOperation, of bytes: [UInt8], _ name: String) throws(CheckEnd) -> Operated? {
    guard let call = try coder.operations?.can else { return nil }
    return try perform(operation, on: bytes, name: "\(name), asked") { (coder, host, source, raw, _, facts) in
      call(coder, host, source, raw, facts)
    }
  }

  /// Runs an operation.
  func operate(_ operation: TestOperation, on bytes: [UInt8], _ name: String) throws(CheckEnd) -> Operated {
    guard let call = try coder.operations?.run else { throw .skipped("the coder has no operations") }
    return try perform(operation, on: bytes, name: name, call)
  }

  private typealias Call = (
    UnsafePointer<imgcoder_coder>?, UnsafePointer<imgcoder_host>?, UnsafePointer<imgcoder_source>?,
    UnsafePointer<imgcoder_operation>?, UnsafePointer<imgcoder_output>?, UnsafePointer<imgcoder_properties>?
  ) -> UInt32

  private func perform(
    _ operation: TestOperation, on bytes: [UInt8], name: String, _ call: Call
  ) throws(CheckEnd) -> Operated {
    stage(name)
    let session = HostSessionProbe()
    let source = checking_source_new(session.session, bytes, UInt64(bytes.count), 0)!
    let output = checking_output_new(session.session, operation.failedOutput)!
    let facts = checking_properties_new(session.session)!
    defer {
      checking_properties_end(facts)
      checking_output_end(output)
      checking_source_end(source)
    }
    let coder = try coder.raw
    let arguments = CallArguments(session)
    let status = withExtendedLifetime(arguments) {
      arguments.values(operation.values).withUnsafeBufferPointer { values in
        var raw = imgcoder_operation_sized()
        raw.name = arguments.text(operation.name)
        (raw.from, raw.to) = (arguments.text(operation.from), arguments.text(operation.to))
        (raw.values, raw.value_count) = (values.baseAddress, UInt64(values.count))
        return call(
          coder, session.host, source.pointee.source, arguments.pointer(raw, "imgcoder_operation"),
          output.pointee.output, facts.pointee.properties)
      }
    }
    try verify(session, name)
    let record = session.record
    let made = UnsafeBufferPointer(start: output.pointee.bytes, count: Int(output.pointee.size))
    let result = Operated(
      status: status, message: session.message, isReported: record.fail_calls > 0, bytes: Array(made),
      outputCalls: output.pointee.calls, outputCallsAfterFailure: output.pointee.calls_after_failure)
    guard try self.coder.isKnown(status), status != Status.needMore else {
      throw .failed(name, expected: "a status of types.h", found: Status.name(status), rule: .r16)
    }
    guard record.live_bytes == 0 else {
      throw .failed(name, expected: "no memory of the host left", found: "\(record.live_bytes) bytes", rule: .r13)
    }
    return result
  }
}
