// SPDX-License-Identifier: Apache-2.0
#if Loading
  import HTTPTypes
  import ImageCaching
  import ImageCoderEngine
  import ImageCoderModel

  /// Where decoded pictures are kept; a cache in memory, or one of a test.
  protocol PictureStore: Sendable {
    func picture(for key: String) -> Picture?
    /// - Parameter time: What it took to make the picture.
    func keep(_ picture: Picture, for key: String, remakeTime time: Duration)
    func remove(_ key: String)
    func removeAll()
  }

  /// The cache in memory.
  struct CachedPictures: PictureStore {
    let cache: MemoryCache<Picture>
    private let shown = PicturesInUse()

    init(cache: MemoryCache<Picture>) { self.cache = cache }

    func picture(for key: String) -> Picture? { cache.value(for: CacheKey(key)) ?? shown.picture(for: key) }

    func keep(_ picture: Picture, for key: String, remakeTime time: Duration) {
      cache.put(picture, for: CacheKey(key), bytes: picture.byteCount, remakeTime: time)
      shown.note(picture, for: key)
    }

    func remove(_ key: String) {
      cache.remove(CacheKey(key))
      shown.remove(key)
    }

    func removeAll() {
      cache.removeAll()
      shown.removeAll()
    }
  }

  /// Decoded pictures in memory, and what is known of their sources: whether they are fresh, and which sizes there are.
  final class PictureMemory: Sendable {
    /// A picture of a source that is in memory.
    struct Kept: Sendable {
      let key: String
      /// What was decoded but for the box, or nil for a picture that was processed.
      let decoding: String?
      let size: Size
    }

    /// What is known of a source.
    struct Record: Sendable {
      var version: ContentVersion
      var response: StoredResponse?
      var pictures: [Kept] = []
      /// Headers of drawings, by what is decoded but for the size.
      var drawings: [Substring: ImageHeader] = [:]
      var lastUse = 0
    }

    fileprivate struct State {
      var records: [String: Record] = [:]
      var uses = 0
    }

    private let state = Lock(State())
    private let store: (any PictureStore)?
    private let rules: CacheRules
    private static let mostRecords = 16_384
    private static let mostPictures = 64

    init(_ store: (any PictureStore)?, _ rules: CacheRules) {
      self.store = store
      self.rules = rules
    }

    // MARK: Looking

    /// A picture and whether it may be used now.
    ///
    /// - Parameters:
    ///   - version: Of a local source; nil for one on a server, whose answer says whether it is fresh.
    ///   - headers: Those of the request, which may ask for more or for less.
    func picture(
      _ key: String, of source: String, version: ContentVersion?, at now: Double, request headers: HTTPFields
    ) -> (picture: Picture, freshness: Freshness)? {
      guard let picture = kept(key) else { return nil }
      if let version { return (picture, version == picture.version ? .fresh : .stale) }
      guard let record = record(source), record.version == picture.version, let response = record.response else {
        return (picture, .stale)
      }
      return (picture, rules.freshness(response, at: now, request: headers))
    }

    /// A picture that was made of these bytes.
    func picture(_ key: String, of version: ContentVersion) -> Picture? {
      guard let picture = kept(key), picture.version == version else { return nil }
      return picture
    }

    /// A picture that is in memory, unless a file beside its own that its coder looked for is another one now.
    private func kept(_ key: String) -> Picture? {
      guard let picture = store?.picture(for: key), picture.siblings.allSatisfy(\.holds) else { return nil }
      return picture
    }

    /// Pictures of a source that differ from the one that is wanted in their size alone, and are as fresh as the source is.
    func otherSizes(_ decoding: String, of source: String, version: ContentVersion) -> [Picture] {
      guard let record = record(source), record.version == version else { return [] }
      return record.pictures.filter { $0.decoding == decoding }.compactMap { picture($0.key, of: version) }
    }

    /// The name of the picture of a request after the first `count` operations.
    func key(of request: ResolvedRequest, _ count: Int) -> String {
      switch request.request.output.size {
      case .own, .fitting: request.key(count, drawing: nil)
      case .scaled, .resolution:
        request.key(count, drawing: record(request.identity)?.drawings[request.decodingWithoutSizeWord])
      }
    }

    /// Notes how large a drawing is, so that all names of a size lead to the same picture.
    func note(_ drawing: ImageHeader, of request: ResolvedRequest) {
      state.withLock { state in
        if state.records[request.identity]?.drawings.count ?? 0 >= Self.mostPictures {
          state.records[request.identity]?.drawings = [:]
        }
        state.records[request.identity]?.drawings[request.decodingWithoutSizeWord] = drawing
      }
    }

    func record(_ source: String) -> Record? {
      state.withLock { state in
        guard state.records[source] != nil else { return nil }
        state.uses += 1
        state.records[source]?.lastUse = state.uses
        return state.records[source]
      }
    }

    // MARK: Keeping

    /// Puts a picture in memory.
    func keep(_ picture: Picture, for key: String, of source: String, decoding: String?, remakeTime: Duration) {
      guard let store else { return }
      let gone = state.withLock { state -> [Kept] in
        var gone = state.update(source, picture.version, picture.loaded.httpResponse)
        let kept = Kept(key: key, decoding: decoding, size: picture.loaded.image.size)
        state.records[source]?.pictures.removeAll { $0.key == key }
        state.records[source]?.pictures.append(kept)
        if let all = state.records[source]?.pictures, all.count > Self.mostPictures {
          gone.append(all[0])
          state.records[source]?.pictures.removeFirst()
        }
        gone += state.forgetOldest(Self.mostRecords)
        return gone
      }
      for picture in gone { store.remove(picture.key) }
      store.keep(picture, for: key, remakeTime: remakeTime)
    }

    /// A server has sent or confirmed a source. Pictures of other bytes are released.
    func note(_ response: StoredResponse?, _ version: ContentVersion, of source: String) {
      guard let store else { return }
      let gone = state.withLock { state in
        state.records[source] == nil ? [] : state.update(source, version, response)
      }
      for picture in gone { store.remove(picture.key) }
    }

    /// Releases the pictures of sources.
    func remove(where isGone: (String) -> Bool) {
      let gone = state.withLock { state in
        state.records.keys.filter(isGone).flatMap { state.records.removeValue(forKey: $0)?.pictures ?? [] }
      }
      for picture in gone { store?.remove(picture.key) }
    }

    func removeAll() {
      state.withLock { $0.records = [:] }
      store?.removeAll()
    }
  }

  extension PictureMemory.State {
    /// Notes what the bytes of a source are now.
    ///
    /// - Returns: The pictures of what they were.
    fileprivate mutating func update(
      _ source: String, _ version: ContentVersion, _ response: StoredResponse?
    ) -> [PictureMemory.Kept] {
      uses += 1
      var record = records[source] ?? PictureMemory.Record(version: version)
      let gone = record.version == version ? [] : record.pictures
      if record.version != version { (record.pictures, record.drawings) = ([], [:]) }
      record.version = version
      record.response = response ?? (gone.isEmpty ? record.response : nil)
      record.lastUse = uses
      records[source] = record
      return gone
    }

    /// Forgets the half of all records that was not used for longest, if there are more than so many.
    fileprivate mutating func forgetOldest(_ most: Int) -> [PictureMemory.Kept] {
      guard records.count > most else { return [] }
      let middle = records.values.map(\.lastUse).sorted()[records.count / 2]
      let gone = records.filter { $0.value.lastUse < middle }
      for key in gone.keys { records[key] = nil }
      return gone.values.flatMap(\.pictures)
    }
  }
#endif
