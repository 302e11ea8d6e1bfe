// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs
import Synchronization

extension DecodeRequest {
  package init(_ raw: imgcoder_request) {
    self.init(
      page: Int(raw.page), frame: Int(raw.frame),
      size: raw.width == 0 || raw.height == 0 ? nil : Size(width: Int(raw.width), height: Int(raw.height)),
      pixelFormat: PixelFormat(rawValue: raw.pixel_format), alpha: AlphaMode(rawValue: raw.alpha) ?? .straight)
  }

  package var raw: imgcoder_request {
    var request = imgcoder_request_sized()
    request.page = UInt32(clamping: page)
    request.frame = UInt32(clamping: frame)
    request.width = UInt32(clamping: size?.width ?? 0)
    request.height = UInt32(clamping: size?.height ?? 0)
    request.pixel_format = pixelFormat?.rawValue ?? 0
    request.alpha = alpha.rawValue
    return request
  }
}

extension DecodeOffer {
  /// Checks what a reader offers.
  ///
  /// - Throws: ``CoderError/Code/library`` when the reader breaks the interface.
  package init(_ raw: imgcoder_offer, for request: DecodeRequest) throws(CoderError) {
    guard let pixelFormat = PixelFormat(rawValue: raw.pixel_format), let alpha = AlphaMode(rawValue: raw.alpha),
      let order = RowOrder(rawValue: raw.row_order), raw.width > 0, raw.height > 0
    else {
      throw .library(
        "the reader offers \(raw.width)×\(raw.height), pixel format \(raw.pixel_format), alpha mode \(raw.alpha), row order \(raw.row_order)"
      )
    }
    self.init(
      request, size: Size(width: Int(raw.width), height: Int(raw.height)), pixelFormat: pixelFormat, alpha: alpha,
      rowOrder: order, scaleCode: raw.scale_code, memory: Int(clamping: raw.memory))
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
    offer.pixel_format = pixelFormat.rawValue
    offer.alpha = alpha.rawValue
    offer.row_order = rowOrder.rawValue
    offer.scale_code = scaleCode
    offer.memory = UInt64(clamping: memory)
    if let request {
      if let wanted = request.size, wanted != size { offer.unmet |= 1 }
      if let wanted = request.pixelFormat, wanted != pixelFormat { offer.unmet |= 2 }
      if pixelFormat.hasAlpha, alpha != .opaque, request.alpha != alpha { offer.unmet |= 4 }
    }
    return offer
  }
}

extension WriteOptions {
  package init(_ raw: imgcoder_write_options) {
    self.init(format: ImageFormat(rawValue: String(raw.format)))
    isLossless = raw.flags & 1 != 0
    let count = raw.values == nil ? 0 : Int(clamping: raw.value_count)
    for case let pointer? in UnsafeBufferPointer(start: raw.values, count: count) {
      let value = imgcoder_option_value_read(pointer)
      let isText = value.type == UInt32(IMGCODER_OPTION_TEXT)
      values[String(value.name)] = isText ? .word(String(value.text)) : .number(value.number)
    }
  }

  /// Calls `body` with the same for the plugin interface, valid during the call.
  ///
  /// - Parameter known: The writer's options, which say of what type each value is.
  package func withRaw<Result>(
    _ known: [OptionDescription], _ body: (UnsafePointer<imgcoder_write_options>) -> Result
  ) -> Result {
    var raw = imgcoder_write_options_sized()
    raw.flags = isLossless ? 1 : 0
    let given = values.sorted { $0.key < $1.key }.map { name, value in
      RawOptionValue(name, value, known.first { $0.name == name }?.kind)
    }
    return format.rawValue.withCoderString { text in
      raw.format = text
      return given.map { Optional($0.raw) }.withUnsafeBufferPointer { values in
        raw.values = values.baseAddress
        raw.value_count = UInt64(values.count)
        return withExtendedLifetime(given) { withUnsafePointer(to: raw, body) }
      }
    }
  }
}

/// A value of an option, in memory of its own.
private final class RawOptionValue {
  private let texts: [StaticText]
  private let storage: UnsafeMutablePointer<imgcoder_option_value>

  var raw: UnsafePointer<imgcoder_option_value> { UnsafePointer(storage) }

  init(_ name: String, _ value: OptionValue, _ kind: OptionDescription.Kind?) {
    var raw = imgcoder_option_value_sized()
    var text = ""
    switch value {
    case .boolean(let isOn): raw.number = isOn ? 1 : 0
    case .number(let number): raw.number = number
    case .word(let word): text = word
    }
    if case .choice(let words, _)? = kind, let index = Int(exactly: raw.number), words.indices.contains(index) {
      text = words[index]
    }
    raw.type = kind?.rawType ?? 0
    texts = [StaticText(name), StaticText(text)]
    raw.name = texts[0].raw
    raw.text = texts[1].raw
    storage = .allocate(capacity: 1)
    storage.initialize(to: raw)
  }

  deinit { storage.deallocate() }
}

extension OptionDescription.Kind {
  /// The number of the type in the plugin interface.
  package var rawType: UInt32 {
    switch self {
    case .boolean: UInt32(IMGCODER_OPTION_BOOLEAN)
    case .integer: UInt32(IMGCODER_OPTION_INTEGER)
    case .number: UInt32(IMGCODER_OPTION_NUMBER)
    case .choice: UInt32(IMGCODER_OPTION_CHOICE)
    case .text: UInt32(IMGCODER_OPTION_TEXT)
    }
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

  private static let kept = Mutex<[StaticText]>([])

  /// The text, with memory that is never freed and that leak checkers can find.
  package var keptForProcess: imgcoder_string {
    Self.kept.withLock { $0.append(self) }
    return raw
  }
}
