// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs

extension DecodeRequest {
  package init(_ raw: imgcoder_request) {
    self.init(
      page: Int(raw.page), frame: Int(raw.frame),
      size: raw.width == 0 || raw.height == 0 ? nil : Size(width: Int(raw.width), height: Int(raw.height)),
      part: raw.part_width == 0 || raw.part_height == 0
        ? nil
        : Rect(
          x: Int(raw.part_x), y: Int(raw.part_y), width: Int(raw.part_width), height: Int(raw.part_height)),
      pixelFormat: PixelFormat(rawValue: raw.pixel_format), rowFormat: RowFormat(rawValue: raw.pixel_format),
      alpha: AlphaMode(rawValue: raw.alpha) ?? .straight,
      rowOrder: raw.flags & UInt32(IMGCODER_REQUEST_TOP_DOWN) != 0 ? .topDown : .any)
  }

  package var raw: imgcoder_request {
    var request = imgcoder_request_sized()
    request.page = UInt32(clamping: page)
    request.frame = UInt32(clamping: frame)
    request.width = UInt32(clamping: size?.width ?? 0)
    request.height = UInt32(clamping: size?.height ?? 0)
    if let part {
      request.part_x = UInt32(clamping: part.x)
      request.part_y = UInt32(clamping: part.y)
      request.part_width = UInt32(clamping: part.width)
      request.part_height = UInt32(clamping: part.height)
    }
    request.pixel_format = rowFormat?.rawValue ?? pixelFormat?.rawValue ?? 0
    request.alpha = alpha.rawValue
    if rowOrder == .topDown { request.flags |= UInt32(IMGCODER_REQUEST_TOP_DOWN) }
    return request
  }
}

extension DecodeOffer {
  /// Checks what a reader offers.
  ///
  /// - Throws: ``CoderError/Code/libraryFailure`` when the reader breaks the interface.
  package init(_ raw: imgcoder_offer, for request: DecodeRequest) throws(CoderError) {
    let rowFormat = RowFormat(rawValue: raw.pixel_format)
    guard let pixelFormat = rowFormat?.pixelFormat ?? PixelFormat(rawValue: raw.pixel_format),
      let alpha = AlphaMode(rawValue: raw.alpha),
      let order = RowOrder(rawValue: raw.row_order), raw.width > 0, raw.height > 0
    else {
      throw .libraryFailure(
        "the reader offers \(raw.width)×\(raw.height), pixel format \(raw.pixel_format), alpha mode \(raw.alpha), row order \(raw.row_order)"
      )
    }
    let isPart = raw.whole_width != 0 && raw.whole_height != 0
    let part = Rect(
      x: isPart ? Int(raw.part_x) : 0, y: isPart ? Int(raw.part_y) : 0, width: Int(raw.width), height: Int(raw.height))
    let whole = isPart ? Size(width: Int(raw.whole_width), height: Int(raw.whole_height)) : part.size
    guard part.isInside(whole) else {
      throw .libraryFailure("the reader offers \(part.size) at \(part.x),\(part.y) of a whole of \(whole)")
    }
    for (covered, side) in [(raw.covered_width, whole.width), (raw.covered_height, whole.height)] {
      guard covered == 0 || (covered > Double(side) - 1 && covered <= Double(side)) else {
        throw .libraryFailure("the reader offers \(side) columns or rows, of which the frame covers \(covered)")
      }
    }
    self.init(
      request, size: whole, part: part, pixelFormat: pixelFormat, alpha: alpha, rowOrder: order,
      scaleCode: raw.scale_code, memory: Int(clamping: raw.memory),
      covered: (
        raw.covered_width == 0 ? Double(whole.width) : raw.covered_width,
        raw.covered_height == 0 ? Double(whole.height) : raw.covered_height
      ))
    if let rowFormat {
      self.rowFormat = rowFormat
      self.alpha = rowFormat.isInks ? .straight : .opaque
    }
  }

  package init(_ raw: imgcoder_offer) throws(CoderError) {
    try self.init(raw, for: DecodeRequest(page: Int(raw.page), frame: Int(raw.frame)))
  }

  /// The same for the plugin interface; what the request does not get is marked as unmet.
  package func raw(for request: DecodeRequest?) -> imgcoder_offer {
    var offer = imgcoder_offer_sized()
    offer.page = UInt32(clamping: page)
    offer.frame = UInt32(clamping: frame)
    offer.width = UInt32(clamping: size.width)
    offer.height = UInt32(clamping: size.height)
    offer.pixel_format = rowFormat?.rawValue ?? pixelFormat.rawValue
    offer.alpha = rowFormat == nil ? alpha.rawValue : AlphaMode.opaque.rawValue
    offer.row_order = rowOrder.rawValue
    offer.scale_code = scaleCode
    offer.memory = UInt64(clamping: memory)
    if coveredWidth < Double(whole.width) { offer.covered_width = coveredWidth }
    if coveredHeight < Double(whole.height) { offer.covered_height = coveredHeight }
    if size != whole {
      offer.part_x = UInt32(clamping: part.x)
      offer.part_y = UInt32(clamping: part.y)
      offer.whole_width = UInt32(clamping: whole.width)
      offer.whole_height = UInt32(clamping: whole.height)
    }
    if let request {
      if let wanted = request.size, wanted != whole { offer.unmet |= 1 }
      let wanted = request.rowFormat?.rawValue ?? request.pixelFormat?.rawValue
      if let wanted, wanted != offer.pixel_format { offer.unmet |= 2 }
      if rowFormat == nil, pixelFormat.hasAlpha, alpha != .opaque, request.alpha != alpha { offer.unmet |= 4 }
      if let wanted = request.part, wanted != part { offer.unmet |= 8 }
    }
    return offer
  }
}

/// Text of the plugin interface in memory of its own.
package final class StaticText: @unchecked Sendable {
  package let raw: imgcoder_string
  private let storage: UnsafeMutableBufferPointer<CChar>

  package init(_ text: String) {
    let bytes = Array(text.utf8)
    storage = .allocate(capacity: bytes.count)
    _ = storage.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
    raw = imgcoder_string(bytes: UnsafePointer(storage.baseAddress), length: UInt64(bytes.count))
  }

  deinit { storage.deallocate() }

  private static let kept = Lock<[StaticText]>([])

  /// The text, with memory that is never freed and that leak checkers can find.
  package var keptForProcess: imgcoder_string {
    Self.kept.withLock { $0.append(self) }
    return raw
  }
}
