// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// What a request takes from the caches, and what it puts there.
  ///
  /// | | looks in the caches | asks the server | keeps the answer |
  /// |---|---|---|---|
  /// | ``use`` | yes | unless what is stored is fresh | yes |
  /// | ``reload`` | to validate it | always | yes |
  /// | ``ignore`` | no | always, for all bytes | yes |
  /// | ``preferCache`` | yes, also what is stale | if nothing is stored | yes |
  /// | ``cacheOnly`` | yes, also what is stale | never | – |
  /// | ``noStore`` | yes | unless what is stored is fresh | no |
  public struct CachePolicy: Sendable, Hashable {
    /// What is done with what a cache has.
    public enum Lookup: String, Sendable, Hashable, CaseIterable {
      /// What is fresh is used; what is stale is validated.
      case use
      /// The server is always asked whether what is stored is still right.
      case reload
      /// As if nothing were stored.
      case ignore
      /// What is stored is used even if it is stale, and the server is asked if there is nothing.
      case prefer
      /// What is stored is used even if it is stale, and no request is sent.
      case only

      /// Whether what is stale is used as it is.
      var takesStale: Bool { self == .prefer || self == .only }
    }

    /// Caches of a loader.
    public struct Caches: OptionSet, Sendable, Hashable {
      public let rawValue: Int
      public init(rawValue: Int) { self.rawValue = rawValue }

      /// Decoded and processed pictures.
      public static let memory = Caches(rawValue: 1)
      /// The bytes of files.
      public static let disk = Caches(rawValue: 2)
      /// Both.
      public static let all: Caches = [.memory, .disk]
    }

    /// What is done with what a cache has.
    public var lookup: Lookup
    /// The caches that are looked in.
    public var reads: Caches
    /// The caches that the result is put in. If several requests share one download, it is kept if one of them says so.
    public var stores: Caches

    /// Makes a policy; without arguments, ``use``.
    public init(_ lookup: Lookup = .use, reads: Caches = .all, stores: Caches = .all) {
      self.lookup = lookup
      self.reads = reads
      self.stores = stores
    }

    /// Uses what is fresh, validates what is stale, keeps the answer.
    public static let use = CachePolicy()
    /// Asks the server in any case; an answer that nothing has changed costs no bytes.
    public static let reload = CachePolicy(.reload)
    /// Loads all bytes anew, and replaces what is stored.
    public static let ignore = CachePolicy(.ignore)
    /// Uses what is stored, however old it is; loads what is not.
    public static let preferCache = CachePolicy(.prefer)
    /// Sends no request; ``LoadingError/Code/notCached`` if nothing is stored.
    public static let cacheOnly = CachePolicy(.only)
    /// Uses what is fresh, and keeps nothing.
    public static let noStore = CachePolicy(stores: [])
  }
#endif
