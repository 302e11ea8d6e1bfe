// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A frame header, T.81 B.2.2.
struct FrameParameters {
  /// One channel's sampling factors, `Hi` and `Vi`: 1 to 4.
  struct Channel {
    /// By which scans name it.
    let identifier: UInt8
    let horizontal: Int
    let vertical: Int
    /// The number of its quantization table.
    let quantizer: Int
  }

  /// How samples are stored.
  enum Process {
    case transform, lossless
  }

  let size: Size
  let isProgressive: Bool
  let isArithmetic: Bool
  let process: Process
  /// Bits of a sample: 8 or 12; 2 to 16 of the lossless process.
  let precision: Int
  /// 1, 3 or 4.
  let channels: [Channel]

  /// Reads the payload of an SOF marker's segment.
  ///
  /// - Parameters:
  ///   - reader: Of the payload alone.
  ///   - lines: The height that counts if the header says 0: that of a DNL marker, T.81 B.2.5.
  /// - Throws: ``CoderError/Code/unsupported`` for processes that are not decoded here.
  init(parsing reader: inout ByteReader, marker: UInt8, lines: Int = 0) throws(CoderError) {
    let place = reader.offset
    switch marker {
    case 0xC0...0xC3, 0xC9, 0xCA: break
    case 0xCB: throw .unsupported("lossless JPEG with arithmetic codes (marker \(marker.hex))", at: place)
    default: throw .unsupported("hierarchical JPEG (marker \(marker.hex)); DCT-based frames are read", at: place)
    }
    isProgressive = marker == 0xC2 || marker == 0xCA
    isArithmetic = marker >= 0xC9
    guard reader.count >= 6 else {
      throw .malformed("frame header of \(reader.count) bytes, at least 6 are needed", at: place)
    }
    process = marker == 0xC3 ? .lossless : .transform
    precision = Int(try reader.uint8("the precision"))
    let isKnown =
      process == .lossless
      ? (2...16).contains(precision) : precision == 8 || precision == 12 && (marker == 0xC1 || marker == 0xC2)
    guard isKnown else {
      throw .unsupported(
        "\(precision) bits per channel of marker \(marker.hex); 8 are read, 12 with Huffman codes of an extended or "
          + "progressive file, and 2 to 16 of a lossless one", at: place)
    }
    let stated = Int(try reader.uint16("the height"))
    let height = stated > 0 ? stated : lines
    size = Size(width: Int(try reader.uint16("the width")), height: height)
    let count = Int(try reader.uint8("the number of channels"))
    guard reader.count == 6 + 3 * count else {
      throw .malformed(
        "frame header of \(reader.count) bytes for \(count) channels, which need \(6 + 3 * count)", at: place)
    }
    guard height > 0 else {
      throw .malformed("height of 0, and no DNL marker after the first scan gives another", at: place + 1)
    }
    guard size.width > 0 else { throw .malformed("canvas of \(size), at least 1×1 is needed", at: place + 3) }
    guard max(size.width, height) <= LibJPEG.maximumSide else {
      throw .unsupported("canvas of \(size); libjpeg reads sides up to \(LibJPEG.maximumSide)", at: place + 1)
    }
    guard count == 1 || count == 3 || count == 4 else {
      throw .unsupported("\(count) channels; 1, 3 and 4 are read", at: place + 5)
    }
    var channels: [Channel] = []
    channels.reserveCapacity(count)
    for _ in 0..<count {
      let identifier = try reader.uint8("a channel's number")
      let factors = try reader.uint8("sampling factors")
      let channel = Channel(
        identifier: identifier, horizontal: Int(factors >> 4), vertical: Int(factors & 15),
        quantizer: Int(try reader.uint8("a table's number")))
      guard 1...4 ~= channel.horizontal, 1...4 ~= channel.vertical else {
        throw .malformed(
          "sampling factors of \(channel.horizontal)×\(channel.vertical), 1 to 4 are allowed", at: reader.offset - 2)
      }
      channels.append(channel)
    }
    self.channels = channels
    if isDeep, count == 4 { throw .unsupported("four channels of \(precision) bits, or without loss", at: place + 5) }
    if process == .lossless, channels.contains(where: { $0.horizontal != 1 || $0.vertical != 1 }) {
      throw .unsupported("lossless channels of different sizes", at: place + 5)
    }
  }

  /// Whether libjpeg does not decode it.
  var isDeep: Bool { process == .lossless || precision != 8 }

  /// MCUs of a scan of all channels, and the largest sampling factors.
  var units: (width: Int, height: Int, widest: Int, tallest: Int) {
    (size.width.dividedUp(by: 8 * widest), size.height.dividedUp(by: 8 * tallest), widest, tallest)
  }

  /// Samples of a channel that show a pixel (T.81 A.1.1).
  func sampleSize(of channel: Int) -> Size {
    let factors = channels[channel]
    return Size(
      width: (size.width * factors.horizontal).dividedUp(by: widest),
      height: (size.height * factors.vertical).dividedUp(by: tallest))
  }

  /// Blocks of a channel in whole MCUs.
  func paddedBlocks(of channel: Int) -> (columns: Int, rows: Int) {
    (units.width * channels[channel].horizontal, units.height * channels[channel].vertical)
  }

  /// Chroma subsampling, or nil when it has no common name.
  var subsampling: Subsampling? {
    guard channels.count >= 3 else { return .s400 }
    let luma = channels[0]
    let chroma = channels[1]
    guard chroma.horizontal == channels[2].horizontal, chroma.vertical == channels[2].vertical,
      luma.horizontal % chroma.horizontal == 0, luma.vertical % chroma.vertical == 0
    else { return nil }
    return switch (luma.horizontal / chroma.horizontal, luma.vertical / chroma.vertical) {
    case (1, 1): .s444
    case (2, 1): .s422
    case (2, 2): .s420
    case (1, 2): .s440
    case (4, 1): .s411
    default: nil
    }
  }

  /// The pixels that one MCU of a scan of all channels shows. One channel is stored block by block (T.81 A.2.2).
  var unit: Size { channels.count == 1 ? Size(width: 8, height: 8) : Size(width: 8 * widest, height: 8 * tallest) }

  private var widest: Int { channels.reduce(1) { max($0, $1.horizontal) } }
  private var tallest: Int { channels.reduce(1) { max($0, $1.vertical) } }

  /// Blocks of 8×8 samples that every complete file holds at least one code for.
  var blockCount: Int {
    channels.reduce(0) { count, channel in
      let across = (size.width * channel.horizontal).dividedUp(by: 8 * widest)
      let down = (size.height * channel.vertical).dividedUp(by: 8 * tallest)
      return count + across * down
    }
  }

  /// Bytes of libjpeg's coefficient arrays, which a file of several scans needs: 2 for each coefficient, padded to
  /// whole MCUs.
  var coefficientBytes: Int {
    let across = size.width.dividedUp(by: 8 * widest)
    let down = size.height.dividedUp(by: 8 * tallest)
    return channels.reduce(0) { $0 + across * $1.horizontal * down * $1.vertical * 128 }
  }

  /// Bytes that decoding takes where libjpeg does not: samples, and coefficients.
  var deepBytes: Int {
    let samples = channels.indices.reduce(0) { $0 + sampleSize(of: $1).pixelCount * 2 }
    return samples + (process == .transform ? coefficientBytes : 0) + size.width * channels.count * 2 + 1 << 20
  }

  /// Bytes of libjpeg's row buffers, an estimate: three MCU rows of every channel at full width, and tables.
  var rowBytes: Int {
    let width = size.width.dividedUp(by: 8 * widest) * 8 * widest
    return width * channels.count * tallest * 8 * 3 + 128 << 10
  }
}

extension Int {
  /// The quotient rounded up; both are positive.
  func dividedUp(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
