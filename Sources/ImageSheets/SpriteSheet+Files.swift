// SPDX-License-Identifier: Apache-2.0

public import ImageCoderEngine
public import ImageCoderModel
public import ImageCoders

extension SpriteSheet {
  /// How long a frame is shown if nobody says so: a tenth of a second.
  public static let defaultDelay = FrameDelay(numerator: 1, denominator: 10)

  /// Makes an animation of a picture and of the JSON beside it.
  ///
  /// - Parameters:
  ///   - tag: The frames that are wanted, and how they are played; nil for all frames, from the first to the last.
  ///   - delay: How long a frame is shown whose delay the description does not state.
  ///   - limits: What a trimmed frame may need when it gets its edges back.
  /// - Throws: ``CoderError/Code/malformed`` for a frame that is empty, not inside the picture, or not inside its own
  ///   untrimmed size; ``CoderError/Code/limitExceeded`` for an untrimmed size that the limits do not allow;
  ///   ``CoderError/Code/invalidArgument`` for no frames, and for a tag whose frames the description does not have.
  public init(
    _ picture: PixelBuffer, _ description: SheetDescription, tag: SheetTag? = nil,
    delay: FrameDelay = SpriteSheet.defaultDelay, limits: Limits = .standard
  ) throws(CoderError) {
    let indexes = try description.indexes(of: tag)
    let sprites = try description.sprites(indexes, in: picture.size, limits: limits)
    try self.init(
      picture, sprites: sprites, delays: indexes.map { description.frames[$0].delay ?? delay },
      loopCount: tag?.loopCount ?? description.loopCount, mode: tag?.mode ?? .forward)
  }

  /// Reads a sheet: the JSON, and the picture that it names.
  ///
  ///     let walk = try SpriteSheet(contentsOf: "hero.json", tag: "walk")
  ///     var player = AnimationPlayer(walk, mode: walk.mode)
  ///
  /// - Parameters:
  ///   - path: The path of the JSON. The picture has to be in its folder.
  ///   - tag: The name of the frames that are wanted, or nil for all.
  ///   - delay: How long a frame is shown whose delay the description does not state.
  ///   - options: How the picture is decoded; it is never made smaller.
  ///   - registry: The coders that decode.
  /// - Throws: As `SheetDescription.init(contentsOf:)`, and for the picture and its frames: what it cannot be decoded
  ///   for; also a picture of which only a part can be decoded.
  public init(
    contentsOf path: String, tag: String? = nil, delay: FrameDelay = SpriteSheet.defaultDelay,
    options: DecodeOptions = DecodeOptions(), registry: CoderRegistry = .standard
  ) throws(CoderError) {
    let description = try SheetDescription(contentsOf: path)
    var chosen: SheetTag?
    if let tag { chosen = try description.tag(named: tag) }
    var reading = options.readingSheet
    reading.isStrict = true
    let picture = try registry.decode(.file(try description.picturePath(beside: path)), options: reading)
    do throws(CoderError) {
      try self.init(picture.pixels, description, tag: chosen, delay: delay, limits: options.limits)
    } catch {
      throw error.code == .malformed ? error.annotated(file: path) : error
    }
  }
}

extension DecodeOptions {
  /// The same options for the picture of a sheet, whose frames are in pixels of the file.
  package var readingSheet: DecodeOptions {
    var options = self
    options.size = .own
    options.part = nil
    options.memoryBudget = nil
    options.firstFrameOnly = true
    options.destination = nil
    return options
  }
}
