// SPDX-License-Identifier: Apache-2.0

public import ImageCoderPlugin

extension PhotoshopResources {
  /// Whether the picture is protected: one byte.
  private static let copyrightFlag: UInt16 = 0x040A
  /// Where its rights are stated: text.
  private static let address: UInt16 = 0x040B
  /// Outlines, each under a number of its own.
  private static let paths: ClosedRange<UInt16> = 0x07D0...0x0BB6

  /// What some resources are: "Image Resource IDs".
  private static let names: [UInt16: String] = [
    0x03E8: "document info", 0x03E9: "print info", 0x03EB: "color table", 0x03ED: "resolution",
    0x03EE: "names of alpha channels", 0x03EF: "display info", 0x03F0: "caption", 0x03F1: "border",
    0x03F2: "background color", 0x03F3: "print flags", 0x03F4: "halftones", 0x03F5: "color halftones",
    0x03F7: "transfer functions", 0x0400: "layer state", 0x0402: "layer groups", 0x0406: "JPEG quality",
    0x0408: "grid and guides", 0x0409: "thumbnail", 0x040C: "thumbnail", 0x040D: "global angle", 0x040F: "profile",
    0x0410: "watermark", 0x0414: "layer IDs", 0x0419: "global altitude", 0x041A: "slices", 0x041B: "workflow URL",
    0x041E: "list of URLs", 0x0421: "version", 0x0422: "Exif", 0x0423: "Exif", 0x0424: "XMP", 0x0426: "print scale",
    0x0428: "pixel aspect", 0x0435: "layer comps", 0x043A: "print info", 0x043B: "print style",
    0x0BB7: "name of the clipping path", 0x2710: "print flags",
  ]

  /// Names all resources but IPTC.
  ///
  /// - Parameters:
  ///   - reader: Of all resources.
  ///   - known: Those that a coder reads.
  public static func name(
    all reader: borrowing ByteReader, but known: Set<UInt16> = [], in data: inout ApplicationData
  ) throws(CoderError) {
    var place = 0
    while let next = next(in: reader, at: place) {
      place = next.end
      guard next.id != iptc, next.id != digest, !known.contains(next.id) else { continue }
      let count = min(next.data.count, ApplicationData.mostBytes)
      switch next.id {
      case copyrightFlag:
        // Photoshop knows yes, and otherwise nothing: 0 is what it writes of a picture of which nobody said so.
        if count > 0, try reader.uint8(at: next.data.lowerBound) != 0 {
          data.add(ApplicationData.copyrightFlag, value: "1")
        }
      case address:
        let bytes = [UInt8](copying: try reader.bytes(at: next.data.lowerBound, count: count))
        let text = ContainerText(decoding: bytes).text
        if !text.isEmpty { data.add(ApplicationData.copyrightAddress, value: text) }
      case paths: data.add("Photoshop path \(next.id - paths.lowerBound + 1)")
      default: data.add("Photoshop \(names[next.id] ?? "resource \(next.id)")")
      }
    }
  }
}
