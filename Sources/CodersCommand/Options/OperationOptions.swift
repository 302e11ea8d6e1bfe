// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import ImageCoderEngine
import ImageCoders
import ImageProcessing
import Synchronization

/// Options that change pictures. They can be given in any order, and more than once; their order counts.
struct OperationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Scale to fit a box, 300x200, 300x or x200; with ,fill or ,stretch to its size; with ,enlarge also small pictures.",
      valueName: "wxh[,how]"), transform: OperationArgument.parsed("resize"))
  var resize: [OperationArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Keep only this part of the upright picture: 300x200+10+20 begins 10 pixels from the left and 20 from the top; \
      300x200,center is placed by a side or corner.
      """, valueName: "wxh+x+y"), transform: OperationArgument.parsed("crop"))
  var crop: [OperationArgument] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Turn clockwise by any angle; a color is that of the corners.", valueName: "degrees[,color]"),
    transform: OperationArgument.parsed("rotate"))
  var rotate: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Mirror: horizontal or vertical.", valueName: "direction"),
    transform: OperationArgument.parsed("flip"))
  var flip: [OperationArgument] = []

  @Option(
    help: ArgumentHelp(
      "Round the corners: one radius or four, clockwise from the top left; 12,border=2,#ff0000 also draws the edge.",
      valueName: "radius"), transform: OperationArgument.parsed("round"))
  var round: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Paint a frame over the outermost pixels.", valueName: "width[,color]"),
    transform: OperationArgument.parsed("border"))
  var border: [OperationArgument] = []

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "Cut the edges off by so many pixels, or by top,right,bottom,left; negative numbers add room of a color.",
      valueName: "n[,color]"), transform: OperationArgument.parsed("inset"))
  var inset: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Blend a color over the picture: #ff800080, #ff8000,multiply.", valueName: "color[,mode]"),
    transform: OperationArgument.parsed("tint"))
  var tint: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Mix with gray, 0 to 1.", valueName: "amount"),
    transform: OperationArgument.parsed("grayscale"))
  var grayscale: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Multiply saturation; 1 changes nothing.", valueName: "factor"),
    transform: OperationArgument.parsed("saturation"))
  var saturation: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Multiply brightness; 1 changes nothing.", valueName: "factor"),
    transform: OperationArgument.parsed("brightness"))
  var brightness: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Blur by a Gaussian of this standard deviation in pixels.", valueName: "sigma"),
    transform: OperationArgument.parsed("blur"))
  var blur: [OperationArgument] = []

  @Option(
    help: ArgumentHelp("Lay the picture over a color.", valueName: "color"),
    transform: OperationArgument.parsed("flatten"))
  var flatten: [OperationArgument] = []

  @Option(
    help: ArgumentHelp(
      "Lay another picture over this one, a watermark: logo.png,bottom-right,-10,-10,0.5.",
      valueName: "file[,anchor,x,y,opacity,mode]"), transform: OperationArgument.parsed("overlay"))
  var overlay: [OperationArgument] = []

  @Option(
    help: ArgumentHelp(
      """
      Any of these by its name, or several with bars between: 'crop:10x10+0+0|blur:2'; also contrast:1.2, gamma:1.8, \
      sharpen:1.5, sepia, invert, hue:90 and matrix.
      """, valueName: "operations"),
    transform: OperationArgument.parsed(nil))
  var apply: [OperationArgument] = []

  /// All of them, in the order of the command line.
  private var inOrder: [OperationArgument] {
    let all = [
      resize, crop, rotate, flip, round, border, inset, tint, grayscale, saturation, brightness, blur, flatten, overlay,
      apply,
    ]
    return all.flatMap { $0 }.sorted { $0.position < $1.position }
  }

  var isEmpty: Bool { inOrder.isEmpty }

  /// The operations, with the pictures that are laid over others.
  ///
  /// - Throws: ``CoderError`` for a picture that cannot be read.
  func operations(
    _ read: ReadSettings, _ registry: CoderRegistry, _ console: Console
  ) throws(CoderError) -> [ImageOperation] {
    var operations: [ImageOperation] = []
    for argument in inOrder {
      operations += try ImagePipeline(parsing: argument.text) { (name) throws(CoderError) in
        var options = DecodeOptions()
        options.limits = read.limits
        options.firstFrameOnly = true
        do throws(CoderError) {
          return try registry.decode(.file(console.location(of: name)), options: options).pixels
        } catch {
          throw CoderError(code: error.code, message: "the picture \(name) of --overlay: \(error.message)")
        }
      }.operations
    }
    return operations
  }
}

/// An operation on the command line, and where it stands there.
struct OperationArgument: Sendable {
  /// Grows with each argument that is read, which is in the order of the command line.
  let position: Int
  /// As ``ImagePipeline`` reads it.
  let text: String

  private static let count = Atomic<Int>(0)

  /// Reads the values of the operation of a name, or whole operations.
  static func parsed(_ name: String?) -> @Sendable (String) throws -> OperationArgument {
    { values in
      let text = name.map { "\($0):\(values)" } ?? values
      do throws(CoderError) {
        // The picture of an overlay is looked at later.
        _ = try ImagePipeline(parsing: text) { (_) throws(CoderError) in
          try PixelBuffer(size: Size(width: 1, height: 1), format: .rgba8, alpha: .straight)
        }
      } catch {
        guard name == "crop" else { throw ValidationError(error.message) }
        throw ValidationError(CropArgument.allowed(for: values))
      }
      return OperationArgument(position: count.wrappingAdd(1, ordering: .relaxed).oldValue, text: text)
    }
  }
}

extension PixelEdit {
  /// Operations as an edit: parts, quarter turns and mirroring at their beginning move pixels, which some formats can do
  /// without decoding; the rest is work on pixels.
  ///
  /// - Parameter picture: The size of the upright picture.
  /// - Throws: ``CoderError/Code/invalidArgument`` for a part that is not inside.
  init(_ operations: [ImageOperation], picture: Size, limits: Limits) throws(CoderError) {
    self.init()
    var rest = operations[...]
    var part = Rect(covering: picture)
    var turn = Orientation.up
    moving: while let next = rest.first {
      let shown = turn.displayed(part.size)
      switch next {
      case .crop, .cropAnchored:
        let size = try next.size(of: shown, limits: limits)
        var place = Rect(covering: size)
        if case .crop(let rect) = next { place = rect }
        if case .cropAnchored(_, let anchor) = next { (place.x, place.y) = anchor.origin(of: size, in: shown) }
        let stored = turn.stored(place, in: part.size)
        part = Rect(x: part.x + stored.x, y: part.y + stored.y, width: stored.width, height: stored.height)
      case .flipHorizontal: turn = add(.upMirrored, after: turn)
      case .flipVertical: turn = add(.downMirrored, after: turn)
      case .rotate(let rotation):
        guard let quarter = rotation.quarter, !(rotation.keepsSize && quarter.swapsSides) else { break moving }
        turn = add(quarter, after: turn)
      default: break moving
      }
      rest.removeFirst()
    }
    if part != Rect(covering: picture) { crop = part }
    guard !rest.isEmpty else { return }
    let pipeline = ImagePipeline(Array(rest))
    work = PixelWork(
      pipeline.key, changes: pipeline.operations.reduce(into: []) { $0.formUnion($1.changes) },
      size: { (size) throws(CoderError) in try pipeline.size(of: size, limits: limits) },
      apply: { (pixels) throws(CoderError) in try pipeline.applied(to: pixels, limits: limits) })
  }

  private mutating func add(_ next: Orientation, after turn: Orientation) -> Orientation {
    if next != .up { turns.append(next) }
    return turn.followed(by: next)
  }
}
