// SPDX-License-Identifier: Apache-2.0
#if Loading
  public import ImageCoderEngine
  import ImageCoderModel

  /// A picture and where it came from.
  public struct ImageResponse: Sendable {
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
    public var httpResponse: StoredResponse?
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
      self.httpResponse = response
      self.byteCount = byteCount
      self.bytesReceived = bytesReceived
      self.bytesSaved = bytesSaved
    }

    /// The pixels of the first frame.
    public var pixels: PixelBuffer { image.pixels }
  }
#endif
