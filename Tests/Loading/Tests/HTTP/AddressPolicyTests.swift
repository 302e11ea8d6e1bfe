// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import ImageLoading

@Suite struct AddressPolicyTests {
  /// The first and the last address of each range, and the ones beside them; and what imgproxy let through: loopback
  /// (CVE-2023-30019), 0.0.0.0, addresses of providers' networks, and IPv4 within IPv6.
  static let refused = [
    "0.0.0.0", "0.0.0.1", "0.255.255.255", "10.0.0.0", "10.0.0.1", "10.255.255.255", "100.64.0.0", "100.64.0.1",
    "100.100.100.200", "100.127.255.255", "127.0.0.0", "127.0.0.1", "127.0.0.53", "127.1.2.3", "127.255.255.255",
    "169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255", "172.16.0.0", "172.17.0.1", "172.31.255.255",
    "192.0.0.0", "192.0.0.170", "192.0.0.192", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.1", "192.168.0.0",
    "192.168.1.1", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.0", "198.51.100.255", "203.0.113.0",
    "203.0.113.255", "224.0.0.0", "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.254", "255.255.255.255",
    // Unspecified, loopback, link-local, site-local, unique local, multicast, discard, reserved.
    "::", "::1", "fe80::1", "febf::1", "fec0::1", "fc00::1", "fd00:ec2::254", "fd12:3456::1", "ff02::1", "ff0e::1",
    "100::1", "1fff:ffff::1", "4000::1", "5f00::1", "e000::1",
    // Mapped, translated, compatible: private and public alike.
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:7f00:1", "::ffff:0.0.0.0",
    "::ffff:8.8.8.8", "::ffff:0:127.0.0.1", "::127.0.0.1", "::10.0.0.1", "::8.8.8.8",
    // NAT64, 6to4, Teredo, ISATAP.
    "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::10.0.0.1", "2002:7f00:1::1",
    "2002:a00:1::", "2002:808:808::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001::1",
    "2607:f8b0::5efe:10.0.0.1", "2607:f8b0::200:5efe:127.0.0.1", "fe80::5efe:10.0.0.1",
    // Assignments of protocols, benchmarks, ORCHID, documentation.
    "2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:1ff:ffff::1", "2001:db8::1", "2001:db8:ffff::1",
    "3fff::1", "3fff:fff:ffff::1",
    // Clouds' own services at addresses that are public by their numbers: Azure, IBM, Google.
    "168.63.129.16", "161.26.0.0", "161.26.255.255", "166.8.0.0", "166.11.255.255", "199.36.153.4", "199.36.153.11",
    // Those of other clouds lie in ranges that are not public: Google and Scaleway by IPv6, Tencent, Oracle, Alibaba.
    "fd20:ce::254", "fd00:42::42", "169.254.0.23", "192.0.0.192", "100.100.100.200",
    // Ranges that IANA added late: dummies, and segments of routes.
    "100:0:0:1::1", "5f00:ffff::1",
  ]

  static let allowed = [
    "1.0.0.0", "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0",
    "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255",
    "161.25.255.255", "161.27.0.0", "166.7.255.255", "166.12.0.0", "168.63.129.15", "168.63.129.17", "192.0.1.0",
    "192.0.3.0", "199.36.153.3", "199.36.153.12", "192.88.98.255", "192.88.100.0", "192.167.255.255", "192.169.0.0",
    "198.17.255.255", "198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
    "2000::1", "2001:200::1", "2001:4860:4860::8888", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700:4700::1111",
    "2607:f8b0::5eff:10.0.0.1", "2a00:1450::1", "3ffe::1", "3fff:1000::1",
  ]

  @Test(arguments: refused) func addressIsRefused(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy.publicOnly.refusal(of: address) != nil)
    #expect(AddressPolicy.any.refusal(of: address) == nil)
  }

  @Test(arguments: allowed) func addressIsAllowed(_ text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(AddressPolicy.publicOnly.refusal(of: address) == nil)
  }

  @Test func servicesOfCloudsAreNamed() throws {
    let address = try #require(IPAddress("168.63.129.16"))
    #expect(AddressPolicy.publicOnly.refusal(of: address) == "the address 168.63.129.16, which is Azure's wire server")
    var policy = AddressPolicy.publicOnly
    policy.exceptions = [try #require(AddressRange("168.63.129.16/32"))]
    #expect(policy.refusal(of: address) == nil)
  }

  @Test func tablesAreWhole() { #expect(Set(Self.refused + Self.allowed).count >= 120) }

  @Test(arguments: [
    ("::ffff:1.2.3.4", "IPv4-mapped", "1.2.3.4"), ("::ffff:0:1.2.3.4", "IPv4-translated", "1.2.3.4"),
    ("::1.2.3.4", "IPv4-compatible", "1.2.3.4"), ("64:ff9b::1.2.3.4", "NAT64", "1.2.3.4"),
    ("2002:102:304::5", "6to4", "1.2.3.4"), ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo", "192.0.2.45"),
    ("2607:f8b0::5efe:1.2.3.4", "ISATAP", "1.2.3.4"), ("2607:f8b0::200:5efe:1.2.3.4", "ISATAP", "1.2.3.4"),
  ])
  func addressesWithinAreFound(_ text: String, _ kind: String, _ inner: String) throws {
    let embedded = try #require(IPAddress(text)?.embedded)
    #expect(embedded.kind == kind)
    #expect(embedded.address.description == inner)
  }

  @Test(arguments: [
    "127.1", "2130706433", "0x7f000001", "0177.0.0.1x", "1.2.3", "1.2.3.4.5", "::1%eth0", "", "[::1]", "1.2.3.256",
  ])
  func otherSpellingsAreNoAddresses(_ text: String) { #expect(IPAddress(text) == nil) }

  @Test func exceptionsOpenARangeAndNotWhatLiesBehindIt() throws {
    var policy = AddressPolicy.publicOnly
    policy.exceptions = [try #require(AddressRange("10.1.0.0/16")), try #require(AddressRange("64:ff9b::/96"))]
    func refusal(_ text: String) throws -> String? { policy.refusal(of: try #require(IPAddress(text))) }
    #expect(try refusal("10.1.255.255") == nil)
    #expect(try refusal("10.2.0.0") != nil)
    #expect(try refusal("64:ff9b::8.8.8.8") == nil)
    #expect(try refusal("64:ff9b::10.1.0.1") == nil)
    #expect(try refusal("64:ff9b::127.0.0.1") == "the address 127.0.0.1, which is not public")
  }

  @Test func rangesHaveTheirBits() throws {
    let range = try #require(AddressRange("172.16.0.0/12"))
    #expect(range.contains(try #require(IPAddress("172.31.255.255"))))
    #expect(!range.contains(try #require(IPAddress("172.32.0.0"))))
    #expect(!range.contains(try #require(IPAddress("::172.16.0.1"))))
    #expect(try #require(AddressRange("0.0.0.0/0")).contains(try #require(IPAddress("9.9.9.9"))))
    for text in ["1.2.3.4/33", "1.2.3.4/-1", "::/129", "1.2.3.4/", "x/8", ""] { #expect(AddressRange(text) == nil) }
  }

  @Test func portsAndHostsAreJudgedByTheURL() throws {
    var policy = AddressPolicy.publicOnly
    policy.hosts = ["example.com", "*.Example.org"]
    func code(_ url: String) throws -> LoadingError.Code? {
      let parts = try URLParts(url)
      do {
        try policy.check(parts)
        return nil
      } catch { return error.code }
    }
    for url in ["http://example.com/", "https://EXAMPLE.com.:443/", "https://a.example.org", "http://a.b.example.org/"]
    {
      #expect(try code(url) == nil)
    }
    for url in [
      "http://example.com:8080/", "https://example.com:22/", "http://a.example.com/", "http://example.org/",
      "http://badexample.org/", "http://example.com.evil.test/", "http://.example.org/", "http://8.8.8.8/",
    ] {
      #expect(try code(url) == .forbidden)
    }
    policy.hosts = nil
    #expect(try code("http://8.8.8.8/") == nil)
    #expect(try code("http://127.0.0.1/") == .forbidden)
    #expect(try code("http://[::ffff:8.8.8.8]/") == .forbidden)
  }
}
