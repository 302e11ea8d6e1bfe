// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import CImageCoderStructs
import ImageCoderModel

/// The draft extension for stored colors over a reader written in Swift.
enum StoredColorCalls {
  // Constant data of the process, handed out by address.
  nonisolated(unsafe) static let table: UnsafePointer<imgcoder_stored_color_table>? = {
    var table = imgcoder_stored_color_table_sized()
    table.describe = { raw, page, result in
      guard let session = ReaderCalls.Session.of(raw), let reader = session.reader.storedColorReader, let result
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        _ = try session.header(page: Int(page))
        let color = try reader.storedColor(page: Int(page))
        var own = color.rawWithoutCurves
        session.show(color.curves, page: Int(page), in: &own)
        imgcoder_stored_color_write(&own, result)
      }
    }
    table.negotiate_inks = { raw, request, result in
      guard let session = ReaderCalls.Session.of(raw), let reader = session.reader.storedColorReader,
        let request, let result
      else { return InterfaceStatus.invalidArgument }
      let wanted = DecodeRequest(imgcoder_request_read(request))
      return session.host.run { () throws(CoderError) in
        try session.check(frame: wanted.frame, page: wanted.page)
        var offer = try reader.inkOffer(for: wanted).raw(for: wanted)
        imgcoder_offer_write(&offer, result)
      }
    }
    table.decode_inks = { raw, offer, sink in
      guard let session = ReaderCalls.Session.of(raw), let reader = session.reader.storedColorReader,
        let offer, let sink
      else { return InterfaceStatus.invalidArgument }
      return session.host.run { () throws(CoderError) in
        let accepted = try DecodeOffer(imgcoder_offer_read(offer))
        try session.check(frame: accepted.frame, page: accepted.page)
        try reader.decodeInks(accepted, into: RowSink(sink))
      }
    }
    return UnsafePointer(imgcoder_stored_color_table_keep(table))
  }()
}

extension ReaderCalls.Session {
  /// Puts the curves of a page into memory that lives as long as the session.
  fileprivate func show(_ found: [[UInt16]], page: Int, in raw: inout imgcoder_stored_color) {
    guard found.count == 3, let count = found.first?.count, found.allSatisfy({ $0.count == count }),
      (2...Int(IMGCODER_MAX_CURVE)).contains(count)
    else { return }
    let kept =
      curves[page]
      ?? found.map { curve in
        let memory = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: count)
        _ = memory.initialize(from: curve)
        return memory
      }
    curves[page] = kept
    raw.flags |= UInt32(IMGCODER_COLOR_CURVES)
    raw.curve_length = UInt32(kept[0].count)
    let starts = kept.map { UnsafePointer($0.baseAddress) }
    raw.curves = (starts[0], starts[1], starts[2])
  }
}
