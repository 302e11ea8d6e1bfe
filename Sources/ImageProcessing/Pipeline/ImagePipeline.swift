// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel

/// Operations one after the other, with a key that names what they do.
///
///     let card = ImagePipeline([.resize(.init(Size(width: 320, height: 200), .fill)), .round(.init(12))])
///     let image = try card.applied(to: try registry.decode("photo.jpg"))
///     cache[card.key + " " + name] = image
public struct ImagePipeline: Sendable, Hashable {
  /// The first is done first.
  public var operations: [ImageOperation]

  /// Makes a pipeline; without operations it changes nothing.
  public init(_ operations: [ImageOperation] = []) { self.operations = operations }

  /// The version of the operations. It grows when one of them gives other samples than before.
  public static let version = 2

  /// Names what is done, with every number: the same picture and the same key give the same samples, today and in later
  /// versions of this library.
  ///
  /// The key is ``version``, a bar, and the operations in their one spelling (see ``ImageOperation/init(parsing:pictures:)``)
  /// with bars between: `2|resize:320x200,fill,center|round:12`. What changes nothing, such as a turn by 0°, is not in it.
  public var key: String {
    (["\(Self.version)"] + operations.filter { !$0.isIdentity }.map(\.description)).joined(separator: "|")
  }

  /// Reads operations with bars between, with or without the version before them.
  ///
  /// - Parameter pictures: Gives the picture of an overlay by its name.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a text that is no pipeline; ``CoderError/Code/unsupported`` for
  ///   another version; what `pictures` throws.
  public init(
    parsing text: String, pictures: ((String) throws(CoderError) -> PixelBuffer)? = nil
  ) throws(CoderError) {
    var words = text.split(separator: "|", omittingEmptySubsequences: false)
    if let first = words.first, let version = Int(first) {
      guard version == Self.version else {
        throw .unsupported("operations of version \(version); \(Self.version) is known")
      }
      words.removeFirst()
    } else if text.isEmpty {
      words = []
    }
    operations = []
    for word in words { operations.append(try ImageOperation(parsing: String(word), pictures: pictures)) }
  }

  /// The size of the result for a picture of `size`.
  ///
  /// - Throws: As ``ImageOperation/size(of:limits:)``, for each step.
  public func size(of size: Size, limits: Limits = .standard) throws(CoderError) -> Size {
    var size = size
    for operation in operations { size = try operation.size(of: size, limits: limits) }
    return size
  }

  /// The changed picture; it may be the given buffer where nothing changes.
  ///
  /// - Parameters:
  ///   - pixels: Upright. It is not changed.
  ///   - limits: Checked for all steps before the first is done.
  /// - Throws: As ``ImageOperation/applied(to:limits:)``.
  @available(*, noasync, message: "this blocks a thread: await pipeline.async.applied(…)")
  public func applied(to pixels: PixelBuffer, limits: Limits = .standard) throws(CoderError) -> PixelBuffer {
    try applied(to: pixels, limits: limits, stoppedBy: nil)
  }

  /// - Parameter cancellation: Is looked at before each operation.
  func applied(
    to pixels: PixelBuffer, limits: Limits, stoppedBy cancellation: Cancellation?
  ) throws(CoderError) -> PixelBuffer {
    _ = try size(of: pixels.size, limits: limits)
    var pixels = pixels
    for operation in operations {
      if cancellation?.isCancelled ?? false { throw .cancelled }
      pixels = try operation.applied(to: pixels, limits: limits)
    }
    return pixels
  }

  /// The changed image: every frame of an animation, whose delays, loops and metadata stay. An orientation that still has
  /// to be applied is applied first.
  ///
  /// - Throws: As ``applied(to:limits:)-(PixelBuffer,_)``; ``CoderError/Code/limitExceeded`` also for frames that are too
  ///   many pixels together.
  @available(*, noasync, message: "this blocks a thread: await pipeline.async.applied(…)")
  public func applied(to image: Image, limits: Limits = .standard) throws(CoderError) -> Image {
    try applied(to: image, limits: limits, stoppedBy: nil)
  }

  func applied(
    to image: Image, limits: Limits, stoppedBy cancellation: Cancellation?
  ) throws(CoderError) -> Image {
    var image = image
    let size = try size(of: image.orientation.displayed(image.size), limits: limits)
    try limits.check(frames: image.frames.count, of: size)
    for index in image.frames.indices {
      let upright = try image.frames[index].pixels.oriented(by: image.orientation)
      image.frames[index].pixels = try applied(to: upright, limits: limits, stoppedBy: cancellation)
    }
    image.orientation = .up
    return image
  }
}
