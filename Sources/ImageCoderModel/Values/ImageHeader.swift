// SPDX-License-Identifier: Apache-2.0

/// Describes a page, without its pixels.
public struct ImageHeader: Sendable, Equatable {
  /// The format that the reader detected.
  public var format: ImageFormat
  /// The size in pixels as stored, before orientation.
  public var canvas: Size
  /// The smallest pixel format that holds every pixel without loss.
  public var pixelFormat: PixelFormat
  /// Bits per channel as stored: 1 to 32.
  public var bitsPerChannel: Int
  /// What alpha samples mean; ``AlphaMode/opaque`` if the page has none.
  public var alpha: AlphaMode
  /// The orientation that still has to be applied. If the reader's library applies it, this is ``Orientation/up``.
  public var orientation: Orientation
  /// Frames of the animation, at least 1; those that are known if ``FrameSequence/isCounted`` is false.
  public var frameCount: Int
  /// Whether frames are steps in time.
  public var isAnimated: Bool
  /// Pages in the file that are shown by themselves, at least 1.
  public var pageCount: Int
  /// The page to show by default.
  public var primaryPage: Int
  /// The loop count that the file states, or nil if it states none.
  public var loopCount: LoopCount?
  /// The colors as code points of ITU-T H.273, or nil if the file states none.
  public var cicp: CodingIndependentCodePoints?
  /// The gamma of encoding, 0.45455 for sRGB-like, or nil.
  public var gamma: Double?
  /// The chroma subsampling as stored, or nil if it is not known or does not apply.
  public var subsampling: Subsampling?
  /// The background color that the file states; the canvas ignores it.
  public var background: PixelColor?
  /// Which raw metadata payloads the file has.
  public var metadata: Set<MetadataKind>
  /// Whether the file ends early; ``frameCount`` counts the frames that are present.
  public var isTruncated: Bool
  /// Whether the file is malformed further on; ``frameCount`` counts the frames before that.
  public var isDamaged: Bool
  /// Whether coarse rows come before fine ones.
  public var isProgressive: Bool
  /// Whether this file's pixels are stored without loss.
  public var isLossless: Bool
  /// Whether this file's pixels are stored as indexes into a palette.
  public var hasPalette: Bool
  /// Whether all pages show one picture in several sizes or depths, like those of an icon.
  public var pagesAreSizes: Bool
  /// If the page is a file of another format inside this one: where that file is in the source.
  ///
  /// The host then opens that file with the coder for its format, and does not ask this reader for pixels. What that file
  /// states counts, but for ``standsIn``, ``pixelAspect``, ``resolution``, and ``orientation`` if it states none.
  public var embedded: Range<Int>?
  /// If the page is a drawing without pixels of its own: what it says of its size. ``canvas`` is that size, rounded up.
  ///
  /// Any size that is requested is drawn exactly, also a larger one, and the drawing's frames cover the canvas.
  public var anySize: AnySize?
  /// Pixels per inch that the file states: 96 for SVG, 72 for PDF; nil if it states none.
  public var resolution: Double?
  /// The width of a pixel ÷ its height, where the format means it for display: 2 for a picture that was squeezed to half its
  /// width. From 1/64 to 64; nil for square pixels.
  public var pixelAspect: Double?
  /// Whether the page is stored as cyan, magenta, yellow and black, which can be asked for: ``DecodeRequest/rowFormat``.
  public var hasInks: Bool
  /// Whether the pixels are not those that the file is about, which the reader cannot read: the preview of a camera raw
  /// file, the poster of a video. Such a page is never ``isLossless``.
  public var standsIn: Bool
  /// What the page is, and how it belongs to another one.
  public var role: PageRole
  /// Pages that belong to pictures and are not shown by themselves, of the whole file: gain maps, mattes, previews.
  ///
  /// Their numbers follow those of the visible pages, ``pageCount`` to ``pageCount`` + ``hiddenPageCount`` − 1.
  public var hiddenPageCount: Int
  /// How the frames play, and what it costs to decode one.
  public var sequence: FrameSequence
  /// Whether bytes are still arriving: anything after the pixels is not known yet, and ``frameCount`` counts only the
  /// frames so far.
  public var isIncomplete: Bool

  /// Makes the description of a complete, upright still picture, the only page of its file.
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
    self.hasInks = false
    self.standsIn = false
    self.role = .picture
    self.hiddenPageCount = 0
    self.sequence = FrameSequence()
    self.isIncomplete = false
  }

  /// Whether the picture can be drawn at any size.
  public var isScalable: Bool { anySize != nil }

  /// The size that a drawing states, in pixels at ``resolution``; nil for a picture of pixels, and for a drawing that states
  /// only a ratio.
  public var naturalSize: (width: Double, height: Double)? {
    guard let width = anySize?.width, let height = anySize?.height else { return nil }
    return (width, height)
  }

  /// Whether frames may follow those that ``frameCount`` counts.
  package var mayGainFrames: Bool { isIncomplete && isAnimated }

  /// Whether only asking for the frame after the last one shows that there is none.
  package var hasOpenEnd: Bool { mayGainFrames || !sequence.isCounted }

  /// The size at which the picture is shown.
  public var displayedSize: Size { orientation.displayed(canvas) }
}
