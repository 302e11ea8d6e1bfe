// SPDX-License-Identifier: Apache-2.0
#if Loading
  import Glibc
  public import ImageAnimation
  public import ImageCaching
  public import ImageCoderEngine
  public import ImageCoderModel

  extension ImageLoader {
    /// How a loader works.
    public struct Options: Sendable {
      /// Limits of the cache for decoded pictures, or nil for no such cache.
      public var memory: MemoryCacheOptions? = MemoryCacheOptions()
      /// Who divides the memory of the process between that cache and others; nil for nobody.
      public var arbiter: MemoryArbiter? = .shared
      /// Downloads at a time. Others wait, those of the highest priority in front. The fetcher has its own limit for each host.
      public var maxFetches = 32
      /// Bytes of files in memory while they arrive and until they are decoded, for all downloads. Beyond that, bodies go to
      /// files without names in ``temporaryFolder``.
      public var bodyMemory = 32 << 20
      /// Where bodies go that memory has no room for.
      public var temporaryFolder = "/tmp"
      /// Bytes of broken downloads that are kept to be continued.
      public var partialMemory = 16 << 20
      /// What of an exchange is bounded, unless the request says so.
      public var fetchLimits = FetchLimits()
      /// What decoding may use, unless the request says so.
      public var limits = Limits.standard
      /// Formats that may be decoded, unless the request says so; nil for all.
      public var allowedFormats: Set<ImageFormat>?
      /// Which pictures are shown while bytes arrive.
      public var previews = PartialPicturePolicy()
      /// Downloads of which there are previews at a time, each with a copy of its bytes. Others show their pictures when these
      /// are there.
      public var maxPreviewed = 16
      /// Bytes of the largest file of which there are previews.
      public var maxPreviewBytes = 16 << 20
      /// How long a URL that failed for good is not asked for again. Zero: it always is.
      public var failureLifetime = Duration.seconds(60)
      /// The format in which pictures that were made smaller or processed are kept on disk beside the files that they were made
      /// of, or nil if they are not. What a lossy format loses is lost when they are read again.
      public var processedFormat: ImageFormat?
      /// How they are written.
      public var processedOptions = EncodeOptions()
      /// Whether a smaller picture is made of a larger one in memory, of twice its size or more; see docs/loading.md.
      public var derivesFromLarger = true
      /// Whether an answer that is stale is used when the server cannot be asked, if the answer itself does not forbid that.
      public var usesStaleIfError = false
      /// Called before a request is looked for anywhere: it signs URLs, and adds credentials and what scope they have. What it
      /// throws ends the load.
      public var authorize: (@Sendable (ImageRequest) async throws -> Authorization)?
      /// Who gets the events.
      public var observers: [any LoadObserver] = []
      /// The time in seconds since 1970, by which answers are fresh or stale.
      public var now: @Sendable () -> Double = Options.systemTime

      /// Makes the standard options.
      public init() {}

      /// The machine's clock.
      public static let systemTime: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
      }
    }
  }
#endif
