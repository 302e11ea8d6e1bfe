// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How to encode an image: what the file should contain, and how the work is done.
///
///     var options = EncodeOptions()
///     options.quality = 0.8
///     options.maxSize = Size(width: 1024, height: 0)
///
/// If a format does not support an option, that is an error if it changes the picture, and a warning to ``log`` if it
/// only changes how the picture is stored.
@dynamicMemberLookup
public struct EncodeOptions: Sendable {
  /// What the file should contain. Its members are also members of the options.
  public var output: Output
  /// Whether a conversion may copy a file that already meets ``output``, without decoding it; its orientation tag is
  /// copied too. A JPEG that is only to be cropped or turned is then turned without decoding it.
  public var allowsCopy: Bool
  /// What the encode may use; ``CoderError/Code/limitExceeded`` if the file needs more.
  public var limits: Limits
  /// Stops the work from another thread.
  public var cancellation: Cancellation?
  /// Receives the coder's messages, and warnings about parts of the image that the format cannot hold; from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Called with the encoded share of the current picture, 0 to 1, on the encoding thread: 1 when a frame is done,
  /// again for each quality that ``Output/maxFileSize`` tries. With ``Output/look`` it grows over all files that are tried,
  /// and is 1 at the end.
  public var progress: (@Sendable (Double) -> Void)?
  /// Whether the writer keeps every sample of what it gets, of a file that is encoded again. Unlike ``Output/isLossless`` it
  /// says nothing of what is changed before.
  package var keepsSamples = false

  /// Makes options; without arguments, to write all frames in their own size, with the format's default values.
  ///
  /// The arguments are the members of the same names.
  public init(
    _ output: Output = Output(), quality: Double? = nil, isLossless: Bool = false, maxSize: Size? = nil,
    maxFileSize: Int? = nil, color: OutputColor = .asStored, allowsCopy: Bool = true,
    limits: Limits = .standard, cancellation: Cancellation? = nil
  ) {
    self.output = output
    self.allowsCopy = allowsCopy
    self.limits = limits
    self.cancellation = cancellation
    if let quality { self.quality = quality }
    if isLossless { self.isLossless = true }
    if let maxSize { self.maxSize = maxSize }
    if let maxFileSize { self.maxFileSize = maxFileSize }
    if color != .asStored { self.color = color }
  }

  /// A member of ``output``: `options.quality` is `options.output.quality`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Output, Value>) -> Value {
    get { output[keyPath: path] }
    set { output[keyPath: path] = newValue }
  }

  /// What a conversion does about gain maps.
  public enum GainMapEncoding: Sendable, Hashable {
    /// One that is there is kept, and cut, turned and scaled as the picture is. A warning says so if the format cannot hold
    /// one, or if the picture's colors are converted.
    case kept
    /// None is written.
    case dropped
    /// The picture, an HDR one, is written as one for every display, in Display P3, with a gain map that gives those that
    /// show more what they can show.
    case made
  }

  /// What a file should contain. Two outputs are equal if they describe the same file.
  public struct Output: Sendable, Hashable {
    /// Values of options by name, checked against the format's own descriptions: `coders options FORMAT` lists them.
    ///
    /// They include ``quality``, ``isProgressive`` and ``subsampling``.
    public var values: [String: OptionValue] = [:]
    /// Whether to keep every sample exactly; ``CoderError/Code/unsupported`` if the format cannot.
    public var isLossless = false
    /// The color under transparent pixels if the format has no alpha; its own alpha is not used.
    public var background = PixelColor.white
    /// The box that the picture has to fit, or nil. A side of 0 is unlimited. The aspect ratio is kept; a picture is
    /// never enlarged.
    public var maxSize: Size?
    /// Whether a picture is made smaller by mixing light and not the codes for it, as
    /// ``DecodeOptions/Output/linearLight`` says.
    public var linearLight = false
    /// Which colors the file has: those of the image, or those of another space.
    ///
    /// An image says which it has by ``Image/cicp`` and its profile. One of floating point that says nothing is light with
    /// the primaries of sRGB, where 1 is the white of an SDR picture: `.convert(to: .rec2100PQ)` makes an HDR file of it,
    /// which needs a format that holds code points (AVIF, HEIC, JPEG XL, PNG).
    public var color = OutputColor.asStored
    /// The maximum size of the whole file in bytes, including frames and metadata, or nil. The encoder searches for the
    /// best ``quality`` that fits, up to the given one; ``EncodedFile/quality`` says which was used. If the file is too
    /// large at quality 0, or the format has no quality, the error is ``CoderError/Code/limitExceeded``.
    public var maxFileSize: Int?
    /// How much the file should look like the picture, or nil: SSIMULACRA2, where 90 is hard to tell apart from the
    /// original, 80 is high quality, 70 good and 50 medium. The encoder searches for the smallest file within half a point,
    /// with more effort than usual, and without loss where that takes fewer bytes; ``EncodedFile/look`` says what was found.
    /// ``quality`` is not looked at. If no file looks so, the error is ``CoderError/Code/unsupported`` and names the best
    /// score; so it is for colors other than those of sRGB. With ``maxFileSize``, a file that would be larger gets the best
    /// quality that fits.
    public var look: Double?
    /// The longest side of a thumbnail that is stored inside the file, in pixels, or nil for none.
    public var embeddedThumbnailSide: Int?
    /// The sides of the square pages to make from one picture, for formats that store it in several sizes (icons). A
    /// picture that is no square is centered.
    /// Sizes larger than the picture are left out. If empty, there is one page in the picture's own size.
    public var iconSizes: [Int] = []
    /// Encode only the first frame.
    public var firstFrameOnly = false
    /// The total number of times that an animation plays, or nil to use the image's.
    public var loopCount: LoopCount?
    /// Whether frames are cropped to the part that changed, and equal frames are merged. If false, every frame is
    /// written as the whole canvas.
    public var optimizesFrames = true
    /// The layout that later frames of an animation need, or nil. The first two frames are examined before the file is
    /// begun; if a later frame has colors or alpha that neither these nor this layout have, that is an error.
    public var layout: PixelLayout?
    /// Whether ``Image/orientation`` is kept as a tag, if the format has one. Otherwise pixels are turned upright.
    public var preservesOrientation = false
    /// Which values become black and white, of measured data; nil for those that the format says. The result has 16 bits for
    /// a sample, and no colors but those of sRGB; pixels without a value are transparent.
    public var range: SampleRange?
    /// What happens to the gain map of a picture that is converted.
    public var gainMap = GainMapEncoding.kept
    /// Pixels per inch that the file states, or nil for those of the image: ``Image/density``.
    public var density: Density?
    /// Whether it is an error if something that a person would miss has to be left out: see ``EncodedFile/changes``.
    public var isStrict = false
    /// Which raw metadata payloads are written, if the format has a place for them.
    public var metadata: Set<MetadataKind> = MetadataKind.carried
    /// Whether an ICC profile that is sRGB is written. Pictures without a profile are taken for sRGB everywhere, so it
    /// only makes a small file larger.
    public var writesSRGBProfile = true
    /// What is cut out, turned and mirrored before the picture is scaled. It is upright then, whatever
    /// ``preservesOrientation`` says.
    package var edit = PixelEdit()

    /// Makes the description of a file with all frames in their own size and the format's default values.
    public init() {}

    /// A file that is safe to publish: pixels turned upright, no Exif and so no place where it was taken, no XMP, and an
    /// ICC profile only if its colors are not those of sRGB.
    public static let web = {
      var output = Output()
      output.metadata = [.icc]
      output.writesSRGBProfile = false
      return output
    }()
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
    rest.preservesOrientation = false
    // Nothing is made smaller, and nothing is left out.
    rest.linearLight = false
    rest.isStrict = false
    return rest == EncodeOptions.Output()
  }

  /// Whether a file of the format, cropped and turned, with some of its metadata, is all that is asked for.
  package var isMetByTurning: Bool {
    guard edit != PixelEdit(), edit.work == nil else { return false }
    var rest = self
    rest.edit = PixelEdit()
    rest.metadata = EncodeOptions.Output().metadata
    return rest.isMetByACopy
  }
}
