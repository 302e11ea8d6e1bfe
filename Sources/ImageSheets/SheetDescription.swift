// SPDX-License-Identifier: Apache-2.0

public import ImageAnimation
public import ImageCoderModel
import ImageCoders

extension SheetDescription {
  /// How the JSON beside a sheet is laid out.
  public enum Form: String, Sendable, Hashable, CaseIterable {
    /// TexturePacker's, with frames by their names.
    case texturePackerHash = "texturepacker"
    /// TexturePacker's, with frames in a list.
    case texturePackerArray = "texturepacker-array"
    /// Aseprite's, with frames by their names.
    case asepriteHash = "aseprite"
    /// Aseprite's, with frames in a list.
    case asepriteArray = "aseprite-array"

    /// Whether frames have durations in milliseconds, and the sheet has tags.
    var isAseprite: Bool { self == .asepriteHash || self == .asepriteArray }

    /// Whether frames are in a list; otherwise they are in an object, by their names.
    var isArray: Bool { self == .texturePackerArray || self == .asepriteArray }
  }
}

/// A frame of a sheet, as the JSON beside it says.
public struct SheetFrame: Sendable, Hashable {
  /// The frame's name.
  public var name: String
  /// Where the frame is in the picture, in pixels. Its sides are those before it was turned; some writers give them as
  /// they lie in the picture, which ``SpriteSheet`` accepts too.
  public var rectangle: Rect
  /// Whether the frame was turned by 90° clockwise when it was packed.
  public var isTurned: Bool
  /// Whether transparent edges were trimmed.
  public var isTrimmed: Bool
  /// The part of the untrimmed frame that is in the picture, in pixels.
  public var trimmedRectangle: Rect
  /// The size of the frame before transparent edges were trimmed.
  public var untrimmedSize: Size
  /// How long the frame is shown, or nil if the JSON does not say.
  public var delay: FrameDelay?

  /// Makes a frame that is neither turned nor trimmed.
  public init(_ name: String, _ rectangle: Rect, delay: FrameDelay? = nil) {
    self.name = name
    self.rectangle = rectangle
    self.delay = delay
    isTurned = false
    isTrimmed = false
    trimmedRectangle = Rect(covering: rectangle.size)
    untrimmedSize = rectangle.size
  }
}

/// Some frames of a sheet under a name: a movement of a character, for example.
public struct SheetTag: Sendable, Hashable {
  /// Which frames are played, by their indexes in a description.
  public enum Frames: Sendable, Hashable {
    /// Those from one to another, both included, as Aseprite's tags say.
    case from(Int, to: Int)
    /// These, in this order; a frame may come several times, as in the animations of PixiJS.
    case each([Int])
  }

  /// The tag's name. Several tags may have the same.
  public var name: String
  /// Which frames are played.
  public var frames: Frames
  /// The order in which the frames are played.
  public var mode: PlaybackMode
  /// The total number of times that the frames are played.
  public var loopCount: LoopCount

  /// Makes a tag of frames that are played without end, unless it is said otherwise.
  public init(_ name: String, _ frames: Frames, mode: PlaybackMode = .forward, loopCount: LoopCount = .infinite) {
    self.name = name
    self.frames = frames
    self.mode = mode
    self.loopCount = loopCount
  }

  /// The indexes of the frames.
  ///
  /// - Parameter count: The frames that the description has.
  /// - Throws: ``CoderError/Code/invalidArgument`` if there are none, or if the description does not have one of them.
  package func indexes(of count: Int) throws(CoderError) -> [Int] {
    let there = count == 0 ? "there are none" : "there are 0 to \(count - 1)"
    switch frames {
    case .from(let first, let last):
      guard first >= 0, first <= last, last < count else {
        throw .invalidArgument("tag \(name.quoted) has frames of index \(first) to \(last); \(there)")
      }
      return Array(first...last)
    case .each(let indexes):
      guard !indexes.isEmpty else { throw .invalidArgument("tag \(name.quoted) has no frames; at least 1 is needed") }
      for index in indexes where !(0..<count).contains(index) {
        throw .invalidArgument("tag \(name.quoted) has a frame of index \(index); \(there)")
      }
      return indexes
    }
  }
}

/// The JSON beside a sheet: where its frames are, as TexturePacker, PixiJS and Aseprite know it.
///
///     let description = try SheetDescription(contentsOf: "party.json")
///     print(description.frames.count, description.tags.map(\.name))
///
/// Besides what these programs write, a frame may have its exact delay, `"delay": [1, 25]` in seconds, and `meta` the
/// total number of plays, `"loops": 3`.
public struct SheetDescription: Sendable, Hashable {
  /// The layout that was read.
  public var form: Form
  /// The name of the picture, in the folder of the JSON, or nil if there is none.
  public var image: String?
  /// The size of the picture, in pixels, or nil if it is not stated.
  public var size: Size?
  /// How many pixels of the picture are one of the original's, greater than 0.
  public var scale: Double
  /// The program that wrote the JSON, or nil.
  public var application: String?
  /// The version that the program gave, or nil.
  public var version: String?
  /// How the program calls the picture's pixels, such as `RGBA8888`, or nil.
  public var pixelFormat: String?
  /// The total number of times that all frames are played.
  public var loopCount: LoopCount
  /// The frames, in their order.
  public var frames: [SheetFrame]
  /// Frames that have a name together.
  public var tags: [SheetTag]

  /// Makes a description of frames in a picture.
  ///
  /// - Parameters:
  ///   - image: The name of the picture, in the folder of the JSON.
  ///   - size: The size of the picture, in pixels.
  public init(
    _ frames: [SheetFrame], image: String?, size: Size?, loopCount: LoopCount = .infinite, tags: [SheetTag] = [],
    form: Form = .texturePackerHash
  ) {
    self.frames = frames
    self.image = image
    self.size = size
    self.loopCount = loopCount
    self.tags = tags
    self.form = form
    scale = 1
  }

  /// The indexes of a tag's frames, or of all for nil.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if there are none, and for a frame that there is not.
  package func indexes(of tag: SheetTag?) throws(CoderError) -> [Int] {
    if let tag { return try tag.indexes(of: frames.count) }
    guard !frames.isEmpty else { throw .invalidArgument("a sheet of no frames; at least 1 is needed") }
    return Array(frames.indices)
  }

  /// The first tag of a name.
  ///
  /// - Throws: ``CoderError/Code/invalidArgument`` if there is none, with the names of those that there are.
  public func tag(named name: String) throws(CoderError) -> SheetTag {
    if let tag = tags.first(where: { $0.name == name }) { return tag }
    guard !tags.isEmpty else { throw .invalidArgument("the sheet has no tag \(name.quoted); it has no tags") }
    let names = tags.prefix(20).map(\.name.quoted).joined(separator: ", ")
    throw .invalidArgument("the sheet has no tag \(name.quoted); it has \(names)\(tags.count > 20 ? ", …" : "")")
  }
}
