// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// Files inside an XMP packet, in Base64.
///
/// - Format: XMP part 2 §1.2.2.4 (thumbnails); Google's Depth map and Photo Sphere 1.0.
enum XMPPictures {
  private static let names: [(namespace: String, local: String, name: String)] = [
    ("http://ns.adobe.com/xap/1.0/g/img/", "image", "XMP"),
    ("http://ns.google.com/photos/1.0/depthmap/", "Data", "GDepth"),
    ("http://ns.google.com/photos/1.0/image/", "Data", "GImage"),
    ("http://ns.google.com/photos/1.0/audio/", "Data", "GAudio"),
  ]

  /// The files of a packet, with `XMP` for a thumbnail, or the usual prefix of their namespace. What is no Base64 is passed
  /// over.
  static func files(in packet: [UInt8]) -> [(name: String, file: [UInt8])] {
    var files: [(name: String, file: [UInt8])] = []
    var xml = XMLReader(packet)
    var open: Int?
    var text = ""
    func add(_ text: String, _ index: Int) {
      if let file = bytes(text), !file.isEmpty { files.append((names[index].name, file)) }
    }
    while let event = xml.next() {
      switch event {
      case .start(let element):
        for attribute in element.attributes {
          if let index = index(of: attribute.name) { add(attribute.value, index) }
        }
        (open, text) = (index(of: element.name), "")
      case .text(let more): if open != nil { text += more }
      case .end:
        if let index = open { add(text, index) }
        open = nil
      }
    }
    return files
  }

  private static func index(of name: XMLReader.Name) -> Int? {
    names.firstIndex { $0.namespace == name.namespace && $0.local == name.local }
  }

  /// RFC 4648 §4; white space may be between the letters, and padding may be missing.
  private static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for letter in text.utf8 {
      let value: UInt8
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = letter - UInt8(ascii: "A")
      case UInt8(ascii: "a")...UInt8(ascii: "z"): value = letter - UInt8(ascii: "a") + 26
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = letter - UInt8(ascii: "0") + 52
      case UInt8(ascii: "+"): value = 62
      case UInt8(ascii: "/"): value = 63
      case UInt8(ascii: "="), 0x20, 0x09, 0x0A, 0x0D: continue
      default: return nil
      }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return bytes
  }
}
