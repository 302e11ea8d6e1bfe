// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// What a file carries besides its picture.

extension OpenedFile {
  func part(_ number: UInt32) throws(CoderError) -> FilePart {
    let parts = parts()
    guard number >= 1, number <= parts.count else {
      throw .invalidArgument("part \(number) of \(parts.count): parts count from 1")
    }
    return parts[Int(number) - 1]
  }
}

@c @implementation
public func ic_file_parts(
  _ file: OpaquePointer, _ list: UnsafeMutablePointer<ic_bytes>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try list.clear()
    let file = OpenedFile.of(file)
    let report = FilePart.report(of: file.parts(), file: "-", format: file.decoder.header.format)
    try list.fill(ic_bytes(report.printed.utf8))
    return nil
  }
}

@c @implementation
public func ic_file_part(
  _ file: OpaquePointer, _ part: UInt32, _ bytes: UnsafeMutablePointer<ic_bytes>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try bytes.clear()
    let file = OpenedFile.of(file)
    let found = try file.registry.file(
      of: try file.part(part), in: file.decoder, cancellation: file.request.options.cancellation)
    try bytes.fill(ic_bytes(found))
    return nil
  }
}

@c @implementation
public func ic_file_open_part(
  _ file: OpaquePointer, _ part: UInt32, _ opened: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    opened.pointee = nil
    opened.pointee = pointer(to: try OpenedFile.of(file).opened(part: part))
    return nil
  }
}

extension OpenedFile {
  fileprivate func opened(part number: UInt32) throws(CoderError) -> OpenedFile {
    let part = try part(number)
    switch part.content {
    case .page(let index, _):
      return OpenedFile(try decoder.picture(ofPart: index), of: registry, in: source, with: request)
    case .bytes(let bytes):
      guard part.kind.isPicture else { break }
      var request = request
      request.options.page = nil
      let source = ByteSource.bytes(bytes)
      return OpenedFile(
        try registry.open(source, options: request.options), of: registry, in: source, with: request)
    case .words: break
    }
    throw .unsupported("part \(number), \(part.kind.rawValue), is no picture")
  }
}

extension FilePart.Kind {
  /// Whether it is decoded: blocks of metadata, videos and identifiers are not.
  fileprivate var isPicture: Bool {
    switch self {
    case .icc, .exif, .xmp, .iptc, .c2pa, .geotiff, .text, .video, .trailer, .livePhoto, .burst: false
    case .thumbnail, .gainMap, .depth, .disparity, .matte, .preview, .reduced, .overscan, .stereo, .page, .layer,
      .storedJPEG, .other:
      true
    }
  }
}
