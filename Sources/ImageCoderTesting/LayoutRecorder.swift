// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel
import Synchronization

/// A coder's container that remembers in which layout its writer wanted the pixels.
final class LayoutRecorder: Container {
  /// What a writer said when it was asked for a layout.
  enum Answer: Sendable {
    case notAsked
    /// The wanted layout, or the nearest that the writer takes.
    case takes(PixelLayout)
    /// It threw an error.
    case refuses

    /// Whether the writer said that it keeps each sample of a layout, or said nothing against it.
    func takes(_ layout: PixelLayout) -> Bool {
      switch self {
      case .notAsked: true
      case .takes(let answer): answer.keepsSamples(of: layout)
      case .refuses: false
      }
    }
  }

  private let container: any Container
  private let answer = Mutex<Answer>(.notAsked)

  init(_ container: any Container) { self.container = container }

  /// The answer to the last page that was begun.
  var lastAnswer: Answer { answer.withLock { $0 } }

  var id: String { container.id }
  var formats: [ImageFormat] { container.formats }
  var names: ContainerPropertyNames? { container.names }
  var options: [OptionDescription] { container.options }
  var readOptions: [OptionDescription] { container.readOptions }
  var signatures: [FormatSignature] { container.signatures }
  var canRead: Bool { container.canRead }
  var canWrite: Bool { container.canWrite }
  var writesPages: Bool { container.writesPages }
  var writerFeatures: WriterFeatures { container.writerFeatures }
  var readsIncrementally: Bool { container.readsIncrementally }

  func openReader(_ session: HostSession, options: OpenOptions) throws(CoderError) -> any ReaderSession {
    try container.openReader(session, options: options)
  }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession {
    Writer(try container.openWriter(session, output: output, options: options), of: self)
  }

  private final class Writer: WriterSession {
    private let writer: any WriterSession
    private let recorder: LayoutRecorder

    init(_ writer: any WriterSession, of recorder: LayoutRecorder) {
      self.writer = writer
      self.recorder = recorder
    }

    func layout(for wanted: PixelLayout) throws(CoderError) -> PixelLayout {
      recorder.answer.withLock { $0 = .refuses }
      let layout = try writer.layout(for: wanted)
      recorder.answer.withLock { $0 = .takes(layout) }
      return layout
    }

    func setHeader(_ header: ImageHeader) throws(CoderError) { try writer.setHeader(header) }
    func add(_ metadata: [UInt8], as kind: MetadataKind) throws(CoderError) { try writer.add(metadata, as: kind) }
    func addThumbnail(_ pixels: PixelView) throws(CoderError) { try writer.addThumbnail(pixels) }
    func add(_ pixels: PixelView, frame: FrameHeader) throws(CoderError) { try writer.add(pixels, frame: frame) }
    func finish() throws(CoderError) { try writer.finish() }
  }
}

extension PixelLayout {
  /// Whether pixels of another layout can be converted to this one and back without a change.
  func keepsSamples(of other: PixelLayout) -> Bool {
    guard format.isFloat == other.format.isFloat, format.bytesPerChannel >= other.format.bytesPerChannel else {
      return false
    }
    let keepsColors = !format.isGray || other.format.isGray
    let keepsAlpha = other.alpha == .opaque || (format.hasAlpha && alpha == other.alpha)
    return keepsColors && keepsAlpha
  }
}
