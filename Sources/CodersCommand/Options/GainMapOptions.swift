// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import ImageCoders

/// Options for pictures that belong to others.
struct GainMapOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      What happens to a gain map: keep, drop, apply for the brightest display, apply=STOPS for one that is so many stops \
      brighter than white, or make one of an HDR picture. (default: keep)
      """, valueName: "what"), transform: GainMapArgument.parsed)
  var gainMap: GainMapArgument?

  @Option(
    help: ArgumentHelp(
      "Convert a picture that belongs to this one: gain-map, depth, disparity, matte, preview, reduced, overscan or other.",
      valueName: "kind"), transform: AuxiliaryArgument.parsed)
  var auxiliary: AuxiliaryArgument?
}

/// A kind of auxiliary picture on the command line.
struct AuxiliaryArgument: DescribedArgument {
  let kind: PageKind

  init?(argument: String) {
    guard let kind = Self.kinds.first(where: { $0.word == argument }) else { return nil }
    self.kind = kind
  }

  /// Kinds of pages that are not shown by themselves.
  private static let kinds: [PageKind] = [.gainMap, .depth, .disparity, .matte, .preview, .reduced, .overscan, .other]
  private static let words =
    kinds.dropLast().map(\.word).joined(separator: ", ") + " or other"

  static func allowed(for text: String) -> String {
    "a picture that belongs to another is \(words), not \(text)"
  }
}

/// A picture that is put beside another, on the command line: `depth=depth.png`.
struct AddedPictureArgument: DescribedArgument {
  let kind: PageKind
  let file: String

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2, let kind = AuxiliaryArgument(argument: parts[0])?.kind,
      [.depth, .disparity, .matte].contains(kind)
    else { return nil }
    (self.kind, file) = (kind, parts[1])
  }

  static func allowed(for text: String) -> String {
    "a picture beside another is depth=FILE, disparity=FILE or matte=FILE, not \(text)"
  }
}

/// What happens to a gain map, on the command line.
enum GainMapArgument: DescribedArgument, Equatable {
  case keep, drop, make
  /// - Parameter headroom: Of the display.
  case apply(headroom: Double)

  init?(argument: String) {
    switch argument {
    case "keep": self = .keep
    case "drop": self = .drop
    case "make": self = .make
    case "apply": self = .apply(headroom: 65_536)
    default:
      guard argument.hasPrefix("apply="), let stops = Double(argument.dropFirst("apply=".count)),
        (0...16).contains(stops)
      else { return nil }
      self = .apply(headroom: exp2(stops))
    }
  }

  static func allowed(for text: String) -> String {
    "what happens to a gain map is keep, drop, make, apply or apply=STOPS with 0 to 16 stops, not \(text)"
  }

  /// Puts what is wanted into the options of a conversion.
  func apply(to writing: inout EncodeOptions, _ reading: inout DecodeOptions, format: ImageFormat) {
    switch self {
    case .keep: break
    case .drop: writing.gainMap = .dropped
    case .make: writing.gainMap = .made
    case .apply(let headroom):
      reading.gainMap = .applied(headroom: headroom)
      guard reading.color == .asStored else { return }
      if [.png, .avif, .heic, .jpegXL].contains(format) {
        // BT.2100 PQ.
        reading.pixelFormat = .rgba16
      } else {
        reading.color = .convert(to: .sRGB)
      }
    }
  }
}
