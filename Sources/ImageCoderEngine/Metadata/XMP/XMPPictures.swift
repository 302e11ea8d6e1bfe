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
      if let file = Base64.bytes(text.utf8), !file.isEmpty { files.append((names[index].name, file)) }
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
}
