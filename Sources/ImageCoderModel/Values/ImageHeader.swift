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
  public var isIncomplete: Bool

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
    self.isIncomplete = false
  }

  /// Whether frames may follow those that ``frameCount`` counts.
  package var mayGainFrames: Bool { isIncomplete && isAnimated }

  /// The size at which the picture is shown.
  public var displayedSize: Size { orientation.displayed(canvas) }
}

/// A background color that a container states: 16-bit samples, straight alpha.
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
