// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCoders

// Files that arrive piece by piece.

/// An `ic_feed`.
final class Feed {
  let decoder: IncrementalDecoder
  let (registry, request): (CoderRegistry, Request)

  init(_ registry: CoderRegistry, _ request: Request) {
    (self.registry, self.request) = (registry, request)
    decoder = registry.makeIncrementalDecoder(options: request.options)
  }

  static func of(_ pointer: OpaquePointer) -> Feed { object(pointer, as: Feed.self) }
}

@c @implementation
public func ic_feed_new(
  _ registry: OpaquePointer, _ request: UnsafePointer<ic_request>?, _ feed: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    feed.pointee = nil
    let registry = CoderRegistry.of(registry)
    feed.pointee = pointer(to: Feed(registry, try Request(request, registry)))
    return nil
  }
}

@c @implementation
public func ic_feed_append(
  _ feed: OpaquePointer, _ bytes: UnsafeRawPointer?, _ count: UInt64, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    guard let size = Int(exactly: count), bytes != nil || count == 0 else {
      throw .invalidArgument("\(count) bytes are no memory")
    }
    if size > 0 { try Feed.of(feed).decoder.append(UnsafeRawBufferPointer(start: bytes, count: size)) }
    return nil
  }
}

@c @implementation
public func ic_feed_info(
  _ feed: OpaquePointer, _ info: UnsafeMutablePointer<ic_info>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try info.clear()
    let feed = Feed.of(feed)
    if let header = feed.decoder.header { try info.fill(ic_info(header, of: feed.registry)) }
    return nil
  }
}

@c @implementation
public func ic_feed_look(
  _ feed: OpaquePointer, _ pixels: UnsafeMutablePointer<ic_pixels>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try pixels.clear()
    let feed = Feed.of(feed)
    if let image = try feed.decoder.picture() {
      try pixels.fill(try feed.request.give(image.pixels, problem: image.problem))
    }
    return nil
  }
}

@c @implementation
public func ic_feed_finish(
  _ feed: OpaquePointer, _ pixels: UnsafeMutablePointer<ic_pixels>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try pixels.clear()
    let feed = Feed.of(feed)
    let image = try feed.decoder.finish()
    try pixels.fill(try feed.request.give(image.pixels, problem: image.problem))
    return image.problem
  }
}

@c @implementation
public func ic_feed_free(_ feed: OpaquePointer?) { drop(feed, as: Feed.self) }
