// SPDX-License-Identifier: Apache-2.0

import ImageAnimation
import ImageCoderEngine
public import ImageCoderModel
import ImageCoders

extension SheetDescription {
  /// Bytes of JSON at most.
  static let maxBytes = 64 << 20
  /// Values of JSON at most: 32 for each frame of the largest sheet.
  private static let maxValues = 1 << 21
  /// Frames at most.
  private static let maxFrames = Limits.standard.maxFrames

  /// Reads a file.
  ///
  /// - Throws: ``CoderError/Code/io``; ``CoderError/Code/limitExceeded`` for more than 64 MiB or 65,536 frames;
  ///   ``CoderError/Code/malformed`` with the line and column of what is wrong; ``CoderError/Code/unsupported`` for a
  ///   sheet of several pictures.
  public init(contentsOf path: String) throws(CoderError) {
    let source = try OpenSource(.file(path), limits: .standard)
    do throws(CoderError) {
      // A hostile file is not even read.
      try Self.check(byteCount: source.size)
      try self.init(parsing: try source.contents())
    } catch {
      throw error.annotated(file: path)
    }
  }

  /// Reads JSON.
  ///
  /// - Format: RFC 8259; frames as TexturePacker ("JSON (Hash)", "JSON (Array)") and Aseprite ("Hash", "Array") write
  ///   them, and the animations of PixiJS's `SpritesheetData`.
  /// - Throws: As ``init(contentsOf:)``, without ``CoderError/Code/io``.
  public init(parsing bytes: [UInt8]) throws(CoderError) {
    try Self.check(byteCount: bytes.count)
    let root: JSONObject
    let isMultipack: Bool
    do throws(TextProblem) {
      // Some programs begin with a byte order mark, which RFC 8259 §8.1 lets a reader pass over.
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      let text = bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
      let value = try JSONValue(parsing: text, maxBytes: Self.maxBytes, maxValues: Self.maxValues)
      root = try JSONNode(value, name: "the sheet").object()
      isMultipack = try Self.isMultipack(root)
    } catch {
      throw .malformed("\(error)")
    }
    guard !isMultipack else {
      throw .unsupported("the sheet is one of several that belong together (a multipack); only single ones are read")
    }
    do throws(TextProblem) { try self.init(root) } catch {
      throw .malformed("\(error)")
    }
    try Limits.standard.check(frames: frames.count)
  }

  private static func check(byteCount: Int) throws(CoderError) {
    guard byteCount <= maxBytes else {
      throw CoderError(
        code: .limitExceeded, message: "the description of a sheet has \(byteCount) bytes; \(maxBytes) are allowed",
        limit: .maxMetadata, found: byteCount, allowed: maxBytes)
    }
  }

  private static func isMultipack(_ root: JSONObject) throws(TextProblem) -> Bool {
    if root["frames"] == nil, root["textures"] != nil { return true }
    guard let meta = try root["meta"]?.object(), let others = meta["related_multi_packs"] else { return false }
    return try !others.list().isEmpty
  }

  private init(_ root: JSONObject) throws(TextProblem) {
    let meta = try root["meta"]?.object()
    let node = try root.required("frames")
    let list = try Self.frames(node)
    guard !list.frames.isEmpty else { throw node.problem(allowed: "at least 1 frame is needed") }
    let application = try meta?["app"]?.string()
    let isAseprite = list.hasDurations || application?.lowercased().contains("aseprite") == true
    var frames = list.frames
    // An object has no order, and some programs sort its keys. Only where names are of several series does the text's
    // own order count, since Aseprite's tags count the frames in it.
    if !list.isArray, !isAseprite || Self.isOneSeries(frames) {
      let keyed = frames.map { (order: NaturalOrder($0.name), frame: $0) }
      frames = keyed.sorted { $0.order < $1.order }.map(\.frame)
    }
    let form: Form =
      isAseprite
      ? (list.isArray ? .asepriteArray : .asepriteHash) : (list.isArray ? .texturePackerArray : .texturePackerHash)
    self.init(
      frames, image: try meta?["image"]?.string(), size: try meta?["size"].map(Self.size),
      loopCount: try meta?["loops"].map(Self.loopCount) ?? .infinite,
      tags: try Self.tags(meta?["frameTags"], frameCount: frames.count)
        + Self.animations(root["animations"], of: frames), form: form)
    scale = try meta?["scale"].map(Self.scale) ?? 1
    self.application = application
    version = try meta?["version"]?.string()
    pixelFormat = try meta?["format"]?.string()
  }

  // MARK: Frames

  private struct FrameNodes {
    var frames: [SheetFrame] = []
    var isArray = false
    var hasDurations = false
  }

  private static func frames(_ node: JSONNode) throws(TextProblem) -> FrameNodes {
    var nodes = FrameNodes()
    switch node.value.content {
    case .list:
      nodes.isArray = true
      for (index, item) in try node.list().enumerated() {
        let object = try item.object()
        try add(object, named: try object["filename"]?.string() ?? "\(index)", to: &nodes)
      }
    case .object:
      for (name, item) in try node.object().nodes { try add(try item.object(), named: name, to: &nodes) }
    default: throw node.problem(allowed: "an object or a list is allowed")
    }
    return nodes
  }

  private static func add(
    _ object: JSONObject, named name: String, to nodes: inout FrameNodes
  ) throws(TextProblem) {
    let duration = object["duration"]
    if duration != nil { nodes.hasDurations = true }
    var frame = SheetFrame(name, try rectangle(try object.required("frame")))
    frame.isTurned = try object["rotated"]?.boolean() ?? false
    frame.isTrimmed = try object["trimmed"]?.boolean() ?? false
    if let part = object["spriteSourceSize"] { frame.trimmedRectangle = try rectangle(part) }
    if let whole = object["sourceSize"] { frame.untrimmedSize = try size(whole) }
    frame.delay = try delay(object["delay"], duration: duration)
    nodes.frames.append(frame)
  }

  /// The exact delay, unless somebody has changed the duration beside it.
  private static func delay(_ exact: JSONNode?, duration: JSONNode?) throws(TextProblem) -> FrameDelay? {
    let milliseconds = try duration.map(milliseconds)
    guard let exact else { return milliseconds.map(FrameDelay.init(milliseconds:)) }
    let parts = try exact.list()
    guard parts.count == 2 else { throw exact.problem("has \(parts.count) numbers; 2 are allowed") }
    let numerator = try parts[0].whole(0...Int(UInt32.max))
    let denominator = try parts[1].whole(1...Int(UInt32.max))
    let delay = FrameDelay(numerator: UInt32(numerator), denominator: UInt32(denominator))
    guard let milliseconds, milliseconds != Double(delay.wholeMilliseconds) else { return delay }
    return FrameDelay(milliseconds: milliseconds)
  }

  /// A number that a delay holds.
  private static func milliseconds(_ node: JSONNode) throws(TextProblem) -> Double {
    let number = try node.number()
    guard number >= 0, number <= FrameDelay.mostMilliseconds else {
      throw node.problem(allowed: "a number from 0 to \(Int64(FrameDelay.mostMilliseconds)) is allowed")
    }
    return number
  }

  private static func isOneSeries(_ frames: [SheetFrame]) -> Bool {
    guard let first = frames.first.map({ NaturalOrder($0.name).series }) else { return true }
    return frames.allSatisfy { NaturalOrder($0.name).series == first }
  }

  // MARK: Tags and numbers

  private static func tags(_ node: JSONNode?, frameCount: Int) throws(TextProblem) -> [SheetTag] {
    guard let node else { return [] }
    return try node.list { (item) throws(TextProblem) in
      let object = try item.object()
      let first = try object.required("from").whole(0...(frameCount - 1))
      let last = try object.required("to").whole(first...(frameCount - 1))
      var tag = SheetTag(try object.required("name").string(), .from(first, to: last))
      if let direction = object["direction"] { tag.mode = try mode(direction) }
      if let count = object["repeat"] { (tag.mode, tag.loopCount) = repeated(tag.mode, try plays(count)) }
      return tag
    }
  }

  /// Lists of frames by their names, under a name each.
  private static func animations(_ node: JSONNode?, of frames: [SheetFrame]) throws(TextProblem) -> [SheetTag] {
    guard let node else { return [] }
    let indexes = Dictionary(zip(frames.map(\.name), frames.indices)) { first, _ in first }
    var tags: [SheetTag] = []
    for (name, item) in try node.object().nodes {
      let played = try item.list { (frame) throws(TextProblem) in
        guard let index = indexes[try frame.string()] else {
          throw frame.problem(allowed: "the name of a frame is allowed")
        }
        return index
      }
      guard (1...maxFrames).contains(played.count) else {
        throw item.problem("has \(played.count) frames; 1 to \(maxFrames) are allowed")
      }
      tags.append(SheetTag(name, .each(played)))
    }
    return tags
  }

  private static func mode(_ node: JSONNode) throws(TextProblem) -> PlaybackMode {
    let word = try node.string()
    guard let mode = PlaybackMode.allCases.first(where: { $0.direction == word }) else {
      let words = PlaybackMode.allCases.map(\.direction).joined(separator: ", ")
      throw node.problem(allowed: "\(words) are allowed")
    }
    return mode
  }

  /// The number of plays, which Aseprite writes as a string; 0 is without end.
  private static func plays(_ node: JSONNode) throws(TextProblem) -> UInt32 {
    guard case .string(let text) = node.value.content else { return UInt32(try node.whole(0...Int(UInt32.max))) }
    let areDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard areDigits, let count = UInt32(text) else {
      throw node.problem(allowed: "a whole number from 0 to \(UInt32.max) is allowed")
    }
    return count
  }

  /// Aseprite counts each direction of a ping-pong, and ends a play of one direction at its end: `repeat` in
  /// Aseprite's file format, Tags Chunk.
  private static func repeated(_ mode: PlaybackMode, _ count: UInt32) -> (PlaybackMode, LoopCount) {
    guard count > 0, mode.bounces else { return (mode, LoopCount(plays: count)) }
    guard count > 1 else { return (mode == .bounce ? .forward : .reverse, .plays(1)) }
    return (mode, .plays(count / 2 + count % 2))
  }

  private static func loopCount(_ node: JSONNode) throws(TextProblem) -> LoopCount {
    LoopCount(plays: UInt32(try node.whole(0...Int(UInt32.max))))
  }

  /// TexturePacker and Aseprite write the scale as a string.
  private static func scale(_ node: JSONNode) throws(TextProblem) -> Double {
    let scale: Double?
    if case .string(let text) = node.value.content { scale = Double(text) } else { scale = try node.number() }
    guard let scale, scale > 0, scale.isFinite else { throw node.problem(allowed: "a number above 0 is allowed") }
    return scale
  }

  private static func rectangle(_ node: JSONNode) throws(TextProblem) -> Rect {
    let object = try node.object()
    let size = try size(node)
    return Rect(
      x: try object.required("x").whole(coordinates), y: try object.required("y").whole(coordinates),
      width: size.width, height: size.height)
  }

  private static func size(_ node: JSONNode) throws(TextProblem) -> Size {
    let object = try node.object()
    return Size(
      width: try object.required("w").whole(coordinates), height: try object.required("h").whole(coordinates))
  }

  /// Pixels that a coordinate or a side may have; their sums fit in an integer.
  private static let coordinates = 0...Int(Int32.max)
}

extension PlaybackMode {
  /// What Aseprite calls it.
  var direction: String {
    switch self {
    case .forward: "forward"
    case .reverse: "reverse"
    case .bounce: "pingpong"
    case .reverseBounce: "pingpong_reverse"
    }
  }
}

extension FrameDelay {
  /// 136 years.
  fileprivate static let mostMilliseconds = Double(UInt32.max) * 1000

  /// - Parameter milliseconds: From 0 to ``mostMilliseconds``; thousandths are kept where there is room for them.
  fileprivate init(milliseconds: Double) {
    let thousandths = (milliseconds * 1000).rounded()
    if let whole = UInt32(exactly: milliseconds) {
      self = .milliseconds(whole)
    } else if thousandths <= Double(UInt32.max) {
      self.init(numerator: UInt32(thousandths), denominator: 1_000_000)
    } else if milliseconds <= Double(UInt32.max) {
      self = .milliseconds(UInt32(milliseconds.rounded(.down)))
    } else {
      self.init(numerator: UInt32((milliseconds / 1000).rounded(.down)), denominator: 1)
    }
  }

  /// Milliseconds, rounded to the nearest.
  var wholeMilliseconds: UInt64 {
    (UInt64(numerator) * 2000 + UInt64(denominator)) / (2 * UInt64(denominator))
  }
}
