// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// A TIFF file in memory with one directory and no pixels: all that libtiff gets to know of a picture.
///
/// Only tags that decide how strips and tiles are coded are in it, and only with values that were checked.
struct CodecDirectory {
  private let writer: TIFFFieldWriter
  private var fields: [TIFFField] = []

  /// - Parameter striles: Strips or tiles of all planes.
  init(_ picture: TIFFPicture, striles: Int) {
    writer = TIFFFieldWriter(order: picture.directory.file.order, isBigTIFF: false)
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
      // libtiff refuses a palette picture without one.
      unread(Tag.colorMap, TagType.short, 3 << samples.bits)
    }
    if picture.isTiled {
      long(Tag.tileWidth, picture.strile.width)
      long(Tag.tileLength, picture.strile.height)
      unread(Tag.tileOffsets, TagType.long, striles)
      unread(Tag.tileByteCounts, TagType.long, striles)
    } else {
      long(Tag.rowsPerStrip, picture.strile.height)
      unread(Tag.stripOffsets, TagType.long, striles)
      unread(Tag.stripByteCounts, TagType.long, striles)
    }
  }

  /// Planes are gray pictures to libjpeg: without color conversion, libtiff refuses YCbCr.
  private func jpegPhotometric(_ samples: Samples) -> Int {
    samples.photometric == .yCbCr && samples.isPlanar ? Photometric.minIsBlack.rawValue : samples.photometric.rawValue
  }

  /// Adds a tag's value as the file has it.
  mutating func add(_ tag: Int, type: TagType, count: Int, value: [UInt8]) {
    fields.append(TIFFField(tag: tag, type: type, count: count, value: value))
  }

  mutating func setSubsampling(_ factors: (horizontal: Int, vertical: Int)) {
    shorts(Tag.yCbCrSubsampling, [factors.horizontal, factors.vertical])
  }

  private mutating func long(_ tag: Int, _ value: Int) { fields.append(writer.long(tag, value)) }

  private mutating func shorts(_ tag: Int, _ values: [Int]) { fields.append(writer.shorts(tag, values)) }

  /// A tag whose values libtiff wants to be there and does not read.
  private mutating func unread(_ tag: Int, _ type: TagType, _ count: Int) {
    fields.append(TIFFField(tag: tag, type: type, count: count, value: []))
  }

  /// The file. Values that are not read lie in zeros at its end, all at the same place.
  var file: [UInt8] {
    let sorted = fields.sorted { $0.tag < $1.tag }
    let values = writer.headerSize + 2 + 12 * sorted.count + 4
    let zeros = sorted.reduce(values) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    var head = ByteWriter(order: writer.order)
    var tail = ByteWriter(order: writer.order)
    head.put(writer.header(firstDirectory: writer.headerSize))
    head.put(UInt16(sorted.count))
    for field in sorted {
      head.put(UInt16(truncatingIfNeeded: field.tag))
      head.put(UInt16(truncatingIfNeeded: field.type.rawValue))
      head.put(UInt32(truncatingIfNeeded: field.count))
      if field.value.isEmpty {
        head.put(UInt32(truncatingIfNeeded: field.count == 1 ? 0 : zeros))
      } else if field.value.count <= 4 {
        head.put(field.value)
        head.putZeros(4 - field.value.count)
      } else {
        head.put(UInt32(truncatingIfNeeded: values + tail.count))
        tail.put(field.value)
        tail.putZeros(tail.count % 2)
      }
    }
    head.putZeros(4)  // no further directory
    head.put(tail.bytes)
    let colors = sorted.first { $0.tag == Tag.colorMap }?.count ?? 0
    head.putZeros(max(64, 2 * colors))
    return head.bytes
  }
}
