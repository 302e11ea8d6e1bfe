// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// Files that are written frame by frame.

/// An `ic_writer`.
final class FrameWriter {
  let encoder: ImageEncoder
  let sink: Sink
  private let metadata: [MetadataKind: [UInt8]]
  private let pageCount: Int?
  private var added = 0

  init(
    _ registry: CoderRegistry, _ encoding: UnsafePointer<ic_encoding>?, to sink: UnsafePointer<ic_sink>?,
    cancellation: Cancellation?
  ) throws(CoderError) {
    let encoding = try Encoding(encoding, registry)
    self.sink = try Sink(sink)
    (metadata, pageCount) = (encoding.metadata, encoding.pageCount)
    encoder = try registry.makeEncoder(
      as: try encoding.format(at: self.sink, registry), to: self.sink.destination,
      options: try encoding.options(cancellation: cancellation), pageCount: pageCount ?? 1)
  }

  static func of(_ pointer: OpaquePointer) -> FrameWriter { object(pointer, as: FrameWriter.self) }

  func add(_ pixels: UnsafePointer<ic_pixels>) throws(CoderError) {
    let given = try Frame(pixels)
    if let pageCount, added == pageCount {
      throw .outOfOrder("ic_encoding.page_count is \(pageCount), and so many pages were added")
    }
    if pageCount != nil, added > 0 { try encoder.endPage() }
    // The encoder keeps a frame until it has seen the next one.
    var image = Image(try given.pixels.copy())
    image.metadata = metadata
    try encoder.add(image, delay: given.delay)
    added += 1
  }

  func finish() throws(CoderError) -> EncodedFile {
    if let pageCount, added < pageCount {
      throw .outOfOrder("ic_encoding.page_count is \(pageCount), and \(added) pages were added")
    }
    return try encoder.finish()
  }
}

@c @implementation
public func ic_writer_new(
  _ registry: OpaquePointer, _ encoding: UnsafePointer<ic_encoding>?, _ sink: UnsafePointer<ic_sink>?,
  _ cancel: OpaquePointer?, _ writer: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    writer.pointee = nil
    let cancellation = cancel.map { object($0, as: Cancellation.self) }
    writer.pointee = pointer(
      to: try FrameWriter(CoderRegistry.of(registry), encoding, to: sink, cancellation: cancellation))
    return nil
  }
}

@c @implementation
public func ic_writer_add(
  _ writer: OpaquePointer, _ pixels: UnsafePointer<ic_pixels>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try FrameWriter.of(writer).add(pixels)
    return nil
  }
}

@c @implementation
public func ic_writer_finish(
  _ writer: OpaquePointer, _ file: UnsafeMutablePointer<ic_bytes>?, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    let writer = FrameWriter.of(writer)
    try writer.sink.prepare(file)
    try file.fill(try writer.finish().bytes)
    return nil
  }
}

@c @implementation
public func ic_writer_free(_ writer: OpaquePointer?) { drop(writer, as: FrameWriter.self) }
