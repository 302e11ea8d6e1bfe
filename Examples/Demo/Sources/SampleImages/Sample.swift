// SPDX-License-Identifier: Apache-2.0

public import ImageCoders

/// A picture that is drawn, not photographed, and the files it is written to. Every run gives the same bytes.
public struct Sample: Sendable {
  /// One file of a sample.
  public struct File: Sendable {
    public let name: String
    public let format: ImageFormat
    public var options = EncodeOptions()
    /// The Exif orientation of the file; its pixels are stored turned to match.
    public var orientation = Orientation.up

    init(_ name: String, _ format: ImageFormat, _ change: (inout EncodeOptions) -> Void = { _ in }) {
      self.name = name
      self.format = format
      change(&options)
    }
  }

  public let files: [File]
  private let draw: @Sendable () throws(CoderError) -> [Image]

  init(_ files: [File], _ draw: @escaping @Sendable () throws(CoderError) -> Image) {
    self.init(pages: files) { () throws(CoderError) in [try draw()] }
  }

  init(pages files: [File], _ draw: @escaping @Sendable () throws(CoderError) -> [Image]) {
    self.files = files
    self.draw = draw
  }

  /// Draws the picture, or all pages of a sample that has several.
  public func pages() throws(CoderError) -> [Image] { try draw() }

  /// The bytes of one of the sample's files.
  ///
  /// - Throws: ``CoderError/Code/noCoder`` when nothing writes the format.
  public static func encode(_ pages: [Image], as file: File, with registry: CoderRegistry) throws(CoderError) -> [UInt8]
  {
    let bytes = try registry.encode(pages, as: file.format, options: file.options)
    return file.orientation == .up ? bytes : ExifSegment.insert(file.orientation, into: bytes)
  }
}

extension Sample {
  /// All samples.
  public static let all: [Sample] = [
    Sample([
      File("landscape.png", .png), File("landscape.jpg", .jpeg) { $0.quality = 0.9 },
      File("landscape-progressive.jpg", .jpeg) {
        $0.quality = 0.75
        $0.isProgressive = true
      },
      File("landscape.webp", .webP) { $0.quality = 0.8 }, File("landscape.avif", .avif) { $0.quality = 0.7 },
      File("landscape.heic", .heic) { $0.quality = 0.7 }, File("landscape.jxl", .jpegXL) { $0.quality = 0.8 },
      File("landscape.jp2", .jpeg2000) { $0.quality = 0.7 },
    ]) { () throws(CoderError) in
      var image = Image(try Landscape(size: Size(width: 1200, height: 800)).painted().pixels(hasAlpha: false))
      image.metadata[.xmp] = Array(xmp.utf8)
      return image
    },
    Sample([File("landscape-gray.jpg", .jpeg) { $0.quality = 0.9 }]) { () throws(CoderError) in
      Image(
        try Landscape(size: Size(width: 600, height: 400)).painted().pixels(hasAlpha: false)
          .converted(to: PixelLayout(.gray8, .opaque)))
    },
    Sample([orientation6]) { () throws(CoderError) in
      // The picture is 600 × 400 when upright. It is stored as a camera stores it that was held on its side.
      Image(
        try Landscape(size: Size(width: 600, height: 400)).painted().pixels(hasAlpha: false).oriented(by: .left))
    },
    Sample([
      File("window.png", .png), File("window.gif", .gif), File("window-lossless.webp", .webP) { $0.isLossless = true },
      File("window.bmp", .bmp), File("window.qoi", .qoi), File("window.ppm", .pnm),
    ]) { () throws(CoderError) in Image(try Window.painted().pixels(hasAlpha: false)) },
    Sample([
      File("shapes-alpha.png", .png), File("shapes-alpha.webp", .webP) { $0.quality = 0.8 },
      File("shapes-alpha.gif", .gif),
    ]) { () throws(CoderError) in Image(try Shapes.painted().pixels(hasAlpha: true)) },
    Sample([File("gradient-16bit.png", .png), File("gradient-16bit.tiff", .tiff)]) { () throws(CoderError) in
      Image(try Gradient.painted().deepPixels())
    },
    Sample([
      File("balls.gif", .gif), File("balls.apng", .png), File("balls.webp", .webP) { $0.quality = 0.8 },
      File("balls.avif", .avif) { $0.quality = 0.7 },
    ]) { () throws(CoderError) in
      try animation(Balls.frameCount, .milliseconds(40), hasAlpha: false) { Balls.painted($0) }
    },
    Sample([
      File("comet-alpha.apng", .png), File("comet-alpha.webp", .webP) { $0.isLossless = true },
      File("comet-alpha.gif", .gif), File("comet-alpha.jxl", .jpegXL) { $0.isLossless = true },
    ]) { () throws(CoderError) in
      try animation(Comet.frameCount, .milliseconds(50), hasAlpha: true) { Comet.painted($0) }
    },
    Sample([
      File("icon.ico", .ico) { $0.iconSizes = [16, 32, 48, 128] },
      File("icon.icns", .icns) { $0.iconSizes = [16, 32, 128] },
    ]) { () throws(CoderError) in Image(try Comet.painted(5).pixels(hasAlpha: true)) },
    Sample(pages: [File("pages.tiff", .tiff)]) { () throws(CoderError) in
      [
        Image(try Window.painted().pixels(hasAlpha: false)), Image(try Shapes.painted().pixels(hasAlpha: true)),
        Image(try Gradient.painted().deepPixels()),
      ]
    },
  ]

  private static var orientation6: File {
    var file = File("landscape-orientation-6.jpg", .jpeg) { $0.quality = 0.9 }
    file.orientation = .right
    return file
  }

  private static func animation(
    _ count: Int, _ delay: FrameDelay, hasAlpha: Bool, _ paint: (Int) -> Painting
  ) throws(CoderError) -> Image {
    var frames: [Frame] = []
    for index in 0..<count {
      frames.append(Frame(pixels: try paint(index).pixels(hasAlpha: hasAlpha), delay: delay))
    }
    return Image(frames: frames)
  }

  private static let xmp = """
    <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
    xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
    xmlns:dc="http://purl.org/dc/elements/1.1/" dc:format="image/sample"/></rdf:RDF></x:xmpmeta><?xpacket end="r"?>
    """
}

/// An Exif segment with the orientation of a JPEG picture and nothing else.
///
/// Encoding pixels writes an upright picture, so the tag of a turned one is inserted afterwards.
enum ExifSegment {
  static func insert(_ orientation: Orientation, into file: [UInt8]) -> [UInt8] {
    // TIFF 6.0 §2: big-endian header, IFD0 at 8 with one entry: tag 0x0112, SHORT, one value.
    let payload: [UInt8] =
      Array("Exif\0\0MM\0*".utf8)
      + [0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0, 0, 0, 0, 0]
    let length = payload.count + 2
    let segment = [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    return file.prefix(2) + segment + file.dropFirst(2)
  }
}
