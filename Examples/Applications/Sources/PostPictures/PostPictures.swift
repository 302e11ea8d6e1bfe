// SPDX-License-Identifier: Apache-2.0

public import ImageCoders
import ImageProcessing

/// The picture functions of a social server: what people upload becomes files that are safe to show to others, upright, in sRGB,
/// and without the place where they were taken.
public struct PostPictures: Sendable {
  /// A picture of a post.
  public struct Attachment: Sendable {
    /// 2048 pixels at most. An animation is still one.
    public let file: EncodedFile
    /// A file of WebP, 400 pixels at most, which does not move.
    public let preview: [UInt8]
    /// What is shown until the preview is there.
    public let blurHash: String
    /// The pixels of the preview.
    public let size: Size
  }

  private let registry: CoderRegistry
  private var reading = DecodeOptions(isStrict: true, allowedFormats: [.jpeg, .png, .webP, .gif, .heic, .avif])

  /// - Parameter registry: For a server, one that sees files in workers: `CoderRegistry(builtIn: .all, policy: .web)`.
  public init(registry: CoderRegistry) {
    self.registry = registry
    reading.limits.maxPixels = 64_000_000
  }

  /// A square of 400 pixels in WebP, which moves if the upload does.
  public func avatar(of upload: ByteSource) async throws(CoderError) -> EncodedFile {
    var preset = ThumbnailPreset(size: Size(width: 400, height: 400), mode: .fill, format: .webP)
    preset.output.firstFrameOnly = false
    return try await registry.async.makeThumbnail(of: upload, preset, reading: reading)
  }

  /// A picture of a post, with what is shown before it.
  public func attachment(of upload: ByteSource) async throws -> Attachment {
    var preset = ThumbnailPreset.web.sized(width: 2048, height: 2048)
    preset.output.firstFrameOnly = false
    let file = try await registry.async.makeThumbnail(of: upload, preset, reading: reading)
    let small = try await registry.async.decode(.bytes(file.bytes), options: .thumbnail(width: 400, height: 400))
    let preview = try await registry.async.encode(small, as: .webP)
    let hash = try await WorkQueue.shared.run { try BlurHash.text(of: small.pixels) }
    return Attachment(file: file, preview: preview, blurHash: hash, size: small.pixels.size)
  }

  /// The status of HTTP for an upload of which no picture was made.
  public static func status(of error: CoderError) -> Int {
    switch error.code.group {
    case .file: 422
    case .unsupported: 415
    case .limits: 413
    case .caller: 400
    case .environment: error.code == .overloaded ? 503 : 500
    }
  }
}
