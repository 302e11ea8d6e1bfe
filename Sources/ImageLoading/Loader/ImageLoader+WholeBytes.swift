// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCoderEngine
  import ImageCoderModel

  /// The bytes of a file as they came, and how.
  public struct BytesResponse: Sendable {
    /// All bytes of the file.
    public var bytes: [UInt8]
    /// Where they came from.
    public var origin: ImageResponse.Origin
    /// Whether they are used although they are stale.
    public var isStale: Bool
    /// Where they came from after redirects, or the key of bytes.
    public var url: String
    /// What is kept of the server's answer, or nil for local files and bytes.
    public var httpResponse: StoredResponse?
    /// Bytes that came from the server for this load; 0 if there was no request.
    public var bytesReceived: Int
    /// Bytes that were not sent again because an earlier, broken download was continued or a stored answer was confirmed.
    public var bytesSaved: Int
  }

  extension ImageLoader {
    /// Loads the bytes of a file: from the disk or from a server, with the same download as pictures of it.
    ///
    /// What is decoded and processed by the request does not matter. Cancelling the task gives it up.
    ///
    /// - Throws: ``LoadingError``; ``LoadingError/Code/notAPicture`` too if no coder knows the first bytes that a server
    ///   sends.
    public func bytes(for request: ImageRequest) async throws(LoadingError) -> BytesResponse {
      let load = newLoadNumber()
      observers.note(.began(load: load, name: request.name))
      do throws(LoadingError) {
        let request = try await resolved(request, load: load)
        try checkFailures(request)
        let response = try await wholeBytes(request)
        observers.note(.finished(load: load, name: request.name, response.origin, isStale: response.isStale))
        return response
      } catch {
        let error = error.about(request.name)
        observers.note(.failed(load: load, name: request.name, error))
        throw error
      }
    }

    private func wholeBytes(_ request: ResolvedRequest) async throws(LoadingError) -> BytesResponse {
      switch request.source {
      case .memory(let bytes): return local(bytes, request)
      case .file(let path): return local(try await read(.file(path), request), request)
      case .remote:
        let loaded = try await bytesFromServer(request)
        // The server has confirmed a picture in memory whose bytes are not kept.
        guard let source = loaded.source else { return try await wholeBytes(request.with(.ignore)) }
        return BytesResponse(
          bytes: try await read(source, request), origin: loaded.origin, isStale: loaded.isStale, url: loaded.url,
          httpResponse: loaded.response, bytesReceived: loaded.bytesReceived, bytesSaved: loaded.bytesSaved)
      }
    }

    private func local(_ bytes: [UInt8], _ request: ResolvedRequest) -> BytesResponse {
      BytesResponse(
        bytes: bytes, origin: .local, isStale: false, url: request.name, httpResponse: nil, bytesReceived: 0,
        bytesSaved: 0)
    }

    private func read(_ source: ByteSource, _ request: ResolvedRequest) async throws(LoadingError) -> [UInt8] {
      let most = request.bytesKey.limits.maxBytes
      let limits = request.request.limits ?? options.limits
      let result: [UInt8]?
      do throws(CoderError) {
        result = try await WorkQueue.shared.value(Cancellation(), kind: .continues) { () throws(CoderError) in
          let open = try OpenSource(source, limits: limits)
          guard open.size <= most else { return nil }
          var bytes: [UInt8] = []
          bytes.reserveCapacity(open.size)
          while bytes.count < open.size { bytes += try open.view(at: bytes.count, count: 256 << 10) }
          return bytes
        }
      } catch {
        throw LoadingError(error, url: request.name)
      }
      guard let result else { throw LoadingError(.tooLarge, "\(most) bytes are allowed", url: request.name) }
      return result
    }
  }
#endif
