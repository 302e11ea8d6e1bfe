// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes
  import ImageCoderEngine
  import ImageCoderModel
  import ImageCoders
  import ImageProcessing

  /// Names the bytes that are wanted and how they are: requests with equal keys share them.
  struct BytesKey: Sendable, Hashable {
    /// The source, who may see it, and what is sent.
    var identity: String
    var lookup: CachePolicy.Lookup
    var reads: CachePolicy.Caches
    var limits: FetchLimits
    /// What the request's own headers say to caches.
    var directives: String
  }

  /// Names a picture that is wanted: requests with equal keys share the work.
  struct PictureKey: Sendable, Hashable {
    var bytes: BytesKey
    var decoding: String
    /// The operations that have been done, in order.
    var operations: [String]
  }

  /// A request after the hook, with its keys.
  struct ResolvedRequest: Sendable {
    enum Source: Sendable {
      case remote(url: String, headers: HTTPFields)
      case file(path: String)
      case memory([UInt8])
    }

    /// The number of the load that it belongs to.
    let load: Int
    let request: ImageRequest
    let source: Source
    /// The URL in messages and results.
    let name: String
    /// Names the source and who may see it, on disk.
    let diskKey: String
    /// The key of the bytes.
    let bytesKey: BytesKey
    /// Names what is decoded, with and without the box. The former begins with the word of the size.
    let decoding: String
    let decodingWithoutSize: String
    /// Names the same picture with all its frames, if the first alone is wanted.
    let decodingOfAllFrames: String?
    /// The operations that change something, and their texts.
    let operations: [ImageOperation]
    let operationTexts: [String]
    /// Whether the file is opened with a secret.
    let hasSecret: Bool

    /// The key of the picture after the first `count` operations.
    func pictureKey(_ count: Int) -> PictureKey {
      PictureKey(bytes: bytesKey, decoding: decoding, operations: Array(operationTexts.prefix(count)))
    }

    /// What is decoded, but for the word of the size: the pixels of a drawing may depend on all of it.
    var decodingWithoutSizeWord: Substring { decoding.dropFirst(request.sizeWord().count) }

    /// The name of the picture after the first `count` operations.
    ///
    /// - Parameter drawing: The header of the file if it is known to be a drawing.
    func key(_ count: Int, drawing: ImageHeader?) -> String {
      let decoding = request.sizeWord(drawing: drawing) + decodingWithoutSizeWord
      return key(decoding, count)
    }

    /// The name of the whole animation, if its first frame alone is wanted; nil for drawings, which have one.
    var keyOfAllFrames: String? {
      switch request.output.size {
      case .own, .fitting: decodingOfAllFrames.map { key($0, 0) }
      case .scaled, .resolution: nil
      }
    }

    private func key(_ decoding: String, _ count: Int) -> String {
      ([bytesKey.identity, decoding, "\(ImagePipeline.version)"] + operationTexts.prefix(count)).joined(
        separator: "\n")
    }

    var policy: CachePolicy { request.cachePolicy }
    var identity: String { bytesKey.identity }
    var isRemote: Bool { if case .remote = source { true } else { false } }
    /// What is sent to a server.
    var headers: HTTPFields { if case .remote(_, let headers) = source { headers } else { [:] } }

    /// The same request with other use of the caches, for the same load.
    func with(_ lookup: CachePolicy.Lookup) -> ResolvedRequest {
      ResolvedRequest(self, lookup)
    }

    private init(_ other: ResolvedRequest, _ lookup: CachePolicy.Lookup) {
      load = other.load
      var request = other.request
      request.cachePolicy.lookup = lookup
      self.request = request
      source = other.source
      name = other.name
      diskKey = other.diskKey
      var key = other.bytesKey
      key.lookup = lookup
      bytesKey = key
      decoding = other.decoding
      decodingWithoutSize = other.decodingWithoutSize
      decodingOfAllFrames = other.decodingOfAllFrames
      hasSecret = other.hasSecret
      operations = other.operations
      operationTexts = other.operationTexts
    }

    /// Makes the keys.
    ///
    /// - Throws: ``LoadingError/Code/badRequest``, ``LoadingError/Code/tooLarge``.
    init(
      _ request: ImageRequest, _ authorization: ImageLoader.Authorization?, load: Int, options: ImageLoader.Options,
      registry: CoderRegistry
    ) throws(LoadingError) {
      self.load = load
      self.request = request
      let limits = request.fetchLimits ?? options.fetchLimits
      let identity: String
      var directives = ""
      switch request.source {
      case .bytes(let bytes, let key):
        source = .memory(bytes)
        name = key
        diskKey = "bytes " + key
        identity = diskKey
      case .url(let given):
        let url = authorization?.url ?? given
        switch try SourceURL(url, maxBytes: limits.maxBytes) {
        case .file(let path):
          source = .file(path: path)
          name = url
          diskKey = "file " + path
          identity = diskKey
        case .data(let bytes):
          source = .memory(bytes)
          name = request.name
          diskKey = "data " + SHA256.hex(url)
          identity = diskKey
        case .remote(let canonical):
          var headers = request.headers
          for field in authorization?.headers ?? [:] { headers[field.name] = nil }
          headers.append(contentsOf: authorization?.headers ?? [:])
          source = .remote(url: canonical, headers: headers)
          name = canonical
          var named = canonical
          if let identity = authorization?.identity { named = identity.onOneLine }
          let words = HeaderWords(headers, scope: authorization?.scope)
          diskKey = ([named] + words.naming).joined(separator: "\n")
          identity = ([diskKey] + words.varying).joined(separator: "\n")
          directives = words.directives.joined(separator: "\n")
        }
      }
      bytesKey = BytesKey(
        identity: identity, lookup: request.cachePolicy.lookup, reads: request.cachePolicy.reads, limits: limits,
        directives: directives)
      decoding = request.decodingText(options, registry)
      decodingWithoutSize = request.decodingText(options, registry, includingBox: false)
      var whole = request
      whole.output.firstFrameOnly = false
      decodingOfAllFrames = request.output.firstFrameOnly ? whole.decodingText(options, registry) : nil
      hasSecret = request.hasSecret(registry)
      operations = request.pipeline.operations.filter { !ImagePipeline([$0]).changesNothing }
      operationTexts = operations.map(\.description)
    }
  }

  extension String {
    /// Without the ends of lines, which are between the words of a key.
    fileprivate var onOneLine: String {
      split(omittingEmptySubsequences: false) { $0 == "\\" || $0.isNewline }.joined(separator: "\\n")
    }
  }

  extension ImagePipeline {
    /// Whether no picture is changed.
    fileprivate var changesNothing: Bool { key == ImagePipeline().key }
  }

  /// What headers say in keys.
  private struct HeaderWords {
    /// Who may see the answer, and all headers that nothing is known of: they are part of every key.
    var naming: [String] = []
    /// Headers by which servers choose among variants of one answer, which `Vary` names.
    var varying: [String] = []
    /// What is said to caches: which answer is wanted, and not which file. No key of what is stored has them.
    var directives: [String] = []

    private static let negotiated: Set<String> = [
      "accept", "accept-charset", "accept-encoding", "accept-language", "user-agent", "save-data", "dpr", "width",
      "viewport-width",
    ]
    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]

    init(_ headers: HTTPFields, scope: String?) {
      var secrets: [String] = []
      for field in headers {
        let word = "\(field.name.canonicalName): \(field.value)"
        if Self.credentials.contains(field.name.canonicalName) {
          secrets.append(word)
        } else if Self.negotiated.contains(field.name.canonicalName) {
          varying.append(word)
        } else if ["cache-control", "pragma"].contains(field.name.canonicalName) {
          directives.append(word)
        } else {
          naming.append(word)
        }
      }
      naming.sort()
      varying.sort()
      if let scope {
        naming.append("scope " + scope.onOneLine)
      } else if !secrets.isEmpty {
        naming.append("credentials " + SHA256.hex(secrets.sorted().joined(separator: "\n")))
      }
    }
  }
#endif
