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
    text += "\n  \(form.isArray ? "]" : "}"),\n"
    let animations = animations
    if !animations.isEmpty { text += "  \"animations\": {\n\(animations.joined(separator: ",\n"))\n  },\n" }
    text += "  \"meta\": {\n"
    text += meta(form).map { "    \($0.key.inJSON): \($0.value)" }.joined(separator: ",\n")
    text += "\n  }\n}\n"
    return Array(text.utf8)
  }

  /// PixiJS's animations: tags of frames in an order of their own.
  private var animations: [String] {
    tags.compactMap { tag in
      guard case .each(let indexes) = tag.frames else { return nil }
      let names = indexes.filter(frames.indices.contains).map { frames[$0].name.inJSON }
      return "    \(tag.name.inJSON): [\(names.joined(separator: ", "))]"
    }
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
    let ranges = tags.compactMap(Self.json)
    if form.isAseprite || !ranges.isEmpty {
      let lines = ranges.map { "      \($0)" }.joined(separator: ",\n")
      members.append(("frameTags", ranges.isEmpty ? "[]" : "[\n\(lines)\n    ]"))
    }
    return members
  }

  private static func json(_ rectangle: Rect) -> String {
    "{\"x\": \(rectangle.x), \"y\": \(rectangle.y), \"w\": \(rectangle.width), \"h\": \(rectangle.height)}"
  }

  private static func json(_ size: Size) -> String { "{\"w\": \(size.width), \"h\": \(size.height)}" }

  /// A tag of Aseprite; nil for one that is an animation of PixiJS.
  private static func json(_ tag: SheetTag) -> String? {
    guard case .from(let first, let last) = tag.frames else { return nil }
    var text = "{\"name\": \(tag.name.inJSON), \"from\": \(first), \"to\": \(last), "
    text += "\"direction\": \"\(tag.mode.direction)\""
    if case .plays(let count) = tag.loopCount {
      // Each direction counts.
      text += ", \"repeat\": \"\(tag.mode.bounces ? min(UInt64(count) * 2, UInt64(UInt32.max)) : UInt64(count))\""
    }
    return text + "}"
  }
}
