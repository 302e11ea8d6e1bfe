// SPDX-License-Identifier: Apache-2.0

import ImageCoders
import ImageSheets

/// The result of packing or unpacking a sheet.
struct SheetReport {
  let file: EncodingReport
  /// The number of frames that were packed or written.
  let frameCount: Int
  let frameSize: Size
  /// The JSON that was written beside a picture, and its path; nil for an animation.
  let written: (description: SheetDescription, path: String)?

  /// The output of `coders sheet --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    var members = file.members
    members["carried_over"] = nil
    members["frames"] = .integer(frameCount)
    members["frame_width"] = .integer(frameSize.width)
    members["frame_height"] = .integer(frameSize.height)
    members["schema"] = .integer(1)
    members["sheet"] = .null
    if let written {
      let size = written.description.size ?? frameSize
      members["sheet"] = .object([
        "description": .text(written.path), "form": .text(written.description.form.rawValue),
        "width": .integer(size.width), "height": .integer(size.height),
      ])
    }
    return .object(members)
  }
}
