// SPDX-License-Identifier: Apache-2.0

/// What is known of a page without its pixels.
public struct ImageHeader: Sendable, Equatable {
  /// The format as the reader found it.
  public var format: ImageFormat
  /// Pixels as stored, before orientation.
  public var canvas: Size
  /// The narrowest pixel format that holds every pixel without loss.
  public var pixelFormat: PixelFormat
  /// Bits per channel as stored: 1 to 32.
  public var bitsPerChannel: Int
  public var alpha: AlphaMode
  /// What is still to be applied. A reader whose library applies it says ``Orientation/up``.
  public var orientation: Orientation
  /// Frames of the animation, at least 1.
  public var frameCount: Int
  /// Whether frames are steps in time.
  public var isAnimated: Bool
  /// Independent pictures in the file, at least 1.
  public var pageCount: Int
  /// The page to show when none is named.
  public var primaryPage: Int
  /// What the file says of its loops, or nil when it says nothing.
  public var loopCount: LoopCount?
  public var cicp: CodingIndependentCodePoints?
  /// The gamma of encoding, 0.45455 for sRGB-like, or nil.
  public var gamma: Double?
  public var subsampling: Subsampling?
  /// The file's own background, which the canvas ignores; red, green, blue, alpha, 0 to 65535.
  public var background: Background?
  /// Which raw payloads the file has.
  public var metadata: Set<MetadataKind>
  /// Whether the file ends early; ``frameCount`` counts what is there.
  public var isTruncated: Bool
  /// Whether the file breaks its format's rules further on; ``frameCount`` counts what is there.
  public var isDamaged: Bool
  /// Whether coarse rows come before fine ones.
  public var isProgressive: Bool
  /// Whether this file's pixels are stored without loss.
  public var isLossless: Bool
  /// Whether this file's pixels are stored as indexes into a palette.
  public var hasPalette: Bool
  /// Whether all pages show one picture, in several sizes or depths, as an icon's do.
  public var pagesAreSizes: Bool
  /// Where the page's own file is in the source, when the page is a file of another format inside this one.
  ///
  /// A reader that says so is asked for no pixels: the host opens that file with the coder it has for it.
  public var embedded: Range<Int>?
  /// Whether bytes still arrive: what stands behind the pixels is not known yet, and of an animation ``frameCount``
  /// counts the frames so far.
  public var isGrowing: Bool

  public init(format: ImageFormat, canvas: Size, pixelFormat: PixelFormat, bitsPerChannel: Int, alpha: AlphaMode) {
    self.format = format
    self.canvas = canvas
    self.pixelFormat = pixelFormat
    self.bitsPerChannel = bitsPerChannel
    self.alpha = alpha
    self.orientation = .up
    self.frameCount = 1
    self.isAnimated = false
    self.pageCount = 1
    self.primaryPage = 0
    self.metadata = []
    self.isTruncated = false
    self.isDamaged = false
    self.isProgressive = false
    self.isLossless = false
    self.hasPalette = false
    self.pagesAreSizes = false
    self.isGrowing = false
  }

  /// Whether frames may follow those that ``frameCount`` counts.
  var mayGainFrames: Bool { isGrowing && isAnimated }

  /// The size at which the picture is shown.
  public var displayedSize: Size { orientation.displayed(canvas) }
}

/// A background colour that a container states: 16-bit samples, straight alpha.
public struct Background: Sendable, Hashable {
  public var red: UInt16
  public var green: UInt16
  public var blue: UInt16
  public var alpha: UInt16

  public init(red: UInt16, green: UInt16, blue: UInt16, alpha: UInt16 = .max) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }
}

/// Colours by the code points of ITU-T H.273.
public struct CodingIndependentCodePoints: Sendable, Hashable {
  public var primaries: UInt8
  public var transfer: UInt8
  public var matrix: UInt8
  public var isFullRange: Bool

  public init(primaries: UInt8, transfer: UInt8, matrix: UInt8, isFullRange: Bool) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.isFullRange = isFullRange
  }
}

/// Chroma subsampling of a stored picture; the raw value reads as it is written, 420 for 4:2:0.
public enum Subsampling: UInt32, Sendable, CaseIterable {
  case s444 = 444
  case s422 = 422
  case s420 = 420
  case s440 = 440
  case s411 = 411
  case s400 = 400
}

extension Subsampling: CustomStringConvertible {
  public var description: String { "\(rawValue / 100):\(rawValue / 10 % 10):\(rawValue % 10)" }
}

/// A raw payload beside the pixels.
public enum MetadataKind: UInt32, Sendable, CaseIterable {
  /// An ICC profile.
  case icc = 1
  /// Exif, from its TIFF header on.
  case exif = 2
  /// An XMP packet.
  case xmp = 3
}

extension MetadataKind: CustomStringConvertible {
  public var description: String {
    switch self {
    case .icc: "ICC"
    case .exif: "Exif"
    case .xmp: "XMP"
    }
  }
}

/// One step of an animation, before any compositing.
public struct FrameHeader: Sendable, Equatable {
  /// The frame's rectangle on the canvas.
  public var rect: Rect
  /// As the file has it, or nil when the reader leaves it to the container's properties.
  public var delay: FrameDelay?
  public var disposal: Disposal
  public var blend: Blend
  /// The earliest frame that has to be drawn, after a clear, to show this one, or nil to let the core work it out from
  /// rectangles, disposal, blend and alpha.
  public var dependsOn: Int?
  /// Whether some pixel of the frame may be not opaque.
  public var hasAlpha: Bool

  public init(
    rect: Rect, delay: FrameDelay? = nil, disposal: Disposal = .keep, blend: Blend = .source, dependsOn: Int? = nil,
    hasAlpha: Bool = true
  ) {
    self.rect = rect
    self.delay = delay
    self.disposal = disposal
    self.blend = blend
    self.dependsOn = dependsOn
    self.hasAlpha = hasAlpha
  }
}
