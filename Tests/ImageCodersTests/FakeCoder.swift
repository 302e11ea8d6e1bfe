// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import ImageCoders
import TestSupport

/// A coder of the application's own: its files begin with its letters, and it answers as it was told to.
struct FakeCoder {
  /// An animated coder over a container that opens every file with the reader of an outcome.
  static func make(
    _ id: String, letters: String = "fake", format: String = "org.example.fake", _ outcome: CoderError.Code? = nil
  ) -> AnimatedCoder {
    AnimatedCoder(
      SwiftContainer(
        id: id, formats: [ImageFormat(rawValue: format)], signatures: [FormatSignature(Array(letters.utf8))],
        reader: reader(outcome), writer: nil))
  }

  /// A registry of such coders alone, registered one after another.
  static func registry(_ coders: [AnimatedCoder], priorities: [String: Int] = [:]) -> CoderRegistry {
    let registry = CoderRegistry(searchPath: PluginFolder.searchPath([]), preferences: CoderPreferences())
    for coder in coders { registry.register(coder, priority: priorities[coder.id]) }
    return registry
  }

  static let file = ByteSource.bytes(Array("fake file".utf8))

  private static func reader(_ outcome: CoderError.Code?) -> any ContainerReader.Type {
    switch outcome {
    case nil: Reads.self
    case .wrongFormat?: Wrong.self
    case .unsupported?: Unsupported.self
    case .malformed?: Malformed.self
    case .truncated?: Truncated.self
    case .limitExceeded?: Limited.self
    case .cancelled?: Cancelled.self
    default: preconditionFailure("no reader fails with \(outcome as Any)")
    }
  }

  final class Reads: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {}
  }
  private final class Wrong: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      throw .wrongFormat("not mine")
    }
  }
  private final class Unsupported: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      throw .unsupported("too new")
    }
  }
  private final class Malformed: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) { throw .malformed("broken") }
  }
  private final class Truncated: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) { throw .truncated("cut") }
  }
  private final class Limited: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
      throw .limitExceeded(.maxPixels, found: 2, allowed: 1, what: "pixels of")
    }
  }
  private final class Cancelled: Reader, ContainerReader {
    init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) { throw .cancelled }
  }

  /// One gray pixel.
  class Reader: ReaderSession {
    func header(page: Int) throws(CoderError) -> ImageHeader {
      ImageHeader(
        format: ImageFormat(rawValue: "org.example.fake"), canvas: Size(width: 1, height: 1), pixelFormat: .gray8,
        bitsPerChannel: 8, alpha: .opaque)
    }

    func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
      DecodeOffer(request, size: Size(width: 1, height: 1), pixelFormat: .gray8, alpha: .opaque)
    }

    func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
      try sink.rows(at: 0).base.storeBytes(of: 9, as: UInt8.self)
      try sink.done(at: 0)
    }
  }
}
