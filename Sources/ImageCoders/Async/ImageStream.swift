// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
import ImageCoderModel

/// An image at one moment while its bytes arrive.
public struct ImageUpdate: Sendable {
  /// All complete frames, and the decoded rows of the next one; missing rows are transparent. The last one of the
  /// sequence is the final image, with ``Image/problem`` if the bytes ended too early.
  public let image: Image
  /// How much of it has been decoded.
  public let progress: IncrementalProgress
  /// Whether all bytes have arrived.
  public let isFinal: Bool
}

/// Looks at an image whose bytes arrive over time; see ``AsyncCoderRegistry/images(arriving:options:showing:)``.
///
/// - Threads: Iterate in one task at a time.
public struct ImageStream<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element: Sequence<UInt8> {
  /// What there is at one moment.
  public typealias Element = ImageUpdate
  /// What the chunks throw, or ``CoderError``.
  public typealias Failure = any Error

  let registry: CoderRegistry
  let chunks: Chunks
  let options: DecodeOptions
  let policy: PartialPicturePolicy

  /// Begins with the first chunk.
  public func makeAsyncIterator() -> Iterator { Iterator(chunks: chunks.makeAsyncIterator(), images: self) }

  private func makeDecoder() async throws(CoderError) -> LanedObject<ArrivingDecoder> {
    let (registry, options, policy) = (registry, options, policy)
    return try await LanedObject(within: options.cancellation) { (cancellation) throws(CoderError) in
      ArrivingDecoder(registry.makeIncrementalDecoder(options: options.stopped(by: cancellation)), policy)
    }
  }

  /// Where the bytes are.
  public struct Iterator: AsyncIteratorProtocol {
    private var chunks: Chunks.AsyncIterator
    private let images: ImageStream
    /// Made with the first chunk.
    private var decoder: LanedObject<ArrivingDecoder>?
    private var isOver = false

    init(chunks: Chunks.AsyncIterator, images: ImageStream) {
      self.chunks = chunks
      self.images = images
    }

    /// The next look, or nil after the final image.
    ///
    /// - Throws: What the chunks throw; ``CoderError``, if not a single row can be decoded.
    public mutating func next() async throws -> ImageUpdate? {
      while !isOver {
        let chunk = try await chunks.next()
        if decoder == nil { decoder = try await images.makeDecoder() }
        guard let decoder else { return nil }
        guard let bytes = chunk.map({ Array($0) }) else {
          isOver = true
          return try await decoder.use { (decoder) throws(CoderError) in try decoder.finish() }
        }
        let look = try await decoder.use { (decoder) throws(CoderError) in try decoder.append(bytes) }
        if let look { return look }
      }
      return nil
    }
  }
}

/// Decodes what arrives, and says what is to be shown of it.
final class ArrivingDecoder {
  private let decoder: IncrementalDecoder
  private var policy: PartialPicturePolicy
  private let start = ContinuousClock.now

  init(_ decoder: IncrementalDecoder, _ policy: PartialPicturePolicy) {
    self.decoder = decoder
    self.policy = policy
  }

  func append(_ bytes: [UInt8]) throws(CoderError) -> ImageUpdate? {
    try decoder.append(bytes)
    let progress = decoder.progress
    guard policy.shows(progress, at: ContinuousClock.now - start),
      let image = try decoder.picture(blur: policy.blur)
    else { return nil }
    return ImageUpdate(image: image, progress: progress, isFinal: false)
  }

  func finish() throws(CoderError) -> ImageUpdate {
    let image = try decoder.finish()
    return ImageUpdate(image: image, progress: decoder.progress, isFinal: true)
  }
}

extension AsyncCoderRegistry {
  /// Decodes an image while its bytes arrive.
  ///
  ///     for try await look in registry.async.images(arriving: response.body) { view.show(look.image) }
  ///
  /// Any number may arrive at the same time: the number of threads does not grow with them.
  ///
  /// - Parameters:
  ///   - chunks: The bytes, in pieces of any size.
  ///   - policy: Which changes are shown. The final image always is.
  /// - Returns: What there is after each change, and at the end the final image.
  public func images<Chunks: AsyncSequence>(
    arriving chunks: Chunks, options: DecodeOptions = DecodeOptions(),
    showing policy: PartialPicturePolicy = PartialPicturePolicy()
  ) -> ImageStream<Chunks> where Chunks.Element: Sequence<UInt8> {
    ImageStream(registry: registry, chunks: chunks, options: options, policy: policy)
  }
}
