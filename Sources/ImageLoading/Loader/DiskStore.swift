// SPDX-License-Identifier: Apache-2.0
#if Loading
  import ImageCaching
  import ImageCoderEngine
  import ImageCoderModel

  /// A body on disk with what is known of it.
  struct StoredBody: Sendable {
    let source: ByteSource
    let byteCount: Int
    let response: StoredResponse
    let version: ContentVersion
  }

  /// Where the bytes of files are kept: a cache on disk, or one of a test.
  ///
  /// Each call is for one key; what the loader makes of keys is `ResolvedRequest.diskKey`.
  protocol BodyStore: Sendable {
    func body(for key: String) async -> (source: ByteSource, byteCount: Int, metadata: [UInt8])?
    func store(_ bytes: [UInt8], metadata: [UInt8], processed: Bool, for key: String) async
    func store(metadata: [UInt8], for key: String) async
    func remove(_ key: String) async
    func removeAll() async
    /// Bytes of the largest value that is kept.
    var maxValueBytes: Int { get }
  }

  /// The cache on disk. What it cannot read or write counts as not there.
  struct DiskBodies: BodyStore {
    let cache: DiskCache

    func body(for key: String) async -> (source: ByteSource, byteCount: Int, metadata: [UInt8])? {
      guard let value = try? await cache.async.value(for: key) else { return nil }
      return (value.source, value.count, value.metadata)
    }

    func store(_ bytes: [UInt8], metadata: [UInt8], processed: Bool, for key: String) async {
      _ = try? await cache.async.put(bytes, for: key, kind: processed ? .processed : .original, metadata: metadata)
    }

    func store(metadata: [UInt8], for key: String) async {
      _ = try? await cache.async.updateMetadata(metadata, for: key)
    }
    func remove(_ key: String) async { _ = try? await cache.async.remove(key) }
    func removeAll() async { _ = try? await cache.async.removeAll() }
    var maxValueBytes: Int { cache.options.maxValueBytes }
  }

  /// What is stored beside a body: lines of a word and values between tabs.
  struct BodyMetadata: Sendable, Equatable {
    var version: ContentVersion
    var response: StoredResponse
    /// Headers that choose among the variants of the URL, in lower case, if this one names them: it then has no body.
    var variants: [String] = []

    private static let start = "image-loading 1"

    init(_ response: StoredResponse, _ version: ContentVersion) {
      self.response = response
      self.version = version
    }

    var bytes: [UInt8] {
      var lines = [
        Self.start, "version\t\(version.text)", "url\t\(response.url)",
        "times\t\(response.requestTime)\t\(response.responseTime)",
      ]
      for header in response.headers { lines.append((["header"] + header).joined(separator: "\t")) }
      for header in response.varying { lines.append((["varying"] + header).joined(separator: "\t")) }
      for name in variants { lines.append("variant\t\(name)") }
      return Array(lines.joined(separator: "\n").utf8)
    }

    /// Nil for bytes that are not of this version.
    init?(_ bytes: [UInt8]) {
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      guard lines.first.map(String.init) == Self.start else { return nil }
      var (version, url): (String?, String?)
      var times: [Double] = []
      var (headers, varying): ([[String]], [[String]]) = ([], [])
      for line in lines.dropFirst() {
        let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard words.count > 1 else { return nil }
        // A value may have tabs of its own.
        let pair = [words[1], words.dropFirst(2).joined(separator: "\t")]
        switch words[0] {
        case "version": version = words[1]
        case "url": url = words.dropFirst().joined(separator: "\t")
        case "times": times = words.dropFirst().compactMap { Double($0) }
        case "header": headers.append(pair)
        case "varying": varying.append(pair)
        case "variant": variants.append(words[1])
        default: break
        }
      }
      guard let version, let url, times.count == 2 else { return nil }
      self.version = ContentVersion(version)
      response = StoredResponse(
        url: url, headers: headers, requestTime: times[0], responseTime: times[1], varying: varying)
    }
  }
#endif
