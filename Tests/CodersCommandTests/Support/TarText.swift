// SPDX-License-Identifier: Apache-2.0

/// A tar archive that is written block by block, so that it can say what no program would.
struct TarText {
  private(set) var bytes: [UInt8] = []

  /// Adds an entry, with the fields of the "ustar Interchange Format" of POSIX.1-2017.
  ///
  /// - Parameter size: What the header says, or nil for the contents' size.
  mutating func add(
    _ name: String, type: Character = "0", contents: [UInt8] = [], mode: Int = 0o644, size: Int? = nil,
    link: String = "", prefix: String = "", magic: String = "ustar\0" + "00"
  ) {
    var block = [UInt8](repeating: 0, count: 512)
    func put(_ text: String, at offset: Int) {
      for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
    }
    func octal(_ value: Int, _ digits: Int) -> String {
      let text = String(value, radix: 8)
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    put(name, at: 0)
    put(octal(mode, 7), at: 100)
    put(octal(size ?? contents.count, 11), at: 124)
    put(octal(0, 11), at: 136)
    put(String(type), at: 156)
    put(link, at: 157)
    put(magic, at: 257)
    put(prefix, at: 345)
    put("        ", at: 148)
    put(octal(block.reduce(0) { $0 + Int($1) }, 6) + "\0 ", at: 148)
    bytes += block + contents
    bytes += [UInt8](repeating: 0, count: (512 - contents.count % 512) % 512)
  }

  /// The archive with its end, two blocks of zeros.
  var whole: [UInt8] { bytes + [UInt8](repeating: 0, count: 1024) }
}
