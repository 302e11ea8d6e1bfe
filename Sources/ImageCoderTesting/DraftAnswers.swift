// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension CoderConformance {
  /// The text of an `answers.json` with what a coder answers now for each file in `valid/` and `invalid/`.
  ///
  ///     print(try CoderConformance.draftAnswers(pluginDirectory: plugins, id: "org.example.my", fixtures: "Fixtures/my"))
  ///
  /// It is a draft: a coder that is wrong writes its mistakes down. Hold each answer against another decoder or the
  /// recipe of the picture before you keep it, and say in `shows` what the picture is for. An `answers.json` that is
  /// there is not looked at.
  ///
  /// - Throws: ``CoderError`` when the plugin cannot be loaded or a file cannot be read.
  public static func draftAnswers(pluginDirectory: String, id: String, fixtures: String) throws -> String {
    let plugin = try Plugin(pluginDirectory: pluginDirectory, id: id)
    var entries: [String] = []
    for path in try Fixtures.names(in: fixtures, "invalid") {
      entries.append(DraftAnswer.ofInvalid(path, try Fixtures.contents("\(fixtures)/\(path)"), by: plugin.coder))
    }
    for path in try Fixtures.names(in: fixtures, "valid") {
      entries.append(DraftAnswer.ofValid(path, try Fixtures.contents("\(fixtures)/\(path)"), by: plugin.coder))
    }
    return "{\n" + entries.joined(separator: ",\n") + "\n}\n"
  }
}

/// Members of an answer file, as the coder answers now.
enum DraftAnswer {
  /// A coder that reads the file without a problem leaves the error out, which has to be filled in.
  static func ofInvalid(_ path: String, _ bytes: [UInt8], by coder: any ImageCoder) -> String {
    var members = ["\"shows\": \"\""]
    do throws(CoderError) {
      let image = try coder.decode(.bytes(bytes))
      if let problem = image.problem { members += ["\"error\": \"\(problem.code)\"", "\"rows\": \"some\""] }
    } catch {
      members.append("\"error\": \"\(error.code)\"")
    }
    return "  \(quoted(path)): {\(members.joined(separator: ", "))}"
  }

  /// A file that cannot be decoded gives an answer without values, with the error in `shows`.
  static func ofValid(_ path: String, _ bytes: [UInt8], by coder: any ImageCoder) -> String {
    do throws(CoderError) {
      let lines = try lines(ofValid: bytes, by: coder).map { "    \($0)" }
      return "  \(quoted(path)): {\n" + lines.joined(separator: ",\n") + "\n  }"
    } catch {
      return "  \(quoted(path)): {\"shows\": \(quoted("NOT DECODED: \(error)"))}"
    }
  }

  private static func lines(ofValid bytes: [UInt8], by coder: any ImageCoder) throws(CoderError) -> [String] {
    let source = try OpenSource(.bytes(bytes), limits: .standard)
    let header = try coder.makeDecoder(DecodeContext(source, options: DecodeOptions())).header
    let layout: PixelFormat = header.pixelFormat.bytesPerChannel > 1 ? .rgba16 : .rgba8
    let decoder = try coder.makeDecoder(DecodeContext(source, options: Subject.stored(layout)))
    let image = try decoder.image()
    if let problem = image.problem { throw problem }
    var lines = [
      "\"shows\": \"\"",
      "\"canvas\": [\(header.canvas.width), \(header.canvas.height)], \"pixelFormat\": \"\(header.pixelFormat)\", "
        + "\"bitsPerChannel\": \(header.bitsPerChannel), \"alpha\": \"\(header.alpha)\", \"hashFormat\": \"\(layout)\"",
    ]
    if header.orientation != .up {
      var upright = DecodeOptions()
      upright.pixelFormat = layout
      let hash = try coder.decode(.bytes(bytes), options: upright).pixels.hash
      lines.append("\"orientation\": \(header.orientation.rawValue), \"uprightHash\": \"\(hash)\"")
    }
    if header.isAnimated { lines.append("\"loopCount\": \(text(decoder.loopCount))") }
    lines += try metadata(of: decoder)
    lines += try pages(of: decoder)
    var frames: [String] = []
    for (index, frame) in image.frames.enumerated() {
      guard header.isAnimated else {
        frames.append("{\"hash\": \"\(frame.pixels.hash)\"}")
        continue
      }
      let stored = try decoder.frameHeader(at: index)
      let delay = stored.delay ?? .zero
      frames.append(
        "{\"rect\": [\(stored.rect.x), \(stored.rect.y), \(stored.rect.width), \(stored.rect.height)], "
          + "\"delay\": [\(delay.numerator), \(delay.denominator)], \"disposal\": \"\(stored.disposal)\", "
          + "\"blend\": \"\(stored.blend)\", \"hash\": \"\(frame.pixels.hash)\"}")
    }
    lines.append(list("frames", frames))
    return lines
  }

  private static func text(_ loopCount: LoopCount) -> String {
    if case .plays(let count) = loopCount { return "\(count)" }
    return "\"infinite\""
  }

  private static func metadata(of decoder: ImageDecoder) throws(CoderError) -> [String] {
    var payloads: [String] = []
    for kind in MetadataKind.allCases {
      guard let payload = try decoder.metadata(kind) else { continue }
      payloads.append("\"\(kind)\": {\"bytes\": \(payload.count), \"hash\": \"\(PixelHash(payload))\"}")
    }
    return payloads.isEmpty ? [] : ["\"metadata\": {\(payloads.joined(separator: ", "))}"]
  }

  private static func pages(of decoder: ImageDecoder) throws(CoderError) -> [String] {
    guard decoder.header.pageCount > 1 else { return [] }
    var pages: [String] = []
    for index in 0..<decoder.header.pageCount {
      do throws(CoderError) {
        let page = try decoder.page(index)
        let canvas = "\"canvas\": [\(page.header.canvas.width), \(page.header.canvas.height)]"
        guard page.header.embedded == nil else {
          // Its pixels are another coder's answer.
          pages.append("{\(canvas), \"embedded\": true}")
          continue
        }
        let image = try page.image()
        if let problem = image.problem { throw problem }
        pages.append("{\(canvas), \"hash\": \"\(image.pixels.hash)\"}")
      } catch {
        pages.append("{\"canvas\": [0, 0], \"error\": \"\(error.code)\"}")
      }
    }
    return ["\"pageCount\": \(pages.count), \"primaryPage\": \(decoder.page)", list("pages", pages)]
  }

  /// One item on the name's line, several on lines of their own.
  private static func list(_ name: String, _ items: [String]) -> String {
    guard items.count > 1 else { return "\"\(name)\": [\(items.joined())]" }
    return "\"\(name)\": [\n      " + items.joined(separator: ",\n      ") + "\n    ]"
  }

  /// A JSON string.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\0"..."\u{1F}": quoted += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
