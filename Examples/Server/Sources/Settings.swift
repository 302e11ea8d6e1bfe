// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hummingbird
import ImageLoading

/// How the server works, from the environment. What is not set is the careful choice: without keys, nothing is done for
/// strangers.
struct Settings {
  /// `SERVER_KEYS`: keys that sign requests, separated by commas; the first signs.
  var signature: Signature?
  /// `SERVER_UNSIGNED=1`: requests need no signature.
  var allowsUnsigned = false
  /// `SERVER_HOSTS`: hosts that pictures may come from, `*.example.com` among them. Not set: all.
  /// `SERVER_ADDRESSES`: ranges such as `10.1.0.0/16` that may be asked although they are not public.
  /// `SERVER_PORTS`: ports that may be asked instead of 80 and 443.
  var addresses = AddressPolicy.publicOnly
  /// `SERVER_CACHE`: a folder for the bytes of files, or nil for none.
  var cacheFolder: String?
  /// `SERVER_PICTURES`: how many requests for pictures may be there at a time.
  var mostPictures = 128
  /// `SERVER_WAITING`: how many pieces of work may wait for one host, and for all uploads.
  var mostWaiting = 64
  /// `SERVER_SECONDS`: how long a client may take to send a picture.
  var mostSeconds: Int64 = 60
  /// `SERVER_SILENCE`: for how many seconds a connection may bring nothing.
  var mostSilence: Int64 = 20
  /// `OTEL_EXPORTER_OTLP_ENDPOINT`: a collector of OpenTelemetry, such as `http://127.0.0.1:4318`, or nil for none.
  var collector: String?

  /// - Throws: A sentence about the variable that is wrong.
  init(_ variable: (String) -> String?) throws(SettingsError) {
    func list(_ name: String) -> [String]? { variable(name)?.split(separator: ",").map(String.init) }
    if let keys = list("SERVER_KEYS") {
      guard let signature = Signature(keys: keys) else {
        throw SettingsError("SERVER_KEYS: each key has at least 16 bytes")
      }
      self.signature = signature
    }
    allowsUnsigned = variable("SERVER_UNSIGNED") == "1"
    addresses.hosts = list("SERVER_HOSTS")
    if let ports = list("SERVER_PORTS") {
      let numbers = ports.compactMap { Int($0) }
      guard numbers.count == ports.count, numbers.allSatisfy({ (1...65_535).contains($0) }) else {
        throw SettingsError("SERVER_PORTS: ports are 1 to 65535")
      }
      addresses.ports = Set(numbers)
    }
    for text in list("SERVER_ADDRESSES") ?? [] {
      guard let range = AddressRange(text) else { throw SettingsError("SERVER_ADDRESSES: \(text) is no range") }
      addresses.exceptions.append(range)
    }
    cacheFolder = variable("SERVER_CACHE")
    func number(_ name: String, _ usual: Int) throws(SettingsError) -> Int {
      guard let text = variable(name) else { return usual }
      guard let number = Int(text), (1...86_400).contains(number) else {
        throw SettingsError("\(name): 1 to 86400")
      }
      return number
    }
    mostPictures = try number("SERVER_PICTURES", mostPictures)
    mostWaiting = try number("SERVER_WAITING", mostWaiting)
    collector = variable("OTEL_EXPORTER_OTLP_ENDPOINT")
    mostSeconds = Int64(try number("SERVER_SECONDS", Int(mostSeconds)))
    mostSilence = Int64(try number("SERVER_SILENCE", Int(mostSilence)))
  }

  /// - Throws: 403 for a request that may not be answered.
  func check(_ request: PictureRequest, now: Int) throws(HTTPError) {
    if let signature { return try signature.check(request, now: now) }
    guard allowsUnsigned else {
      throw HTTPError(.forbidden, message: "no key is set: the server does nothing (SERVER_KEYS, SERVER_UNSIGNED)")
    }
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

struct SettingsError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
