// SPDX-License-Identifier: Apache-2.0
#if Loading
  /// Which servers may be asked.
  ///
  /// A program that loads what its user names may ask any. A server that loads what a stranger names may ask only what the
  /// stranger could ask too: else the server can be used to reach internal hosts. The rules are for the *addresses*
  /// that a name has, not for its spelling, and they are applied to each redirect.
  public struct AddressPolicy: Sendable, Hashable {
    /// Whether addresses are judged.
    public var isPublicOnly: Bool
    /// Addresses that may be asked although they are not public.
    public var exceptions: [AddressRange] = []
    /// The ports that may be asked, or nil for all.
    public var ports: Set<Int>?
    /// The hosts that may be asked, or nil for all. `*.example.com` is every name below `example.com`, not itself.
    public var hosts: [String]?

    /// Any address and port.
    public static let any = AddressPolicy(isPublicOnly: false, ports: nil)
    /// Public addresses at the ports 80 and 443.
    public static let publicOnly = AddressPolicy(isPublicOnly: true, ports: [80, 443])

    /// Makes a policy.
    public init(
      isPublicOnly: Bool, ports: Set<Int>?, hosts: [String]? = nil, exceptions: [AddressRange] = []
    ) {
      self.isPublicOnly = isPublicOnly
      self.ports = ports
      self.hosts = hosts
      self.exceptions = exceptions
    }

    /// Whether addresses have to be known before a connection is made.
    var judgesAddresses: Bool { isPublicOnly }

    /// Judges what can be judged of a URL before its host is resolved.
    ///
    /// - Throws: ``LoadingError/Code/forbidden``.
    public func check(_ url: URLParts) throws(LoadingError) {
      if let ports, !ports.contains(url.port) {
        let allowed = ports.sorted().map(String.init).joined(separator: ", ")
        throw LoadingError(.forbidden, "the port \(url.port); allowed are \(allowed)", url: url.description)
      }
      if let hosts, !hosts.contains(where: { Self.matches(url.host, $0) }) {
        throw LoadingError(.forbidden, "the host \(url.host), which is not on the list", url: url.description)
      }
      if let address = IPAddress(url.host), let reason = refusal(of: address) {
        throw LoadingError(.forbidden, reason, url: url.description)
      }
    }

    private static func matches(_ host: String, _ pattern: String) -> Bool {
      let pattern = pattern.lowercased()
      guard pattern.hasPrefix("*.") else { return host == pattern }
      return host.count > pattern.count - 1 && host.hasSuffix(pattern.dropFirst())
    }

    /// Why an address may not be asked, or nil.
    public func refusal(of address: IPAddress) -> String? {
      guard isPublicOnly else { return nil }
      if exceptions.contains(where: { $0.contains(address) }) {
        // A way through which IPv4 is reached may be allowed, and where it leads is judged by itself.
        return address.embedded.flatMap { refusal(of: $0.address) }
      }
      if let (kind, inner) = address.embedded {
        return "the address \(address), which is \(inner) as \(kind)"
      }
      if let cloud = Self.ofClouds.first(where: { $0.range.contains(address) })?.name {
        return "the address \(address), which is \(cloud)"
      }
      let isPublic =
        address.bytes.count == 4
        ? !Self.notPublic4.contains { $0.contains(address) }
        : address.bytes[0] & 0xE0 == 0x20 && !Self.notPublic6.contains { $0.contains(address) }
      return isPublic ? nil : "the address \(address), which is not public"
    }

    /// This network, private, shared by providers, loopback, link-local, protocol assignments, documentation, relays of
    /// 6to4, benchmarks, multicast, reserved. (IANA's registry of special addresses, RFC 6890)
    private static let notPublic4 = [
      "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
      "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
      "224.0.0.0/3",
    ].compactMap { AddressRange($0) }

    /// Addresses that are public by their numbers, and that machines of a cloud alone reach: its own services answer there.
    /// The others of clouds, such as 169.254.169.254, 100.100.100.200, 192.0.0.192 and fd00:ec2::254, are in the ranges
    /// below.
    private static let ofClouds = [
      ("168.63.129.16/32", "Azure's wire server"), ("161.26.0.0/16", "a service of IBM Cloud's own"),
      ("166.8.0.0/14", "a service of IBM Cloud's own"),
      ("199.36.153.4/30", "Google Cloud's private way to its services"),
      ("199.36.153.8/30", "Google Cloud's private way to its services"),
    ].compactMap { (text, name) in AddressRange(text).map { (range: $0, name: name) } }

    /// Global unicast addresses that are not public: protocol assignments (Teredo, benchmarks, ORCHID), documentation,
    /// 6to4.
    private static let notPublic6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
      .compactMap { AddressRange($0) }
  }
#endif
