// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Small text files in which the kernel tells something.
enum SystemFile {
  /// The file's text, or nil if it cannot be read.
  static func text(_ path: String) -> String? {
    guard let file = fopen(path, "re") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while bytes.count < 1 << 20 {
      let count = fread(&buffer, 1, buffer.count, file)
      guard count > 0 else { break }
      bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number that is the whole text, or nil for others, as "max".
  static func number(_ path: String) -> Int? {
    text(path).flatMap { $0.split(whereSeparator: \.isWhitespace).first }.flatMap { Int($0) }
  }

  /// The number after a word at the start of a line: of "MemTotal:  1024 kB", 1024.
  static func number(_ path: String, after word: String) -> Int? {
    for line in text(path)?.split(separator: "\n") ?? [] {
      let words = line.split { $0 == " " || $0 == "\t" || $0 == ":" }
      if words.count > 1, words[0] == word { return Int(words[1]) }
    }
    return nil
  }
}
