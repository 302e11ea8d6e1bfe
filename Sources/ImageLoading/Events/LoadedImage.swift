// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageCoderEngine
  import ImageCoderModel

  /// A picture and where it came from.
  public struct LoadedImage: Sendable {
    /// Where the bytes or pixels came from.
    public enum Origin: String, Sendable, Hashable, CaseIterable {
      /// Decoded pixels were in memory.
      case memory
      /// The bytes were on disk, and fresh.
      case disk
      /// The server said that the stored bytes are still right.
      case validated
      /// The bytes came from a server.
      case network
      /// A local file, a `data` URL, or bytes of the caller.
      case local
    }

    /// The picture, decoded and processed.
    public var image: Image
    /// Where it came from.
    public var origin: Origin
    /// Whether it is used although it is stale: the server said that it may be while it is asked in the background, or
    /// ``CachePolicy/Lookup/only`` was given.
    public var isStale: Bool
    /// Where the bytes came from after redirects, or the key of bytes.
    public var url: String
    /// What is kept of the server's answer, or nil for local files and bytes.
    public var response: StoredResponse?
    /// Bytes of the whole file, or nil for a local file.
    public var byteCount: Int?
    /// Bytes that came from the server for this load; 0 if there was no request.
    public var bytesReceived: Int
    /// Bytes that were not sent again because an earlier, broken download was continued or a stored answer was confirmed.
    public var bytesSaved: Int

    init(
      image: Image, origin: Origin, isStale: Bool = false, url: String, response: StoredResponse? = nil,
      byteCount: Int? = nil, bytesReceived: Int = 0, bytesSaved: Int = 0
    ) {
      self.image = image
      self.origin = origin
      self.isStale = isStale
      self.url = url
      self.response = response
      self.byteCount = byteCount
      self.bytesReceived = bytesReceived
      self.bytesSaved = bytesSaved
    }

    /// The pixels of the first frame.
    public var pixels: PixelBuffer { image.pixels }
  }

  /// How far a load has come.
  public struct LoadProgress: Sendable, Hashable {
    /// Bytes of the file that are there, those of an earlier, broken download among them.
    public var bytesReceived: Int
    /// Bytes of the whole file, or nil if the server does not say.
    public var bytesExpected: Int?

    /// The share that is there, 0 to 1, or nil if it is not known.
    public var fraction: Double? {
      guard let bytesExpected, bytesExpected > 0 else { return nil }
      return min(1, Double(bytesReceived) / Double(bytesExpected))
    }
  }

  /// A picture while its bytes arrive.
  public struct LoadPreview: Sendable {
    /// All complete frames and the rows of the next one that are there, processed like the picture itself.
    public var image: Image
    /// The quality of the frame in progress, 0 to 1.
    public var quality: Double
  }

  /// What a load tells while it runs.
  public enum ImageEvent: Sendable {
    /// Bytes have arrived.
    case progress(LoadProgress)
    /// A better picture than before is there.
    case preview(LoadPreview)
    /// The picture; the last event.
    case finished(LoadedImage)
  }
#endif
