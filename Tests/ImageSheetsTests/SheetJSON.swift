// SPDX-License-Identifier: Apache-2.0

import ImageSheets

/// JSON as TexturePacker and Aseprite write it, for a picture of 4×3 pixels.
enum SheetJSON {
  /// TexturePacker, "JSON (Hash)": a plain frame, a turned one, and a trimmed one, in no order.
  static let texturePacker = """
    {"frames": {

    "hero10.png":
    {
    \t"frame": {"x":2,"y":1,"w":2,"h":1},
    \t"rotated": false,
    \t"trimmed": true,
    \t"spriteSourceSize": {"x":1,"y":2,"w":2,"h":1},
    \t"sourceSize": {"w":4,"h":3},
    \t"pivot": {"x":0.5,"y":0.5}
    },
    "hero2.png":
    {
    \t"frame": {"x":0,"y":0,"w":2,"h":3},
    \t"rotated": true,
    \t"trimmed": false,
    \t"spriteSourceSize": {"x":0,"y":0,"w":2,"h":3},
    \t"sourceSize": {"w":2,"h":3},
    \t"pivot": {"x":0.5,"y":0.5}
    },
    "hero1.png":
    {
    \t"frame": {"x":0,"y":0,"w":4,"h":3},
    \t"rotated": false,
    \t"trimmed": false,
    \t"spriteSourceSize": {"x":0,"y":0,"w":4,"h":3},
    \t"sourceSize": {"w":4,"h":3},
    \t"pivot": {"x":0.5,"y":0.5}
    }},
    "meta": {
    \t"app": "https://www.codeandweb.com/texturepacker",
    \t"version": "1.0",
    \t"image": "hero.png",
    \t"format": "RGBA8888",
    \t"size": {"w":4,"h":3},
    \t"scale": "0.5",
    \t"smartupdate": "$TexturePacker:SmartUpdate:1:2:3$"
    }
    }
    """

  /// TexturePacker, "PixiJS": four frames of a pixel each in the first row, and animations of them.
  static func pixi(_ animations: String) -> String {
    let frames = (0..<4).map { #""hero\#($0)": { "frame": { "x": \#($0), "y": 0, "w": 1, "h": 1 } }"# }
    return #"{ "frames": { \#(frames.joined(separator: ", ")) }, "animations": { \#(animations) }, "meta": {} }"#
  }

  /// Aseprite, "Array": four frames of a pixel each in the first row, and tags.
  static func aseprite(_ tags: String) -> String {
    let frames = (0..<4).map { index in
      """
      { "filename": "hero \(index).aseprite", "frame": { "x": \(index), "y": 0, "w": 1, "h": 1 },
        "rotated": false, "trimmed": false, "spriteSourceSize": { "x": 0, "y": 0, "w": 1, "h": 1 },
        "sourceSize": { "w": 1, "h": 1 }, "duration": \(100 * (index + 1)) }
      """
    }
    return """
      { "frames": [ \(frames.joined(separator: ", ")) ],
        "meta": { "app": "http://www.aseprite.org/", "version": "1.3.2", "image": "hero.png", "format": "I8",
        "size": { "w": 4, "h": 3 }, "scale": "1", "frameTags": [ \(tags) ], "layers": [], "slices": [] } }
      """
  }

  /// One frame with other values, in a picture of 4×3.
  static func one(_ members: String, meta: String = "") -> String {
    #"{"frames": {"a": {\#(members)}}, "meta": {"image": "a.png"\#(meta)}}"#
  }

  static func read(_ text: String) throws -> SheetDescription { try SheetDescription(parsing: Array(text.utf8)) }
}
