// SPDX-License-Identifier: Apache-2.0
#if Loading
  import AsyncHTTPClient
  import ImageCoderModel

  /// Clients by the host and the address to which they connect: AsyncHTTPClient takes the addresses of a host only for all
  /// of a client. The one without an address connects to any.
  ///
  /// Those that nobody uses are kept for their connections, up to a number; the one that was used longest ago goes first.
  final class PinnedClients: Sendable {
    fileprivate struct Key: Hashable {
      let host: String
      let address: IPAddress?
    }

    private struct Entry {
      let client: HTTPClient
      var users: Int
      var lastUse: UInt64
    }

    private struct State {
      var entries: [Key: Entry] = [:]
      var uses: UInt64 = 0
    }

    private static let most = 32
    private let state = Lock(State())
    private let make: @Sendable (String, IPAddress?) -> HTTPClient

    /// - Parameter make: Called with a lock held: it may not call back.
    init(make: @escaping @Sendable (String, IPAddress?) -> HTTPClient) { self.make = make }

    deinit {
      // A lease keeps this alive, so nobody uses them.
      for entry in state.withLock({ $0.entries.values.map { $0 } }) { _ = entry.client.shutdown() }
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// The right to use a client, until it is released.
    final class Lease: Sendable {
      let client: HTTPClient
      private let clients: PinnedClients
      private let key: Key

      fileprivate init(_ client: HTTPClient, _ clients: PinnedClients, _ key: Key) {
        self.client = client
        self.clients = clients
        self.key = key
      }

      deinit { clients.leave(key) }
    }

    /// A client that connects to an address for a host.
    func take(_ host: String, _ address: IPAddress?) -> Lease {
      let key = Key(host: host, address: address)
      let client = state.withLock { state in
        state.uses += 1
        var entry = state.entries[key] ?? Entry(client: make(host, address), users: 0, lastUse: 0)
        entry.users += 1
        entry.lastUse = state.uses
        state.entries[key] = entry
        return entry.client
      }
      return Lease(client, self, key)
    }

    private func leave(_ key: Key) {
      let gone = state.withLock { state -> [HTTPClient] in
        state.entries[key]?.users -= 1
        var gone: [HTTPClient] = []
        while state.entries.count > Self.most,
          let idle = state.entries.filter({ $0.value.users == 0 }).min(by: { $0.value.lastUse < $1.value.lastUse })
        {
          state.entries[idle.key] = nil
          gone.append(idle.value.client)
        }
        return gone
      }
      for client in gone { _ = client.shutdown() }
    }
  }
#endif
