// SPDX-License-Identifier: Apache-2.0

import Glibc
public import ImageCoderEngine
public import ImageCoderModel

extension ImageOperation: CustomStringConvertible {
  /// The one spelling that keys have: a name, a colon and every value.
  public var description: String {
    switch self {
    case .resize(let resize):
      let sides = "\(resize.box.width)x\(resize.box.height)"
      let isFree = resize.box.width == 0 || resize.box.height == 0
      let mode = isFree ? .fit : resize.mode
      return "resize:\(sides),\(mode.rawValue)" + (mode == .fill ? ",\(resize.anchor.rawValue)" : "")
        + (resize.enlarges ? ",enlarge" : "")
    case .crop(let rect): return "crop:\(rect.width)x\(rect.height)+\(rect.x)+\(rect.y)"
    case .cropAnchored(let size, let anchor): return "crop:\(size.width)x\(size.height),\(anchor.rawValue)"
    case .rotate(let rotation):
      return "rotate:\(rotation.normalizedDegrees.text),\(rotation.background)"
        + (rotation.keepsSize ? ",keep-size" : "")
    case .flipHorizontal: return "flip:horizontal"
    case .flipVertical: return "flip:vertical"
    case .round(let corners):
      let radii = [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft]
      let words = Set(radii).count == 1 ? [radii[0].text] : radii.map(\.text)
      return "round:" + words.joined(separator: ",")
        + (corners.border > 0 ? ",border=\(corners.border),\(corners.borderColor)" : "")
    case .border(let width, let color): return "border:\(width),\(color)"
    case .inset(let insets, let color):
      return "inset:\(insets.top),\(insets.right),\(insets.bottom),\(insets.left),\(color)"
    case .tint(let color, let mode): return "tint:\(color),\(mode.rawValue)"
    case .grayscale(let amount): return "grayscale:\(amount.text)"
    case .saturation(let factor): return "saturation:\(factor.text)"
    case .brightness(let factor): return "brightness:\(factor.text)"
    case .matrix(let matrix): return "matrix:" + matrix.numbers.map(\.text).joined(separator: ",")
    case .gamma(let gamma): return "gamma:\(gamma.text)"
    case .sharpen(let sigma, let amount): return "sharpen:\(sigma.text),\(amount.text)"
    case .blur(let sigma): return "blur:\(sigma.text)"
    case .flatten(let color): return "flatten:\(color)"
    case .overlay(let overlay):
      return "overlay:\(overlay.digest),\(overlay.anchor.rawValue),\(overlay.x),\(overlay.y),\(overlay.opacity.text),"
        + overlay.mode.rawValue
    }
  }

  /// Whether no picture is changed.
  var isIdentity: Bool {
    switch self {
    case .rotate(let rotation): rotation.normalizedDegrees == 0
    case .round(let corners):
      corners.border == 0
        && [corners.topLeft, corners.topRight, corners.bottomRight, corners.bottomLeft].allSatisfy { $0 == 0 }
    case .inset(let insets, _): insets == Insets(0)
    case .grayscale(let amount): amount == 0
    case .saturation(let factor), .brightness(let factor), .gamma(let factor): factor == 1
    case .matrix(let matrix): matrix == .identity
    case .sharpen(let sigma, let amount): sigma == 0 || amount == 0
    case .blur(let sigma): sigma == 0
    default: false
    }
  }

  /// Reads an operation. Values at the end that have a default can be left out.
  ///
  /// | Text | Values |
  /// |---|---|
  /// | `resize:300x200,fill,top,enlarge` | `fit` (default), `fill` or `stretch`; for `fill`, what stays: `center` (default), `top`, `bottom-right` …; `enlarge` if it may get larger. `300x` leaves the height free |
  /// | `crop:100x80+10+20`, `crop:100x80,center` | a part at a place, or by an anchor |
  /// | `rotate:12.5,#00000000,keep-size` | degrees clockwise; the background; `keep-size` cuts the corners off |
  /// | `flip:horizontal` | or `vertical` |
  /// | `round:12,border=2,#ff0000ff` | one radius or four, clockwise from the top left; the border and its color |
  /// | `border:2,#000000ff` | width, color |
  /// | `inset:1,2,3,4,#ffffffff` | top, right, bottom, left; negative values add room of the color |
  /// | `tint:#ff000080,multiply` | color; `normal` (default) or another ``ImageOperation/BlendMode`` |
  /// | `grayscale:1`, `saturation:1.5`, `brightness:0.8` | amounts |
  /// | `exposure:-0.5` | stops: short for a `brightness:` of 2 to that power |
  /// | `contrast:1.2`, `sepia:1`, `invert:1`, `hue:90` | amounts; degrees. Short for a `matrix:` of twelve numbers: for red, green and blue what each gets of red, green, blue and white |
  /// | `gamma:1.8` | above 1 lighter |
  /// | `blur:2.5`, `sharpen:1.5,0.8` | sigma in pixels; for `sharpen` the amount, 1 unless it is given |
  /// | `flatten:#ffffffff` | color |
  /// | `overlay:NAME,bottom-right,-10,-10,0.5,normal` | picture, anchor, x, y, opacity, blend mode |
  ///
  /// - Parameter pictures: Gives the picture of an overlay by its name; nil if there are none.
  /// - Throws: ``CoderError/Code/invalidArgument`` that names what was found and what is allowed; what `pictures` throws.
  public init(
    parsing text: String, pictures: ((String) throws(CoderError) -> PixelBuffer)? = nil
  ) throws(CoderError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    var words = OperationWords(parts.count > 1 ? parts[1] : "", of: text)
    switch parts[0] {
    case "resize":
      let box = try words.size(allowsFree: true)
      let mode = try words.optional(Resize.Mode.self) ?? .fit
      let anchor = try words.optional(Anchor.self) ?? .center
      self = .resize(.init(box, mode, anchor: anchor, enlarges: words.skip("enlarge")))
    case "crop":
      self = try words.crop()
    case "rotate":
      let degrees = try words.number("degrees")
      let color = try words.optionalColor() ?? .transparent
      self = .rotate(.init(degrees, background: color, keepsSize: words.skip("keep-size")))
    case "flip":
      if words.skip("horizontal") {
        self = .flipHorizontal
      } else if words.skip("vertical") {
        self = .flipVertical
      } else {
        throw words.error("horizontal or vertical")
      }
    case "round": self = .round(try words.corners())
    case "border":
      let width = try words.integer("a width")
      self = .border(width: width, try words.optionalColor() ?? .black)
    case "inset":
      let first = try words.integer("pixels")
      guard let right = words.optionalInteger() else {
        self = .inset(.init(first), try words.optionalColor() ?? .transparent)
        break
      }
      let insets = Insets(
        top: first, right: right, bottom: try words.integer("pixels"), left: try words.integer("pixels"))
      self = .inset(insets, try words.optionalColor() ?? .transparent)
    case "tint":
      let color = try words.color()
      self = .tint(color, try words.optional(BlendMode.self) ?? .normal)
    case "grayscale": self = .grayscale(words.isEmpty ? 1 : try words.number("an amount"))
    case "saturation": self = .saturation(try words.number("a factor"))
    case "brightness": self = .brightness(try words.number("a factor"))
    case "exposure": self = .brightness(exp2(try words.number("stops", in: -100...6)))
    case "contrast": self = .matrix(.contrast(try words.number("a factor", in: 0...100)))
    case "sepia": self = .matrix(.sepia(words.isEmpty ? 1 : try words.number("an amount", in: 0...1)))
    case "invert": self = .matrix(.invert(words.isEmpty ? 1 : try words.number("an amount", in: 0...1)))
    case "hue": self = .matrix(.hueRotation(degrees: try words.number("degrees", in: -1e6...1e6)))
    case "matrix":
      var rows: [SIMD4<Double>] = []
      for _ in 0..<3 {
        var row = SIMD4<Double>.zero
        for column in 0..<4 { row[column] = try words.number("one of twelve numbers") }
        rows.append(row)
      }
      self = .matrix(ColorMatrix(red: rows[0], green: rows[1], blue: rows[2]))
    case "gamma": self = .gamma(try words.number("a gamma"))
    case "sharpen":
      let sigma = try words.number("a sigma")
      self = .sharpen(sigma: sigma, amount: words.isEmpty ? 1 : try words.number("an amount"))
    case "blur": self = .blur(sigma: try words.number("a sigma"))
    case "flatten": self = .flatten(words.isEmpty ? .white : try words.color())
    case "overlay":
      let name = try words.word("a picture")
      guard let pictures else { throw .invalidArgument("the operation \(text): there are no pictures to lay over") }
      let pixels = try pictures(name)
      var overlay = Overlay(pixels, at: try words.optional(Anchor.self) ?? .center)
      overlay.x = words.optionalInteger() ?? 0
      overlay.y = words.optionalInteger() ?? 0
      overlay.opacity = words.optionalNumber() ?? 1
      overlay.mode = try words.optional(BlendMode.self) ?? .normal
      self = .overlay(overlay)
    default:
      throw .invalidArgument(
        "the operation \(text); there are \(Self.names.joined(separator: ", "))")
    }
    try words.end()
  }

  /// The names that operations begin with.
  package static let names = [
    "resize", "crop", "rotate", "flip", "round", "border", "inset", "tint", "grayscale", "saturation", "brightness",
    "exposure", "contrast", "sepia", "invert", "hue", "matrix", "gamma", "sharpen", "blur", "flatten", "overlay",
  ]
}

extension Double {
  /// The shortest decimal number that means the same, an integer without a point, 0 without a sign.
  var text: String {
    self == rounded() && abs(self) < 1e15 ? "\(Int(self))" : "\(self)"
  }
}
