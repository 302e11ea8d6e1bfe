// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// A kind of file, and what programs leave in it.
struct ApplicationDataFile: Sendable {
  let format: ImageFormat
  /// What a report has to name.
  let names: [String]
  /// Puts the data into a file that a coder wrote.
  let adding: @Sendable ([UInt8]) -> [UInt8]

  static let all: [ApplicationDataFile] = [
    ApplicationDataFile(
      format: .jpeg,
      names: ["APP0 JFXX", "APP11 ACME", "APP12 Ducky", "Photoshop path 2", "Photoshop resource 4711"]
    ) { file in
      let segments =
        segment(0xE0, Array("JFXX\0".utf8) + [0x10]) + segment(0xEB, Array("ACME".utf8))
        + segment(0xEC, Array("Ducky\0".utf8) + [1, 4]) + photoshopSegment(resources)
      // After JFIF's own segment, which is the first.
      let end = 4 + Int(file[4]) << 8 + Int(file[5])
      return file[..<end] + segments + file[end...]
    },
    ApplicationDataFile(format: .png, names: ["chunk acMe", "chunk sPLT", "chunk tIME", "3 bytes after the picture"]) {
      // After IHDR, which is the first chunk.
      $0[..<33] + chunk("acMe", [1, 2]) + chunk("sPLT", [0x61, 0, 8]) + chunk("tIME", [7, 234, 11, 30, 12, 0, 0])
        + $0[33...]
        + [1, 2, 3]
    },
    ApplicationDataFile(format: .gif, names: ["extension ACMETOOL1.0", "plain text", "extension 5"]) {
      // GIF89a §25 and §26.
      let tool: [UInt8] = [0x21, 0xFF, 11] + Array("ACMETOOL1.0".utf8) + [2, 1, 2, 0]
      let text: [UInt8] = [0x21, 0x01, 12] + [UInt8](repeating: 1, count: 12) + [1, 0x61, 0]
      return $0.dropLast() + tool + text + [0x21, 5, 1, 1, 0] + [0x3B]
    },
    ApplicationDataFile(format: .webP, names: ["chunk ACME"]) {
      riff($0 + Array("ACME".utf8) + [4, 0, 0, 0, 1, 2, 3, 4])
    },
    ApplicationDataFile(
      format: .tiff,
      names: ["Photoshop layers (tag 37724)", "tag 65000", "Photoshop path 2", "Photoshop resource 4711"]
    ) { tiff($0, with: [(34377, resources), (37724, [1, 2, 3, 4, 5]), (65000, [1, 2, 3, 4, 5])]) },
    ApplicationDataFile(format: .heic, names: ["uuid box \(identifier)", "acme box"]) { $0 + boxes },
    ApplicationDataFile(format: .avif, names: ["uuid box \(identifier)", "acme box"]) { $0 + boxes },
    ApplicationDataFile(format: .jpegXL, names: ["box uuid", "box acme"]) { $0 + boxes },
    ApplicationDataFile(format: .jpeg2000, names: ["box uuid", "box acme", "box xml "]) {
      $0 + boxes + box("xml ", Array("<a/>".utf8))
    },
  ]

  // MARK: Photoshop

  /// Image resources: an outline, and one of an unknown number. Photoshop File Formats Specification, "Image Resource Blocks".
  private static let resources = resource(0x07D1, [1, 2]) + resource(4711, [1, 2])

  /// A resource without a name.
  static func resource(_ number: Int, _ data: [UInt8]) -> [UInt8] {
    Array("8BIM".utf8) + bytes(of: number).suffix(2) + [0, 0] + bytes(of: data.count) + data
      + [UInt8](repeating: 0, count: data.count % 2)
  }

  static func photoshopSegment(_ resources: [UInt8]) -> [UInt8] {
    segment(0xED, Array("Photoshop 3.0\0".utf8) + resources)
  }

  /// Photoshop's file of one gray pixel, with image resources: "File Header", and four sections with their lengths.
  static func photoshopFile(_ resources: [UInt8]) -> [UInt8] {
    let header: [UInt8] =
      Array("8BPS".utf8) + [0, 1, 0, 0, 0, 0, 0, 0] + [0, 1] + bytes(of: 1) + bytes(of: 1) + [0, 8] + [0, 1]
    return header + bytes(of: 0) + bytes(of: resources.count) + resources + bytes(of: 0) + [0, 0, 128]
  }

  // MARK: Bytes

  /// Of 16 bytes, in hexadecimal digits.
  private static let identifier = "61636d65070707070707070707070707"
  private static let boxes =
    box("uuid", Array("acme".utf8) + [UInt8](repeating: 7, count: 12) + [1, 2]) + box("acme", [1, 2])

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    bytes(of: 8 + content.count) + Array(type.utf8) + content
  }

  static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    [0xFF, marker] + bytes(of: 2 + content.count).suffix(2) + content
  }

  /// A RIFF file that states its length.
  static func riff(_ file: [UInt8]) -> [UInt8] { file[..<4] + bytes(of: file.count - 8).reversed() + file[8...] }

  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let checked = Array(name.utf8) + data
    return bytes(of: data.count) + checked + bytes(of: Int(checksum(checked)))
  }

  /// PNG Third Edition §5.5, Annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(0xFFFF_FFFF) { crc, byte in
      (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
  }

  /// A TIFF file in the order of this machine, with further fields of bytes: the directory is written anew at the end.
  static func tiff(_ file: [UInt8], with fields: [(tag: Int, value: [UInt8])]) -> [UInt8] {
    func number(_ place: Int, _ count: Int) -> Int {
      file[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let directory = number(4, 4)
    let count = number(directory, 2)
    var entries = (0..<count).map { Array(file[(directory + 2 + 12 * $0)..<(directory + 14 + 12 * $0)]) }
    var result = file
    for (tag, value) in fields {
      let place = result.count
      result += value + [UInt8](repeating: 0, count: value.count % 2)
      entries.append(
        bytes(of: tag).reversed().prefix(2) + [7, 0] + bytes(of: value.count).reversed() + bytes(of: place).reversed())
    }
    entries.sort { Int($0[0]) | Int($0[1]) << 8 < Int($1[0]) | Int($1[1]) << 8 }
    let start = result.count
    result += bytes(of: entries.count).reversed().prefix(2) + entries.joined() + [0, 0, 0, 0]
    return result[..<4] + bytes(of: start).reversed() + result[8...]
  }

  /// The four bytes of a number, the highest first.
  private static func bytes(of number: Int) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
  }
}
