// SPDX-License-Identifier: Apache-2.0

import ImageCoders

/// The frames of an animation, or the pages of another file, as a table or as JSON.
struct FrameList {
  private let file: String
  private let report: FileReport

  init(_ decoder: ImageDecoder, file: String) throws(CoderError) {
    self.file = file
    report = try decoder.asOneCall { () throws(CoderError) in try FileReport(decoder, counts: true) }
  }

  /// The table.
  func lines(_ style: Style) -> [String] {
    if report.showsPages { return pageLines(style) }
    var table = Table(
      ["FRAME", "X", "Y", "SIZE", "SECONDS", "DISPOSAL", "BLEND", "ALPHA"], rightAligned: [0, 1, 2, 4])
    for (index, frame) in report.frames.enumerated() {
      table.add([
        "\(index + 1)", "\(frame.rect.x)", "\(frame.rect.y)", "\(frame.rect.size)",
        (frame.delay ?? .zero).seconds.short,
        frame.disposal.word, frame.blend.word, frame.hasAlpha ? "yes" : "no",
      ])
    }
    return table.lines(style)
  }

  private func pageLines(_ style: Style) -> [String] {
    var table = Table(["PAGE", "SIZE", "PIXELS", "BITS", "ALPHA", ""], rightAligned: [0, 1, 3])
    for (index, page) in report.pages.enumerated() {
      switch page {
      case .success(let page):
        let header = page.header
        var notes = index == report.header.primaryPage ? ["primary"] : []
        notes += header.pageNotes
        table.add([
          "\(index + 1)", "\(header.displayedSize)", "\(header.pixelFormat)", "\(header.bitsPerChannel)",
          "\(header.alpha)", notes.joined(separator: ", "),
        ])
      case .failure(let error): table.add(["\(index + 1)", "", "", "", "", error.descriptionWithoutFile])
      }
    }
    return table.lines(style)
  }

  /// The output of `coders frames --json`; `docs/cli.md` documents its keys.
  var json: JSONValue {
    let members = report.members
    var kept: [String: JSONValue] = ["schema": .integer(1), "file": .text(file)]
    for key in [
      "format", "stored_width", "stored_height", "frame_count", "loop_count", "duration", "frames", "page_count",
      "primary_page",
      "pages",
    ] {
      kept[key] = members[key]
    }
    return .object(kept)
  }
}
