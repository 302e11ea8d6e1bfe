// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// The smallest file of one picture (ISO/IEC 23008-12 Annex B.4).
struct StillFile {
  let bytes: [UInt8]

  /// - Parameter brands: The major one first.
  init(configuration: [UInt8], data: [UInt8], brands: [FourCC] = [FourCC("heic"), FourCC("mif1"), FourCC("heic")]) {
    var head = ByteWriter()
    head.box(FourCC("ftyp")) { box in
      for (index, brand) in brands.enumerated() {
        box.put(brand)
        if index == 0 { box.put(UInt32(0)) }
      }
    }
    var measured = ByteWriter()
    Self.putMeta(configuration, at: 0, count: data.count, to: &measured)
    Self.putMeta(configuration, at: head.count + measured.count + 8, count: data.count, to: &head)
    head.box(FourCC("mdat")) { $0.put(data) }
    bytes = head.bytes
  }

  private static func putMeta(_ configuration: [UInt8], at offset: Int, count: Int, to writer: inout ByteWriter) {
    writer.fullBox(FourCC("meta")) { meta in
      meta.fullBox(FourCC("pitm")) { $0.put(UInt16(1)) }
      meta.fullBox(FourCC("iloc")) { box in
        for number in [0x4400, 1, 1, 0, 1] as [UInt16] { box.put(number) }
        box.put(UInt32(offset))
        box.put(UInt32(count))
      }
      meta.fullBox(FourCC("iinf")) { box in
        box.put(UInt16(1))
        box.fullBox(FourCC("infe"), version: 2) { entry in
          entry.put(UInt16(1))
          entry.put(UInt16(0))
          entry.put("hvc1\0")
        }
      }
      meta.box(FourCC("iprp")) { box in
        box.box(FourCC("ipco")) { inner in inner.box(FourCC("hvcC")) { $0.put(configuration) } }
        box.fullBox(FourCC("ipma")) { inner in
          inner.put(UInt32(1))
          inner.put(UInt16(1))
          inner.put([1, 0x81])
        }
      }
    }
  }
}
