// SPDX-License-Identifier: Apache-2.0

package import CImageCoder
import CImageCoderStructs

extension WriteOptions {
  package init(_ raw: imgcoder_write_options) {
    self.init(format: ImageFormat(rawValue: String(raw.format)))
    isLossless = raw.flags & 1 != 0
    values = OptionValue.values(raw.values, count: raw.value_count)
  }

  /// Calls `body` with the same for the plugin interface, valid during the call.
  ///
  /// - Parameter known: The writer's options, which say of what type each value is.
  package func withRaw<Result>(
    _ known: [OptionDescription], _ body: (UnsafePointer<imgcoder_write_options>) -> Result
  ) -> Result {
    var raw = imgcoder_write_options_sized()
    raw.flags = isLossless ? 1 : 0
    return format.rawValue.withCoderString { text in
      raw.format = text
      return OptionValue.withRaw(values, of: known) { values in
        raw.values = values.baseAddress
        raw.value_count = UInt64(values.count)
        return withUnsafePointer(to: raw, body)
      }
    }
  }
}

extension OpenOptions {
  package init(_ raw: imgcoder_open_options) {
    self.init(Hints(rawValue: raw.flags), values: OptionValue.values(raw.values, count: raw.value_count))
  }

  /// Calls `body` with the same for the plugin interface, valid during the call.
  ///
  /// - Parameter known: The reader's options, which say of what type each value is.
  package func withRaw<Result>(
    _ known: [OptionDescription], _ body: (UnsafePointer<imgcoder_open_options>) -> Result
  ) -> Result {
    var raw = imgcoder_open_options_sized()
    raw.flags = hints.rawValue
    guard !values.isEmpty else { return withUnsafePointer(to: raw, body) }
    return OptionValue.withRaw(values, of: known) { values in
      raw.values = values.baseAddress
      raw.value_count = UInt64(values.count)
      return withUnsafePointer(to: raw, body)
    }
  }
}

extension FileOperation {
  /// What the host asks a plugin for.
  package init(_ raw: imgcoder_operation) {
    self.init(String(raw.name), values: OptionValue.values(raw.values, count: raw.value_count))
    let count = raw.blocks == nil ? 0 : Int(clamping: raw.block_count)
    for case let pointer? in UnsafeBufferPointer(start: raw.blocks, count: count) {
      let block = imgcoder_block_read(pointer)
      let length = block.bytes == nil ? 0 : Int(clamping: block.length)
      blocks[String(block.name)] = [UInt8](UnsafeBufferPointer(start: block.bytes, count: length))
    }
  }

  /// Calls `body` with the same for the plugin interface, valid during the call.
  ///
  /// - Parameter known: All values that the operation takes.
  package func withRaw<Result>(
    from: ImageFormat, to: ImageFormat, _ known: [OptionDescription],
    _ body: (UnsafePointer<imgcoder_operation>) -> Result
  ) -> Result {
    let texts = [name, from.rawValue, to.rawValue].map { StaticText($0) }
    let given = blocks.sorted { $0.key < $1.key }.map { RawBlock($0.key, $0.value) }
    return withExtendedLifetime((texts, given)) {
      var raw = imgcoder_operation_sized()
      (raw.name, raw.from, raw.to) = (texts[0].raw, texts[1].raw, texts[2].raw)
      return OptionValue.withRaw(values, of: known) { values in
        (raw.values, raw.value_count) = (values.baseAddress, UInt64(values.count))
        return given.map { Optional($0.raw) }.withUnsafeBufferPointer { blocks in
          (raw.blocks, raw.block_count) = (blocks.baseAddress, UInt64(blocks.count))
          return withUnsafePointer(to: raw, body)
        }
      }
    }
  }
}

extension OptionValue {
  fileprivate static func values(
    _ raw: UnsafePointer<UnsafePointer<imgcoder_option_value>?>?, count: UInt64
  ) -> [String: OptionValue] {
    var values: [String: OptionValue] = [:]
    for case let pointer? in UnsafeBufferPointer(start: raw, count: raw == nil ? 0 : Int(clamping: count)) {
      let value = imgcoder_option_value_read(pointer)
      let isText = value.type == UInt32(IMGCODER_OPTION_TEXT)
      values[String(value.name)] = isText ? .word(String(value.text)) : .number(value.number)
    }
    return values
  }

  /// Calls `body` with values for the plugin interface, valid during the call.
  ///
  /// - Parameter known: The options that they are for.
  package static func withRaw<Result>(
    _ values: [String: OptionValue], of known: [OptionDescription],
    _ body: (UnsafeBufferPointer<UnsafePointer<imgcoder_option_value>?>) -> Result
  ) -> Result {
    let given = values.sorted { $0.key < $1.key }.map { name, value in
      RawOptionValue(name, value, kind: known.first { $0.name == name }?.kind)
    }
    return withExtendedLifetime(given) { given.map { Optional($0.raw) }.withUnsafeBufferPointer(body) }
  }
}

/// A value of an option, in memory of its own.
private final class RawOptionValue {
  private let texts: [StaticText]
  private let storage: UnsafeMutablePointer<imgcoder_option_value>

  var raw: UnsafePointer<imgcoder_option_value> { UnsafePointer(storage) }

  init(_ name: String, _ value: OptionValue, kind: OptionDescription.Kind?) {
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

/// A block of an operation, in memory of its own.
private final class RawBlock {
  private let name: StaticText
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private let storage: UnsafeMutablePointer<imgcoder_block>

  var raw: UnsafePointer<imgcoder_block> { UnsafePointer(storage) }

  init(_ name: String, _ payload: [UInt8]) {
    self.name = StaticText(name)
    bytes = .allocate(capacity: payload.count)
    _ = bytes.initialize(from: payload)
    var raw = imgcoder_block_sized()
    (raw.name, raw.bytes, raw.length) = (self.name.raw, UnsafePointer(bytes.baseAddress), UInt64(bytes.count))
    storage = .allocate(capacity: 1)
    storage.initialize(to: raw)
  }

  deinit {
    bytes.deallocate()
    storage.deallocate()
  }
}
