// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Reads Apple's icons: every picture is a page, in the order of the file.
///
/// Pages that are PNG or JPEG 2000 files are left to the coders of those formats.
///
/// - Format: Apple Icon Image, as far as Apple documents it (Inside Macintosh: More Macintosh Toolbox, Icon Utilities)
///   and as its tools write it.
final class ICNSReader: ContainerReader {
  private let host: CoderHost
  private let bytes: UnsafeRawBufferPointer
  private let file: IconFile

  init(_ source: SourceView, host: CoderHost, options: OpenOptions) throws(CoderError) {
    self.host = host
    bytes = try source.contents()
    file = try IconFile(parsing: bytes, limits: host.limits)
  }

  func header(page index: Int) throws(CoderError) -> ImageHeader {
    let page = file.pages[index]
    try host.limits.check(canvas: page.size)
    let isOpaque = page.mask == .absent && !page.isEmbedded
    var (format, bits) = (isOpaque ? PixelFormat.rgb8 : .rgba8, 8)
    switch page.content {
    case .bits, .bitsAndMask: (format, bits) = (isOpaque ? .gray8 : .grayAlpha8, 1)
    case .indexes(let count): bits = count
    case .planes, .png, .jpeg2000: break
    }
    var header = ImageHeader(
      format: .icns, canvas: page.size, pixelFormat: format, bitsPerChannel: bits,
      alpha: isOpaque ? .opaque : .straight)
    header.pageCount = file.pages.count
    header.primaryPage = file.primary
    header.pagesAreSizes = true
    header.embedded = page.isEmbedded ? page.bytes : nil
    header.isTruncated = file.isTruncated
    header.isDamaged = file.isDamaged && !file.isTruncated
    header.isLossless = page.content != .jpeg2000
    if case .indexes = page.content { header.hasPalette = true }
    return header
  }

  func offer(for request: DecodeRequest) throws(CoderError) -> DecodeOffer {
    let header = try header(page: request.page)
    let page = file.pages[request.page]
    guard !page.isEmbedded else {
      throw .unsupported(
        "page \(request.page) is a file of another format, which its coder reads", at: page.bytes.lowerBound)
    }
    let format: PixelFormat =
      switch request.pixelFormat {
      case .rgba8: .rgba8
      case .bgra8: .bgra8
      case .rgb8 where header.alpha == .opaque: .rgb8
      default: header.pixelFormat
      }
    return DecodeOffer(
      request, size: header.canvas, pixelFormat: format, alpha: header.alpha, memory: IconPixels.memory(for: page))
  }

  func decode(_ offer: DecodeOffer, into sink: RowSink) throws(CoderError) {
    let page = file.pages[offer.page]
    guard !page.isEmbedded, offer.size == page.size else {
      throw .invalidArgument("an offer of \(offer.size) for page \(offer.page), which was not made")
    }
    let (width, height) = (page.size.width, page.size.height)
    let memory = try host.allocate(bytes: width * height * 4, for: "the pixels of an icon")
    defer { host.free(memory) }
    let pixels = memory.assumingMemoryBound(to: UInt8.self)
    let rows = try IconPixels(page: page, file: bytes, host: host).make(into: pixels)
    for y in 0..<rows {
      let target = try sink.rows(at: y).base.assumingMemoryBound(to: UInt8.self)
      Self.store(pixels + 4 * width * y, count: width, as: offer.pixelFormat, to: target)
      try sink.done(at: y)
    }
    guard rows == height else {
      let message = "the pixels of \(page.type.code) end in row \(rows) of \(height)"
      if page.isCut || file.isTruncated { throw .truncated(message, at: bytes.count) }
      throw .malformed(message, at: page.bytes.upperBound)
    }
  }

  func properties(page index: Int, frame: Int?) throws(CoderError) -> Properties {
    let page = file.pages[index]
    var properties = Properties()
    guard frame == nil else { return properties }
    func put(_ name: String, _ value: PropertyValue?) { properties["{ICNS}", name] = value }
    put("Type", .text("\(page.type.code)"))
    put("Encoding", .text(page.encoding))
    put("PointWidth", .integer(Int64(page.type.size.width / page.type.scale)))
    put("PointHeight", .integer(Int64(page.type.size.height / page.type.scale)))
    put("Scale", .integer(Int64(page.type.scale)))
    put("Variant", page.variant.map { .text($0) })
    put("HasTableOfContents", .integer(file.hasContents ? 1 : 0))
    put("Name", file.name.map { .text($0) })
    put("Version", file.version.flatMap { $0.isFinite ? .number(Double($0)) : nil })
    put("InfoLength", file.infoLength.map { .integer(Int64($0)) })
    put("Variants", file.variants.isEmpty ? nil : .text(file.variants.joined(separator: " ")))
    return properties
  }

  /// Stores a row; gray is what all three colors of a gray picture are.
  private static func store(
    _ pixels: UnsafeMutablePointer<UInt8>, count: Int, as format: PixelFormat, to target: UnsafeMutablePointer<UInt8>
  ) {
    if format == .rgba8 { return target.update(from: pixels, count: 4 * count) }
    let channels: [Int] =
      switch format {
      case .gray8: [0]
      case .grayAlpha8: [0, 3]
      case .rgb8: [0, 1, 2]
      default: [2, 1, 0, 3]
      }
    var next = target
    for pixel in 0..<count {
      for channel in channels {
        next.pointee = pixels[4 * pixel + channel]
        next += 1
      }
    }
  }
}

extension IconPage {
  /// How pixels are stored, as a property.
  fileprivate var encoding: String {
    switch content {
    case .bits, .bitsAndMask, .indexes: "raw"
    case .planes(let count): count == 4 ? "ARGB" : "RGB"
    case .png: "PNG"
    case .jpeg2000: "JPEG 2000"
    }
  }
}
