// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCaching
import ImageCoderModel
import TestSupport

/// usage: cache-writer FOLDER SEED
///
/// Uses a cache until it is killed: writes, reads, confirms and removes values of all sizes, and trims. Each value tells what
/// it has to be: a wrong one ends the program with status 3, an error with status 4. `scripts/check-cache` runs two.
@main struct CacheWriter {
  private static let keys = 400

  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let seed = UInt64(arguments[2]) else { end("usage: cache-writer FOLDER SEED", 64) }
    do throws(CoderError) {
      try run(arguments[1], seed)
    } catch {
      end("\(error)", 4)
    }
  }

  private static func end(_ message: String, _ status: Int32) -> Never {
    let line = "cache-writer: \(message)\n"
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    exit(status)
  }

  private static func run(_ folder: String, _ seed: UInt64) throws(CoderError) {
    var options = DiskCache.Options()
    options.maxBytes = 6 << 20
    options.minFreeBytes = 0
    let cache = try DiskCache(folder: folder, options: options) { event in
      end("\(event)", 3)
    }
    var random = SplitMix(seed: seed)
    while true {
      let number = Int(random.next() % UInt64(keys))
      let key = "https://example.org/\(number)"
      switch random.next() % 16 {
      case 0..<8:
        let size = Int(random.next() % 8 == 0 ? random.next() % 400_000 : random.next() % 20_000)
        let version = random.next()
        try cache.put(value(number, version, size), for: key, metadata: bytes(of: version))
      case 8..<14:
        guard let found = try cache.value(for: key) else { continue }
        let version = found.metadata.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        guard found.bytes == value(number, version, found.count) else { end("\(key) is not what was put", 3) }
      case 14: try cache.remove(key)
      default: if number == 0 { try cache.trim(toBytes: 3 << 20) }
      }
    }
  }

  /// The bytes that a value has to have.
  private static func value(_ number: Int, _ version: UInt64, _ size: Int) -> [UInt8] {
    var random = SplitMix(seed: version ^ UInt64(number) << 40)
    var words: [UInt64] = []
    for _ in 0..<(size + 7) / 8 { words.append(random.next()) }
    return words.withUnsafeBytes { Array($0.prefix(size)) }
  }

  private static func bytes(of version: UInt64) -> [UInt8] { withUnsafeBytes(of: version) { Array($0) } }
}
