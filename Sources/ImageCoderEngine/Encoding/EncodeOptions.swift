// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// What a caller wants of an encode: what the file is to be, and how the work is done.
///
///     var options = EncodeOptions()
///     options.quality = 0.8
///     options.maxPixelSize = Size(width: 1024, height: 0)
///
/// What a format cannot follow is an error where the picture would not be what was asked for, and a warning to ``log``
/// where it only would be made in another way.
@dynamicMemberLookup
public struct EncodeOptions: Sendable {
  /// What the file is to be. Its members are members of the options too.
  public var output = Output()
  /// Whether a conversion may copy a file that already is what ``output`` asks for, without decoding it; its orientation
  /// tag is copied too.
  public var copiesUnchanged = true
  public var limits = Limits.standard
  /// Stops the work from another thread.
  public var cancellation: Cancellation?
  /// Receives the coder's messages, and what of the image the format cannot hold; from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Hears how much of the picture in progress is encoded, 0 to 1, on the encoding thread: 1 when a frame that was given
  /// is done, again for each quality that ``Output/maxFileSize`` tries.
  public var progress: (@Sendable (Double) -> Void)?

  public init() {}

  public subscript<Value>(dynamicMember path: WritableKeyPath<Output, Value>) -> Value {
    get { output[keyPath: path] }
    set { output[keyPath: path] = newValue }
  }

  /// What a file is to be. Two of them are equal when they ask for the same file.
  public struct Output: Sendable, Hashable {
    /// Values of options by name, checked against the format's own descriptions: `coders options FORMAT` lists them.
    ///
    /// ``quality``, ``isProgressive`` and ``subsampling`` are among them.
    public var values: [String: OptionValue] = [:]
    /// Every sample comes back as it was; a format that cannot throws ``CoderError/Code/unsupported``.
    public var isLossless = false
    /// What shows through where a format has no alpha.
    public var background = RGBColor.white
    /// The box that the picture has to fit, or nil; 0 leaves a side free. Aspect is kept; a picture is never enlarged.
    public var maxPixelSize: Size?
    /// Bytes that the whole file may have, frames and metadata included, or nil. The best ``quality`` that fits is
    /// searched, up to the one that is asked for; ``EncodedFile/quality`` says what it is. A file that is too large at
    /// quality 0, or that has none, is ``CoderError/Code/limitExceeded``.
    public var maxFileSize: Int?
    /// The longest side of a thumbnail that is kept inside the file, in pixels, or nil for none.
    public var thumbnailSide: Int?
    /// Longest sides of the pages that are made of one picture, for formats that keep several sizes of it (icons). Sizes
    /// above the picture's own are left out. Empty for the picture's own size.
    public var pageSizes: [Int] = []
    /// Encode only the first frame.
    public var firstFrameOnly = false
    /// How often an animation plays in all, or nil for what the image says.
    public var loopCount: LoopCount?
    /// Whether frames are cut to what changed, and frames that show the same become one. Without it, every frame is
    /// written as the whole canvas.
    public var reducesFrames = true
    /// What frames of an animation may need beyond the first two, which are looked at before the file is begun: colors,
    /// alpha, more bits. A later frame with colors or alpha that nobody announced is an error. Or nil.
    public var layout: PixelLayout?
    /// Whether ``Image/orientation`` is kept as a tag, where the format has one. Otherwise pixels are turned upright. Never
    /// both.
    public var keepsOrientation = false
    /// Which raw payloads are written, where the format has a place for them.
    public var metadata: Set<MetadataKind> = [.icc, .exif, .xmp]

    public init() {}
  }
}

// Options whose meaning is the same in every format that has them. Each is a value by the name of its `CommonOption`.
extension EncodeOptions.Output {
  /// 0 (smallest) to 1 (best), or nil for the format's own default.
  public var quality: Double? {
    get {
      guard case .number(let quality)? = values[CommonOption.quality.name] else { return nil }
      return quality
    }
    set { values[CommonOption.quality.name] = newValue.map { .number($0) } }
  }

  /// Interlaced or progressive output.
  public var isProgressive: Bool {
    get { values[CommonOption.progressive.name] == .boolean(true) }
    set { values[CommonOption.progressive.name] = newValue ? .boolean(true) : nil }
  }

  /// Chroma subsampling, or nil for the format's own default.
  public var subsampling: Subsampling? {
    get {
      guard case .word(let word)? = values[CommonOption.subsampling.name] else { return nil }
      return Subsampling.allCases.first { $0.description == word }
    }
    set { values[CommonOption.subsampling.name] = newValue.map { .word($0.description) } }
  }
}

extension EncodeOptions.Output {
  /// Whether a file of the format, with its pixels and metadata, is already all that is asked for.
  ///
  /// Whatever is not named here makes it another file: a member that is added later does so by itself.
  package var isMetByACopy: Bool {
    var rest = self
    // A copy keeps every sample and its tag; its pixels are not drawn on anything; the caller checks its size.
    rest.isLossless = false
    rest.background = .white
    rest.maxFileSize = nil
    rest.layout = nil
    rest.keepsOrientation = false
    return rest == EncodeOptions.Output()
  }
}

/// A color of 8 bits per channel, sRGB.
public struct RGBColor: Sendable, Hashable {
  public var red: UInt8
  public var green: UInt8
  public var blue: UInt8

  public init(red: UInt8, green: UInt8, blue: UInt8) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  public static let white = RGBColor(red: 255, green: 255, blue: 255)
  public static let black = RGBColor(red: 0, green: 0, blue: 0)
}
