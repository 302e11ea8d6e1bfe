// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension SheetDescription {
  /// The JSON of the description, in a layout.
  ///
  /// Equal descriptions give equal bytes. Numbers of plays are written as `loops` of `meta`, exact delays as `delay` of
  /// each frame; both are keys that other programs pass over.
  ///
  /// - Parameter form: The layout, or nil for ``form``.
  /// - Returns: UTF-8, which ends with a line feed.
  public func json(as form: Form? = nil) -> [UInt8] {
    let form = form ?? self.form
    let entries = frames.map { Self.entry($0, form) }
    var text = "{\n  \"frames\": \(form.isArray ? "[" : "{")\n"
    text += entries.joined(separator: ",\n")
    text += "\n  \(form.isArray ? "]" : "}"),\n  \"meta\": {\n"
    text += meta(form).map { "    \($0.key.inJSON): \($0.value)" }.joined(separator: ",\n")
    text += "\n  }\n}\n"
    return Array(text.utf8)
  }

  private static func entry(_ frame: SheetFrame, _ form: Form) -> String {
    var members: [(key: String, value: String)] = form.isArray ? [("filename", frame.name.inJSON)] : []
    members += [
      ("frame", json(frame.rectangle)), ("rotated", "\(frame.isTurned)"), ("trimmed", "\(frame.isTrimmed)"),
      ("spriteSourceSize", json(frame.trimmedRectangle)), ("sourceSize", json(frame.untrimmedSize)),
    ]
    if let delay = frame.delay {
      if form.isAseprite { members.append(("duration", "\(delay.wholeMilliseconds)")) }
      members.append(("delay", "[\(delay.numerator), \(delay.denominator)]"))
    }
    let lines = members.map { "      \($0.key.inJSON): \($0.value)" }.joined(separator: ",\n")
    return "    \(form.isArray ? "" : "\(frame.name.inJSON): "){\n\(lines)\n    }"
  }

  private func meta(_ form: Form) -> [(key: String, value: String)] {
    var members: [(key: String, value: String)] = [
      ("app", (application ?? "coders").inJSON), ("version", (version ?? "1.0").inJSON),
    ]
    if let image { members.append(("image", image.inJSON)) }
    members.append(("format", (pixelFormat ?? "RGBA8888").inJSON))
    if let size { members.append(("size", Self.json(size))) }
    members.append(("scale", "\"\(Int(exactly: scale).map { "\($0)" } ?? "\(scale)")\""))
    if loopCount != .infinite { members.append(("loops", "\(loopCount.plays)")) }
    if form.isAseprite || !tags.isEmpty {
      let lines = tags.map { "      \(Self.json($0))" }.joined(separator: ",\n")
      members.append(("frameTags", tags.isEmpty ? "[]" : "[\n\(lines)\n    ]"))
    }
    return members
  }

  private static func json(_ rectangle: Rect) -> String {
    "{\"x\": \(rectangle.x), \"y\": \(rectangle.y), \"w\": \(rectangle.width), \"h\": \(rectangle.height)}"
  }

  private static func json(_ size: Size) -> String { "{\"w\": \(size.width), \"h\": \(size.height)}" }

  private static func json(_ tag: SheetTag) -> String {
    var text = "{\"name\": \(tag.name.inJSON), \"from\": \(tag.first), \"to\": \(tag.last), "
    text += "\"direction\": \"\(tag.mode.direction)\""
    if case .plays(let count) = tag.loopCount {
      // Each direction counts.
      text += ", \"repeat\": \"\(tag.mode.bounces ? min(UInt64(count) * 2, UInt64(UInt32.max)) : UInt64(count))\""
    }
    return text + "}"
  }
}
