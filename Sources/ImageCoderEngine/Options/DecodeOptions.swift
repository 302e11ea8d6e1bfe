// SPDX-License-Identifier: Apache-2.0

public import ImageCoderModel

/// How to decode an image: what the picture should be, and how the work is done.
///
///     var options = DecodeOptions(size: .fitting(Size(width: 300, height: 0)), firstFrameOnly: true)
///     options.allowedFormats = [.jpeg, .png, .webP]
@dynamicMemberLookup
public struct DecodeOptions: Sendable {
  /// What the picture should be. Its members are also members of the options.
  public var output: Output
  /// What the decode may use; ``CoderError/Code/limitExceeded`` if the picture needs more.
  public var limits: Limits
  /// Formats that may be decoded, or nil for all.
  public var allowedFormats: Set<ImageFormat>?
  /// The pool that pixel memory comes from, or nil for the system.
  public var pool: PixelPool?
  /// The caller's memory for the first frame, or nil. Its size and layout must be those of the result.
  public var destination: PixelBuffer?
  /// Stops the work from another thread.
  public var cancellation: Cancellation?
  /// Receives the coder's messages, from any thread.
  public var log: (@Sendable (LogSeverity, String) -> Void)?
  /// Called with the decoded share of a frame, 0 to 1, on the thread that decodes.
  public var progress: (@Sendable (Double) -> Void)?
  /// What a decoder of an animation keeps between two frames, besides the canvas.
  package var canvasMemory = CanvasMemory()
  /// What a policy forbids.
  package var restrictions: Restrictions {
    get { forbidden?.restrictions ?? Restrictions() }
    set { forbidden = Forbidden(newValue) }
  }
  /// Nil for nothing. One reference in the place of seven: options are copied several times for each file.
  private var forbidden: Forbidden?

  private final class Forbidden: Sendable {
    let restrictions: Restrictions
    init(_ restrictions: Restrictions) { self.restrictions = restrictions }
  }

  /// Whether one picture of the file is asked for, as it fits a box.
  var isThumbnail: Bool { output.firstFrameOnly && output.size.box != nil }

  /// Whether the page is an auxiliary picture, which has a number after those of all pages.
  var isAuxiliary = false

  /// What a decoder of an animation keeps between two frames, besides the canvas.
  package struct CanvasMemory: Sendable {
    /// How many more canvases may be kept for going back, or nil: what fits 32 MiB, and at least two.
    package var checkpointLimit: Int?
    /// How many canvases of memory for the next frames' own pixels.
    package var scratchCanvases = 2

    /// Checkpoints for frames in any order, and memory that is used again.
    package init() {}

    /// Nothing.
    package static let least: CanvasMemory = {
      var memory = CanvasMemory()
      memory.checkpointLimit = 0
      memory.scratchCanvases = 0
      return memory
    }()

    /// How many canvases of `bytes` bytes may be kept.
    func checkpoints(of bytes: Int, limits: Limits) -> Int {
      checkpointLimit ?? min(max((32 << 20) / bytes, 2), limits.maxMemory / 8 / bytes)
    }
  }

  /// How to treat several frames without delays. Some GIF files use them to show more than 256 colors.
  public enum ZeroDelayFrames: Sendable {
    /// They are parts of one picture, which is composed of them.
    case merge
    /// Each can be decoded as a frame.
    case separate
  }

  /// What happens to the gain map of a picture that has one.
  public enum GainMapDecoding: Sendable, Hashable {
    /// The picture is decoded as it is stored.
    case ignored
    /// The picture is brought to a display.
    ///
    /// - Parameter headroom: The brightest light of the display, where 1 is the white of an SDR picture: 1 to 65,536. 8 is
    ///   3 stops.
    case applied(headroom: Double)
  }

  /// How far formats may go where they give a smaller picture for less than the whole one.
  public enum ThumbnailQuality: Sendable, Hashable {
    /// What a format gives has at least 1.9 times the sides of the result, and one filter makes that smaller: within 48 dB
    /// of the whole picture made smaller.
    case exact
    /// What a format gives may be as small as the result: a thumbnail that the file has (HEIF), or the end of the format's own
    /// scaling (JPEG, WebP, JPEG 2000), a little softer or sharper. A HEIC of 12 megapixels that has a thumbnail takes a
    /// twentieth of the time, WebP nine tenths; where the next scale of a format is too small, nothing changes.
    case fast
  }

  /// What a decoded picture should be. Two outputs are equal if they ask for the same picture, so that results can be
  /// kept by source and output.
  public struct Output: Sendable, Hashable {
    /// How large the picture is.
    public var size = PictureSize.own
    /// The part of the picture that is decoded, in displayed pixels of its own size, or nil for all of it; ``size`` is that
    /// of the part. A reader that need not decode the rest does not. A part that is empty or reaches beyond the picture is
    /// ``CoderError/Code/invalidArgument``.
    public var part: Rect?
    /// How near a smaller picture comes to the whole one, or how soon it is there.
    public var thumbnailQuality = ThumbnailQuality.exact
    /// Decode only the first frame of an animation: the result is a still picture.
    public var firstFrameOnly = false
    /// How to treat several frames in a file that is not an animation.
    public var zeroDelayFrames = ZeroDelayFrames.merge
    /// The display scale of the result; values below 1 become 1. It does not affect the pixels.
    public var scale = 1.0
    /// The maximum number of bytes of all decoded frames, or nil. Frames become smaller, never fewer. Overrides
    /// ``size`` if it leads to a smaller one.
    public var memoryBudget: Int?
    /// The pixel format of the result, or nil for the smallest that holds the file's pixels without loss.
    public var pixelFormat: PixelFormat?
    /// What alpha means in the result, if it has alpha.
    public var alpha = AlphaMode.straight
    /// Turn the picture upright. Without it, the orientation is reported and the box is in stored pixels.
    public var appliesOrientation = true
    /// Make pixels square that the file says are not: the picture becomes wider or taller, by ``ImageHeader/pixelAspect``, before
    /// it is fitted to ``size``. No pixel is left out.
    public var squaresPixels = false
    /// The page to decode, counted from 0. Nil for the file's primary page or, if the pages are sizes of one picture,
    /// for the page that fits the box of ``size`` best.
    public var page: Int?
    /// Which colors the picture has: those of the file, or those of another space.
    public var color = OutputColor.asStored
    /// Values of options of the file's coder, by name: ``ImageCoder/readOptions`` describes them. One that the coder does not
    /// have, or does not take, is ``CoderError/Code/invalidArgument``.
    ///
    ///     options.values["exposure"] = .number(1)
    public var values: [String: OptionValue] = [:]
    /// The same for files of one format only: they count more than ``values``, and are nothing for other files.
    public var formatValues: [ImageFormat: [String: OptionValue]] = [:]
    /// What happens to a gain map. Where one is applied, the result is light in `rgba-float16` with 1 for the white of an
    /// SDR picture, unless ``pixelFormat`` and ``color`` say otherwise: in an integer format it is BT.2100 PQ; other spaces
    /// are reached by tone mapping.
    public var gainMap = GainMapDecoding.ignored
    /// Whether a picture is made smaller by mixing light, as if it were seen from further away, and not the codes for it.
    /// Fine patterns of dark and bright keep how bright they are then. The filter has no lobes, because halos around dark
    /// parts would be several times as bright in light. HDR, profiles with tables, inks and frames of an animation are
    /// made smaller by codes all the same.
    public var linearLight = false
    /// Which raw metadata payloads the result contains.
    public var metadata: Set<MetadataKind> = MetadataKind.carried
    /// Whether a picture that cannot be decoded whole is an error, as for files that strangers send. Otherwise the part
    /// that can be decoded is the result, and ``Image/problem`` and ``Frame/problem`` say what is missing.
    public var isStrict = false
    /// Which files beside the file its coder may read, or nil for what the policy says, and without one for
    /// ``SiblingAccess/named``. A policy that allows less counts.
    public var siblings: SiblingAccess?

    /// Asks for all frames in full size and upright, with straight alpha.
    public init() {}

    /// Whether all of the picture is asked for, in the size of the file.
    package var isWhole: Bool { size == .own && part == nil && !squaresPixels }
  }

  /// Makes options; without arguments, to decode all frames in full size and upright, with straight alpha.
  ///
  /// The arguments are the members of the same names.
  public init(
    size: PictureSize = .own, part: Rect? = nil, firstFrameOnly: Bool = false, page: Int? = nil,
    pixelFormat: PixelFormat? = nil, alpha: AlphaMode = .straight, color: OutputColor = .asStored,
    memoryBudget: Int? = nil, isStrict: Bool = false, limits: Limits = .standard,
    allowedFormats: Set<ImageFormat>? = nil, cancellation: Cancellation? = nil
  ) {
    output = Output()
    output.size = size
    output.part = part
    output.firstFrameOnly = firstFrameOnly
    output.page = page
    output.pixelFormat = pixelFormat
    output.alpha = alpha
    output.color = color
    output.memoryBudget = memoryBudget
    output.isStrict = isStrict
    self.limits = limits
    self.allowedFormats = allowedFormats
    self.cancellation = cancellation
  }

  /// Options for a thumbnail of the first frame.
  public static func thumbnail(_ mode: ThumbnailMode = .fit, width: Int, height: Int) -> DecodeOptions {
    DecodeOptions(size: .fitting(Size(width: width, height: height), mode), firstFrameOnly: true)
  }

  /// A member of ``output``: `options.page` is `options.output.page`.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Output, Value>) -> Value {
    get { output[keyPath: path] }
    set { output[keyPath: path] = newValue }
  }
}
