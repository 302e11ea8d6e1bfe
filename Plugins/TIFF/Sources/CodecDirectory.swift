// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A TIFF file in memory with one directory and no pixels: all that libtiff gets to know of a picture.
///
/// Only tags that decide how strips and tiles are coded are in it, and only with values that were checked.
struct CodecDirectory {
  private let isBigEndian: Bool
  /// Tag, type, number of values, values in the file's byte order.
  private var entries: [(tag: Int, type: Int, count: Int, value: [UInt8])] = []

  /// - Parameter striles: Strips or tiles of all planes.
  init(_ picture: TIFFPicture, striles: Int) {
    isBigEndian = picture.directory.file.isBigEndian
    let samples = picture.samples
    long(Tag.imageWidth, picture.canvas.width)
    long(Tag.imageLength, picture.canvas.height)
    shorts(Tag.bitsPerSample, Array(repeating: samples.bits, count: samples.count))
    shorts(Tag.compression, [picture.compression.code])
    shorts(Tag.photometric, [picture.compression == .jpeg ? jpegPhotometric(samples) : samples.photometric.rawValue])
    if picture.isReversed { shorts(Tag.fillOrder, [2]) }
    shorts(Tag.samplesPerPixel, [samples.count])
    shorts(Tag.planarConfiguration, [samples.isPlanar ? 2 : 1])
    if picture.predictor != 1 { shorts(Tag.predictor, [picture.predictor]) }
    // libtiff knows samples by their size alone; it refuses a pixel of more of them than it has heard of.
    let extra = samples.count - samples.photometric.channelCount
    if extra > 0 { shorts(Tag.extraSamples, Array(repeating: 0, count: extra)) }
    shorts(Tag.sampleFormat, Array(repeating: samples.number.rawValue, count: samples.count))
    if samples.photometric == .palette {
      // libtiff wants one; nobody looks at it.
      entries.append((Tag.colorMap, TagType.short, 3 << samples.bits, []))
    }
    if picture.isTiled {
      long(Tag.tileWidth, picture.strile.width)
      long(Tag.tileLength, picture.strile.height)
      entries.append((Tag.tileOffsets, TagType.long, striles, []))
      entries.append((Tag.tileByteCounts, TagType.long, striles, []))
    } else {
      long(Tag.rowsPerStrip, picture.strile.height)
      entries.append((Tag.stripOffsets, TagType.long, striles, []))
      entries.append((Tag.stripByteCounts, TagType.long, striles, []))
    }
  }

  /// Without colour conversion, libtiff wants to hear nothing of YCbCr: planes are gray to libjpeg.
  private func jpegPhotometric(_ samples: Samples) -> Int {
    samples.photometric == .yCbCr && samples.isPlanar ? Photometric.minIsBlack.rawValue : samples.photometric.rawValue
  }

  /// Adds a tag's value as the file has it.
  mutating func add(_ tag: Int, type: Int, count: Int, value: [UInt8]) {
    entries.append((tag, type, count, value))
  }

  mutating func setSubsampling(_ factors: (horizontal: Int, vertical: Int)) {
    shorts(Tag.yCbCrSubsampling, [factors.horizontal, factors.vertical])
  }

  private mutating func long(_ tag: Int, _ value: Int) {
    entries.append((tag, TagType.long, 1, bytes(value, count: 4)))
  }

  private mutating func shorts(_ tag: Int, _ values: [Int]) {
    entries.append((tag, TagType.short, values.count, values.flatMap { bytes($0, count: 2) }))
  }

  private func bytes(_ value: Int, count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }

  /// The file. Offsets that nobody follows lead to zeros at its end.
  var file: [UInt8] {
    let sorted = entries.sorted { $0.tag < $1.tag }
    let values = 8 + 2 + 12 * sorted.count + 4
    let zeros = sorted.reduce(values) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    var head: [UInt8] = isBigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
    head += bytes(8, count: 4) + bytes(sorted.count, count: 2)
    var tail: [UInt8] = []
    for entry in sorted {
      head += bytes(entry.tag, count: 2) + bytes(entry.type, count: 2) + bytes(entry.count, count: 4)
      if entry.value.isEmpty {
        head += entry.count == 1 ? [0, 0, 0, 0] : bytes(zeros, count: 4)
      } else if entry.value.count <= 4 {
        head += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        head += bytes(values + tail.count, count: 4)
        tail += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
      }
    }
    let colours = sorted.first { $0.tag == Tag.colorMap }?.count ?? 0
    return head + [0, 0, 0, 0] + tail + [UInt8](repeating: 0, count: max(64, 2 * colours))
  }
}
