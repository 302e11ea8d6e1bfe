// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import HTTPTypes
  public import ImageCoderEngine
  public import ImageCoderModel
  public import ImageProcessing

  /// A picture that is wanted: where it comes from, what it should be, and how it is loaded.
  ///
  ///     var request = ImageRequest("https://example.org/cat.jpg", thumbnail: Size(width: 320, height: 240))
  ///     request.pipeline = ImagePipeline([.round(.init(12))])
  ///     let loaded = try await loader.image(for: request)
  public struct ImageRequest: Sendable, ExpressibleByStringLiteral {
    /// Where the bytes come from.
    public enum Source: Sendable {
      /// A URL with the scheme `https`, `http`, `file` or `data`.
      case url(String)
      /// Bytes in memory. The key names them: the same key has to mean the same bytes.
      case bytes([UInt8], key: String)
    }

    /// Where the bytes come from.
    public var source: Source
    /// What the decoded picture should be: size, mode, colors, page, layout.
    public var output: DecodeOptions.Output
    /// What is done to the decoded picture, one operation after the other; empty for nothing.
    public var pipeline: ImagePipeline
    /// How soon it is wanted. ``ImageTask/priority`` changes it later.
    public var priority: LoadPriority
    /// What it takes from the caches, and puts there.
    public var cachePolicy: CachePolicy
    /// Headers that are sent. Two requests with different headers share no download.
    public var headers: HTTPFields
    /// What of the exchange with the server is bounded, or nil for the loader's own limits.
    public var fetchLimits: FetchLimits?
    /// What decoding may use, or nil for the loader's own limits.
    public var limits: Limits?
    /// Formats that may be decoded, or nil for the loader's own.
    public var allowedFormats: Set<ImageFormat>?
    /// Whether pictures are wanted while the bytes arrive.
    public var wantsPreviews: Bool
    /// Whether a request is sent although the URL is on the list of those that failed.
    public var retriesFailed: Bool

    /// Makes a request for a URL.
    ///
    /// - Parameters:
    ///   - url: With the scheme `https`, `http`, `file` or `data`.
    ///   - thumbnail: The box that the picture has to fit, in pixels, or nil for full size. A side of 0 is unlimited.
    public init(
      _ url: String, thumbnail: Size? = nil, mode: ThumbnailMode = .fit, pipeline: ImagePipeline = ImagePipeline(),
      priority: LoadPriority = .normal, cachePolicy: CachePolicy = .use
    ) {
      self.init(
        .url(url), thumbnail: thumbnail, mode: mode, pipeline: pipeline, priority: priority, cachePolicy: cachePolicy)
    }

    /// Makes a request for any source.
    public init(
      _ source: Source, thumbnail: Size? = nil, mode: ThumbnailMode = .fit, pipeline: ImagePipeline = ImagePipeline(),
      priority: LoadPriority = .normal, cachePolicy: CachePolicy = .use
    ) {
      self.source = source
      output = DecodeOptions.Output()
      if let thumbnail { output.size = .fitting(thumbnail, mode) }
      self.pipeline = pipeline
      self.priority = priority
      self.cachePolicy = cachePolicy
      headers = [:]
      fetchLimits = nil
      limits = nil
      allowedFormats = nil
      wantsPreviews = false
      retriesFailed = false
    }

    /// A request for a URL, at full size.
    public init(stringLiteral url: String) { self.init(url) }

    /// The URL, or the key of bytes, as messages name it.
    public var name: String {
      switch source {
      case .url(let url): url.hasPrefix("data:") ? String(url.prefix(40)) : url
      case .bytes(_, let key): key
      }
    }
  }
#endif
