// SPDX-License-Identifier: Apache-2.0

/// The coder of every container, animated or not.
///
/// All that animated formats share lives here and below, once: loop counts, delays, first-frame-only, access to
/// frames, compositing, thumbnails of frames, growth while bytes arrive, the encode loop. A format differs by its
/// ``ContainerNames``, which say under which names its properties are kept and which loop count holds when a file says
/// nothing, and by its reader and writer.
///
/// - Threads: Safe from every thread.
public final class AnimatedCoder: ImageCoder {
  public let container: any Container

  /// How pages that are files of another format are opened when the options do not say.
  private let openEmbedded: EmbeddedFileOpener?

  public convenience init(_ container: any Container) { self.init(container, openEmbedded: nil) }

  package init(_ container: any Container, openEmbedded: EmbeddedFileOpener?) {
    self.container = container
    self.openEmbedded = openEmbedded
  }

  public var id: String { container.id }
  public var formats: [ImageFormat] { container.formats }

  public func canDecode(_ prefix: UnsafeRawBufferPointer, isComplete: Bool) -> Recognition {
    guard container.canRead else { return .no }
    var answer = Recognition.no
    for signature in container.signatures {
      switch (signature.matches(prefix, isComplete: isComplete), answer) {
      case (.yes(let new), .yes(let old)): answer = .yes(strength: max(new, old))
      case (.yes(let new), _): answer = .yes(strength: new)
      case (.needMore(let new), .needMore(let old)): answer = .needMore(bytes: min(new, old))
      case (.needMore(let new), .no): answer = .needMore(bytes: new)
      default: break
      }
    }
    return answer
  }

  public func makeDecoder(_ source: OpenSource, options: DecodeOptions) throws(CoderError) -> ImageDecoder {
    var options = options
    options.openEmbedded = options.openEmbedded ?? openEmbedded
    return try ImageDecoder(container, source: source, options: options)
  }

  public func makeIncrementalDecoder(options: DecodeOptions) -> IncrementalDecoder {
    IncrementalDecoder(options: options) { (_) throws(CoderError) in
      nil
    } body: { (source, options) throws(CoderError) in
      try self.makeDecoder(source, options: options).image()
    }
  }

  public func canEncode(_ format: ImageFormat) -> Bool { container.canWrite && formats.contains(format) }

  public func encode(_ pages: [Image], as format: ImageFormat, options: EncodeOptions) throws(CoderError) -> [UInt8] {
    guard canEncode(format) else { throw .noCoder("\(id) does not write \(format)") }
    do throws(CoderError) {
      return try EncodeRun(container, pages: pages, format: format, options: options).bytes()
    } catch {
      throw error.attributed(to: id)
    }
  }
}
