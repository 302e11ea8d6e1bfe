// SPDX-License-Identifier: Apache-2.0

import FuzzStructures
import ImageCoderModel
import ImageCoders
import ImageProcessing
import TerminalGraphics

/// The parsers of texts that are no metadata of a file: policies, operations, and what a terminal says.
enum TextTargets {
  static let all = [
    FuzzTarget(
      name: "parse-policy", about: "a policy file", seeds: .bytes([Array(policy.utf8)]), structure: nil,
      run: { _ = try? SecurityPolicy(parsing: $0, path: "policy.json") }),
    FuzzTarget(
      name: "parse-operations", about: "operations on pictures, each spelled again", seeds: .bytes(operations),
      structure: nil, run: operations),
    FuzzTarget(
      name: "parse-terminal", about: "answers of a terminal, in one piece and byte by byte", seeds: .bytes(replies),
      structure: nil, run: terminal),
    FuzzTarget(
      name: "parse-terminfo", about: "a compiled description of a terminal", seeds: .bytes(descriptions),
      structure: nil, run: { _ = TerminalDescription(contents: $0) }),
  ]

  /// term(5) of ncurses: 6 bytes of names, no booleans, 14 numbers of 16 and of 32 bits, the last of which are the colors.
  private static let descriptions: [[UInt8]] = [(0o432, 2), (0o1036, 4)].map { magic, size in
    [UInt8(magic & 0xFF), UInt8(magic >> 8), 6, 0, 0, 0, 14, 0, 0, 0, 0, 0] + Array("xterm\0".utf8)
      + [UInt8](repeating: 0xFF, count: 13 * size) + [0, 1] + [UInt8](repeating: 0, count: size - 2)
  }

  private static let policy = """
    {"base": "web", "formats": ["public.png", "public.jpeg"], "coders": {"value": ["org.imagecoders.png"], "reason": "r"},
     "limits": {"maxPixels": 1000000, "maxFrames": {"value": 10, "reason": "short"}}, "isolation": "required",
     "isolationOfPureSwift": "off", "freshWorkers": true, "metadata": false, "readOptions": ["exposure"],
     "siblings": "named",
     "byFormat": {"public.tiff": {"limits": {"maxSide": 4096}, "isolation": "strict"}}}
    """

  private static let operations: [[UInt8]] = [
    "resize:300x200,fill,top,enlarge", "resize:300x", "crop:100x80+10+20", "crop:100x80,center",
    "rotate:12.5,#00000000,keep-size", "flip:horizontal", "flip:vertical", "round:12,border=2,#ff0000ff",
    "round:1,2,3,4",
    "border:2,#000000ff", "inset:1,2,3,4,#ffffffff", "tint:#ff000080,multiply", "grayscale:1", "saturation:1.5",
    "brightness:0.8", "contrast:1.2", "sepia:1", "hue:90", "gamma:1.8", "sharpen:1.5,0.8", "blur:2.5",
    "flatten:#ffffffff",
  ].map { Array($0.utf8) }

  /// What is understood has one spelling, which is understood as the same.
  private static func operations(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let operation = try? ImageOperation(parsing: text) else { return }
    let spelled = operation.description
    guard let again = try? ImageOperation(parsing: spelled), again.description == spelled else {
      FuzzTarget.broken("\(spelled) is spelled as it is understood")
    }
    _ = try? ImagePipeline([operation]).size(of: Size(width: 64, height: 48))
  }

  private static let replies: [[UInt8]] = [
    "\u{1B}[?62;4;22c", "\u{1B}P>|kitty(0.32.2)\u{1B}\\", "\u{1B}_Gi=31;OK\u{1B}\\", "\u{1B}[6;20;10t\u{1B}[4;600;800t",
    "\u{1B}[?2026;2$y", "\u{1B}[?1;0;256S\u{1B}[?2;0;800;600S\u{1B}[0n",
  ].map { Array($0.utf8) }

  private static func terminal(_ bytes: [UInt8]) {
    var (whole, single) = (TerminalReplies(), TerminalReplies())
    var abilities = TerminalAbilities()
    let replies = whole.add(bytes)
    guard bytes.flatMap({ single.add([$0]) }) == replies else {
      FuzzTarget.broken("answers do not depend on the pieces in which they come")
    }
    for reply in replies { abilities.take(reply) }
  }
}
