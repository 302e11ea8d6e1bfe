// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// Files whose pictures are read in one call.

@c @implementation
public func ic_probe(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ info: UnsafeMutablePointer<ic_info>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try CoderRegistry.of(registry).probe(source, with: request, into: info)
    return nil
  }
}

@c @implementation
public func ic_decode(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ pixels: UnsafeMutablePointer<ic_pixels>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in try CoderRegistry.of(registry).decode(source, with: request, into: pixels) }
}

@c @implementation
public func ic_thumbnail(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ encoding: UnsafePointer<ic_encoding>?, _ file: UnsafeMutablePointer<ic_bytes>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try CoderRegistry.of(registry).makeThumbnail(of: source, with: request, as: encoding, into: file)
  }
}

extension CoderRegistry {
  func probe(
    _ source: UnsafePointer<ic_source>, with request: UnsafePointer<ic_request>?,
    into info: UnsafeMutablePointer<ic_info>,
    cancellation: Cancellation? = nil
  ) throws(CoderError) {
    try info.clear()
    let request = try Request(request, self, cancellation: cancellation)
    try info.fill(ic_info(try header(of: try ByteSource(source), options: request.options), of: self))
  }

  /// - Returns: What is missing of the picture.
  func decode(
    _ source: UnsafePointer<ic_source>, with request: UnsafePointer<ic_request>?,
    into pixels: UnsafeMutablePointer<ic_pixels>, cancellation: Cancellation? = nil
  ) throws(CoderError) -> CoderError? {
    try pixels.clear()
    var request = try Request(request, self, cancellation: cancellation)
    request.options.metadata = []
    let image = try decode(try ByteSource(source), options: request.options)
    try pixels.fill(try request.give(image.pixels, problem: image.problem))
    return image.problem
  }

  /// - Returns: What is missing of the picture.
  func makeThumbnail(
    of source: UnsafePointer<ic_source>, with request: UnsafePointer<ic_request>?,
    as encoding: UnsafePointer<ic_encoding>?, into file: UnsafeMutablePointer<ic_bytes>,
    cancellation: Cancellation? = nil
  ) throws(CoderError) -> CoderError? {
    try file.clear()
    var reading = try Request(request, self, cancellation: cancellation).options
    reading.pixelFormat = nil
    let given = try Encoding(encoding, self)
    var preset = ThumbnailPreset(size: Size(width: 256, height: 256), format: given.format)
    if case .fitting(let box, let mode) = reading.size { (preset.size, preset.mode) = (box, mode) }
    try given.apply(to: &preset.output)
    var problem: CoderError?
    let made = try makeThumbnail(of: try ByteSource(source), preset, reading: reading) { problem = $0 }
    try file.fill(ic_bytes(made.bytes, problem: problem))
    return problem
  }
}
