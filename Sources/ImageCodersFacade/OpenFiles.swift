// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// Files that stay open: frames, pages, metadata.

/// An `ic_file`.
final class OpenedFile {
  let decoder: ImageDecoder
  /// What its formats are called, where its bytes come from, and how its frames are given.
  let (registry, source, request): (CoderRegistry, ByteSource, Request)
  /// Looked for when somebody asks.
  private var found: [FilePart]?

  init(_ decoder: ImageDecoder, of registry: CoderRegistry, in source: ByteSource, with request: Request) {
    (self.decoder, self.registry, self.source, self.request) = (decoder, registry, source, request)
  }

  /// What the file carries besides its picture.
  func parts() -> [FilePart] {
    let parts = found ?? registry.parts(of: decoder, in: source, request.options)
    found = parts
    return parts
  }

  static func of(_ pointer: OpaquePointer) -> OpenedFile { object(pointer, as: OpenedFile.self) }
}

@c @implementation
public func ic_open(
  _ registry: OpaquePointer, _ source: UnsafePointer<ic_source>, _ request: UnsafePointer<ic_request>?,
  _ file: UnsafeMutablePointer<OpaquePointer?>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    file.pointee = nil
    let registry = CoderRegistry.of(registry)
    let request = try Request(request, registry, firstFrameOnly: false)
    // Parts read it again.
    let source = try registry.rereadable(try ByteSource(source), request.options)
    let decoder = try registry.open(source, options: request.options)
    file.pointee = pointer(to: OpenedFile(decoder, of: registry, in: source, with: request))
    return nil
  }
}

@c @implementation
public func ic_file_info(
  _ file: OpaquePointer, _ info: UnsafeMutablePointer<ic_info>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    let file = OpenedFile.of(file)
    var filled = ic_info(file.decoder.header, of: file.registry)
    filled.frames = UInt32(clamping: file.decoder.frameCount)
    try info.fill(filled)
    return nil
  }
}

@c @implementation
public func ic_file_frame(
  _ file: OpaquePointer, _ index: UInt32, _ pixels: UnsafeMutablePointer<ic_pixels>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try pixels.clear()
    let file = OpenedFile.of(file)
    let frame = try file.decoder.frame(at: Int(index))
    var given = try file.request.give(frame.pixels, problem: frame.problem)
    (given.delay_numerator, given.delay_denominator) = (frame.delay.numerator, frame.delay.denominator)
    try pixels.fill(given)
    return frame.problem
  }
}

@c @implementation
public func ic_file_page(
  _ file: OpaquePointer, _ page: UInt32, _ opened: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    opened.pointee = nil
    guard page > 0 else { throw .invalidArgument("pages count from 1") }
    let file = OpenedFile.of(file)
    let decoder = try file.decoder.page(Int(page) - 1)
    opened.pointee = pointer(to: OpenedFile(decoder, of: file.registry, in: file.source, with: file.request))
    return nil
  }
}

@c @implementation
public func ic_file_metadata(
  _ file: OpaquePointer, _ kind: UInt32, _ payload: UnsafeMutablePointer<ic_bytes>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try payload.clear()
    guard let kind = MetadataKind(rawValue: kind) else { throw .invalidArgument("\(kind) is no kind of metadata") }
    try payload.fill(ic_bytes(try OpenedFile.of(file).decoder.metadata(kind) ?? []))
    return nil
  }
}

@c @implementation
public func ic_file_properties(
  _ file: OpaquePointer, _ text: UnsafeMutablePointer<ic_bytes>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try text.clear()
    try text.fill(ic_bytes(try OpenedFile.of(file).decoder.properties().json.utf8))
    return nil
  }
}

@c @implementation
public func ic_file_close(_ file: OpaquePointer?) { drop(file, as: OpenedFile.self) }
