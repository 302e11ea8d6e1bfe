// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// Files that are made of other files.

@c @implementation
public func ic_convert(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ encoding: UnsafePointer<ic_encoding>?, _ sink: UnsafePointer<ic_sink>?, _ file: UnsafeMutablePointer<ic_bytes>?,
  _ report: UnsafeMutablePointer<ic_bytes>?, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    let sink = try Sink(sink)
    try sink.prepare(file)
    try report?.clear()
    let registry = CoderRegistry.of(registry)
    let encoding = try Encoding(encoding, registry)
    var reading = try Request(request, registry, firstFrameOnly: false).options
    (reading.color, reading.pixelFormat) = (.asStored, nil)
    var options = try encoding.options(cancellation: reading.cancellation)
    options.limits = reading.limits
    options.isStrict = reading.isStrict
    options.preservesOrientation = !reading.appliesOrientation
    var problem: CoderError?
    let made = try registry.convert(
      try ByteSource(source), to: try encoding.format(at: sink, registry), at: sink.destination, options: options,
      reading: reading
    ) { problem = problem ?? $0 }
    try file.fill(made.bytes, problem: problem)
    try report.fill(made.report(named: sink.name))
    return problem
  }
}

@c @implementation
public func ic_operate(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ operation: UnsafePointer<CChar>, _ sink: UnsafePointer<ic_sink>?, _ file: UnsafeMutablePointer<ic_bytes>?,
  _ report: UnsafeMutablePointer<ic_bytes>?, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    let sink = try Sink(sink)
    try sink.prepare(file)
    try report?.clear()
    let registry = CoderRegistry.of(registry)
    var reading = try Request(request, registry, firstFrameOnly: false).options
    (reading.color, reading.pixelFormat, reading.size, reading.page) = (.asStored, nil, .own, nil)
    let source = try ByteSource(source)
    switch try WholeFileWork(String(cString: operation), registry) {
    case .edit(let edit):
      let made = try registry.editMetadata(source, edit, at: sink.destination, reading: reading)
      try file.fill(made.bytes)
      try report.fill(made.report(named: sink.name))
    case .apply(let operation, let format):
      let applied = try registry.apply(operation, to: source, as: format, at: sink.destination, reading: reading)
      guard let made = applied.file else {
        throw .unsupported("the file has nothing that \(operation.name) takes out")
      }
      var said = OperationReport(of: operation.name, input: source.name, file: sink.name)
      (said.coder, said.facts, said.byteCount) = (applied.coder, applied.facts, made.byteCount)
      try file.fill(made.bytes)
      try report.fill(said.json.printed.utf8)
    }
    return nil
  }
}

extension UnsafeMutablePointer<ic_bytes>? {
  /// Fills the struct with a report, if there is one.
  fileprivate func fill(_ members: [String: JSONValue]) throws(CoderError) {
    try fill(JSONValue.object(members.merging(["schema": .integer(1)]) { $1 }).printed.utf8)
  }
}
