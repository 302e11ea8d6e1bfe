// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension FileReport {
  /// The report as lines with a name and a value. What a file does not have is left out.
  var fields: [(name: String, value: String)] {
    var fields = [("format", header.format.rawValue), ("coder", coder), ("size", sizes), ("pixels", pixels)]
    if header.orientation != .up { fields.append(("orientation", "\(header.orientation.rawValue), stored turned")) }
    if let role = header.roleWords { fields.append(("page kind", role)) }
    if header.pageCount > 1 {
      let sizes = header.pagesAreSizes ? ", the sizes of one picture" : ""
      fields.append(("pages", "\(header.pageCount), primary page \(header.primaryPage + 1)\(sizes)"))
      for (index, page) in pages.enumerated() { fields.append(("page \(index + 1)", Self.line(page))) }
    }
    if images > 1 { fields.append(("images", "\(images), parts of one picture")) }
    if header.isAnimated {
      if let frameCount {
        fields += [("frames", "\(frameCount)"), ("duration", "\((duration ?? 0).short) s"), ("plays", plays)]
      } else {
        fields += [("frames", "not counted" + (duration.map { ", \($0.short) s" } ?? "")), ("plays", plays)]
      }
      if let poster { fields.append(("poster", "frame \(poster + 1)")) }
    }
    if !metadata.isEmpty {
      fields.append(("metadata", metadata.map { Self.block($0.kind, $0.bytes) }.joined(separator: ", ")))
    }
    if let claim { fields.append(("credentials", "\(claim.words); not verified")) }
    let name = (isNumbered ? String(color.dropLast(", CICP".count)) : color) + brightest
    fields.append(("color", ([name] + stated).joined(separator: ", ")))
    if !auxiliary.isEmpty {
      fields.append(("auxiliary", auxiliary.map(Self.words).joined(separator: ", ")))
    }
    if !levels.isEmpty { fields.append(("light", levels.joined(separator: ", "))) }
    if let subsampling = header.subsampling { fields.append(("subsampling", "\(subsampling)")) }
    if let tile = parts.tile { fields.append(("parts", "\(parts.word) \(tile)")) }
    if let background = header.background {
      fields.append(
        ("background", "\(background.red16) \(background.green16) \(background.blue16) \(background.alpha16) of 65535"))
    }
    if !notes.isEmpty { fields.append(("flags", notes.joined(separator: ", "))) }
    return fields
  }

  fileprivate static func json(_ picture: AuxiliaryPicture) -> JSONValue {
    let width: JSONValue = picture.size.map { .integer($0.width) } ?? .null
    let height: JSONValue = picture.size.map { .integer($0.height) } ?? .null
    return .object([
      "kind": .text(picture.kind.word), "type": .text(picture.typeName), "width": width, "height": height,
    ])
  }

  private static func words(_ picture: AuxiliaryPicture) -> String {
    let name = picture.kind == .other && !picture.typeName.isEmpty ? picture.typeName : picture.kind.word
    return picture.size.map { "\(name) \($0)" } ?? "\(name) unreadable"
  }

  private var sizes: String {
    if let drawing = header.anySize {
      let natural = header.naturalSize.map { "\($0.width.short)×\($0.height.short)" } ?? "no size of its own"
      let largest = drawing.largestSide.map { " up to \($0)" } ?? ""
      return "\(natural), any size\(largest)"
    }
    let aspect = header.pixelAspect.map { ", pixels \($0.short) times as wide as high" } ?? ""
    return header.orientation.swapsSides
      ? "\(header.displayedSize), stored \(header.canvas)\(aspect)" : "\(header.displayedSize)\(aspect)"
  }

  private var pixels: String {
    "\(header.pixelFormat), \(header.bitsPerChannel) bits per channel, \(header.alpha)"
  }

  private static func line(_ page: Result<PageReport, CoderError>) -> String {
    switch page {
    case .success(let page):
      let header = page.header
      let words = [
        "\(header.displayedSize)", "\(header.pixelFormat)", "\(header.bitsPerChannel) bits", "\(header.alpha)",
      ]
      return (words + header.pageNotes).joined(separator: ", ")
    case .failure(let error): return error.descriptionWithoutFile
    }
  }

  /// The frame that stands for all, if it is not the first.
  private var poster: Int? { header.sequence.posterFrame > 0 ? header.sequence.posterFrame : nil }

  private var plays: String {
    loopCount.words
  }

  private static func block(_ kind: MetadataKind, _ bytes: Int?) -> String {
    bytes.map { "\(kind) \($0) bytes" } ?? "\(kind) unreadable"
  }

  /// Whether the numbers of code points follow their name.
  private var isNumbered: Bool { color.hasSuffix(", CICP") }

  /// The brightest light of an HDR picture that counts, where the file states one.
  private var brightest: String {
    guard let cicp = header.cicp, cicp.transfer == 16 || cicp.transfer == 18,
      let peak = light.contentPeak ?? light.masteringPeak
    else { return "" }
    return ", \(peak.short) nit"
  }

  /// Light that the file states, nits.
  private var levels: [String] {
    var words: [String] = []
    if let peak = light.contentPeak { words.append("up to \(peak.short) nit") }
    if let mean = light.frameAveragePeak { words.append("\(mean.short) nit on average") }
    if let peak = light.masteringPeak { words.append("made on a display of \(peak.short) nit") }
    return words
  }

  /// Numbers that the container states.
  private var stated: [String] {
    var words: [String] = []
    if let cicp = header.cicp {
      words.append(
        "CICP \(cicp.primaries)/\(cicp.transfer)/\(cicp.matrix) \(cicp.isFullRange ? "full" : "narrow") range")
    }
    if let gamma = header.gamma { words.append("gamma \(gamma)") }
    return words
  }
}

extension ImageHeader {
  /// The kind and the name of a page that is no picture of its own, or nil.
  var roleWords: String? {
    guard role.kind != .picture else { return nil }
    let place = role.x == 0 && role.y == 0 ? "" : " at \(role.x),\(role.y)"
    return role.name.isEmpty ? "\(role.kind.word)\(place)" : "\(role.kind.word) \"\(role.name)\"\(place)"
  }

  /// What is said of one of several pages.
  var pageNotes: [String] { [roleWords].compactMap { $0 } + (embedded == nil ? [] : ["embedded file"]) }
}

extension PageRole {
  /// The role as members of a JSON object.
  var members: [String: JSONValue] {
    [
      "kind": .text(kind.word), "name": .text(name), "owner": kind == .picture ? .null : .integer(owner + 1),
      "x": .integer(x), "y": .integer(y),
    ]
  }
}

extension JSONValue {
  /// Who claims what in content credentials.
  init(_ claim: CredentialsClaim) {
    self = .object([
      "generator": .optional(claim.generator), "title": .optional(claim.title), "signer": .optional(claim.signer),
      "organization": .optional(claim.organization), "manifests": .integer(claim.manifests),
      "assertions": .texts(claim.assertions),
    ])
  }
}

extension LoopCount {
  /// How often an animation plays.
  var words: String {
    switch self {
    case .infinite: "forever"
    case .plays(let count): "\(count)"
    }
  }
}

extension FrameSequence.Access {
  /// The word in JSON.
  var word: String {
    switch self {
    case .anyFrame: "any-frame"
    case .keyFrame: "key-frame"
    case .firstFrame: "first-frame"
    }
  }
}

extension PartLayout {
  /// The word on the command line and in JSON.
  var word: String {
    switch self {
    case .tiles: "tiles"
    case .rows: "rows"
    case .whole: "whole"
    case .drawn: "drawn"
    }
  }

  /// The size of tiles, where the picture has some.
  var tile: Size? { if case .tiles(let size) = self { size } else { nil } }
}

extension PageKind {
  /// The word on the command line and in JSON.
  var word: String {
    switch self {
    case .picture: "picture"
    case .layer: "layer"
    case .reduced: "reduced"
    case .overscan: "overscan"
    case .other: "other"
    case .depth: "depth"
    case .disparity: "disparity"
    case .matte: "matte"
    case .gainMap: "gain-map"
    case .preview: "preview"
    }
  }
}

extension FileReport {
  /// The report as members of a JSON object: the output of `coders probe --json`; `docs/cli.md` documents the keys.
  var members: [String: JSONValue] {
    var members: [String: JSONValue] = [
      "format": .text(header.format.rawValue), "coder": .text(coder),
      "width": .integer(header.displayedSize.width), "height": .integer(header.displayedSize.height),
      "stored_width": .integer(header.canvas.width), "stored_height": .integer(header.canvas.height),
      "pixel_format": .text("\(header.pixelFormat)"), "bits_per_channel": .integer(header.bitsPerChannel),
      "alpha": .text("\(header.alpha)"), "orientation": .integer(header.orientation.rawValue),
      "frame_count": frameCount.map { .integer($0) } ?? .null, "page_count": .integer(header.pageCount),
      "primary_page": .integer(header.primaryPage + 1), "pages_are_sizes": .boolean(header.pagesAreSizes),
      "pages": .list(pages.enumerated().map { Self.json($1, number: $0 + 1) }),
      "is_animated": .boolean(header.isAnimated),
      "color": .text(color), "has_icc": .boolean(header.metadata.contains(.icc)), "flags": .texts(flags),
      "properties": JSONValue(properties),
      "frames": .list(zip(frames, frameProperties).map { Self.json($0, $1) }),
      "gamma": header.gamma.map { .number($0) } ?? .null,
      "subsampling": .optional(header.subsampling.map { "\($0)" }),
      "cicp": header.cicp.map { Self.json($0) } ?? .null,
      "content_peak": light.contentPeak.map { .number($0) } ?? .null,
      "frame_average_peak": light.frameAveragePeak.map { .number($0) } ?? .null,
      "mastering_peak": light.masteringPeak.map { .number($0) } ?? .null,
      "background": header.background.map { Self.json($0) } ?? .null,
    ]
    members["images"] = .integer(images)
    members["is_scalable"] = .boolean(header.isScalable)
    members["natural_size"] =
      header.naturalSize.map { .list([.number($0.width), .number($0.height)]) } ?? .null
    members["resolution"] = header.resolution.map { .number($0) } ?? .null
    members["parts"] = .text(parts.word)
    members["tile_width"] = parts.tile.map { .integer($0.width) } ?? .null
    members["tile_height"] = parts.tile.map { .integer($0.height) } ?? .null
    members["pixel_aspect"] = .number(header.pixelAspect ?? 1)
    members.merge(header.role.members) { own, _ in own }
    members["hidden_page_count"] = .integer(header.hiddenPageCount)
    members["poster_frame"] = .integer(header.sequence.posterFrame + 1)
    members["access"] = .text(header.sequence.access.word)
    members["credentials"] = claim.map(JSONValue.init) ?? .null
    members["auxiliary_pictures"] = .list(auxiliary.map(Self.json))
    members["metadata"] = .object(
      Dictionary(metadata.map { ($0.kind.name, $0.bytes.map { .integer($0) } ?? .null) }) { first, _ in first })
    if header.isAnimated {
      members["duration"] = duration.map { .number($0) } ?? .null
      members["loop_count"] = loopCount == .infinite ? .text("infinite") : .integer(Int64(loopCount.plays))
    } else {
      members["duration"] = .null
      members["loop_count"] = .null
    }
    return members
  }

  private static func json(_ page: Result<PageReport, CoderError>, number: Int) -> JSONValue {
    var members: [String: JSONValue] = ["page": .integer(number)]
    switch page {
    case .success(let page):
      let header = page.header
      members["width"] = .integer(header.displayedSize.width)
      members["height"] = .integer(header.displayedSize.height)
      members["pixel_format"] = .text("\(header.pixelFormat)")
      members["bits_per_channel"] = .integer(header.bitsPerChannel)
      members["alpha"] = .text("\(header.alpha)")
      members["orientation"] = .integer(header.orientation.rawValue)
      members.merge(header.role.members) { own, _ in own }
      members["is_embedded"] = .boolean(header.embedded != nil)
      members["properties"] = JSONValue(page.properties)
    case .failure(let error): members["error"] = JSONValue(error)
    }
    return .object(members)
  }

  private static func json(_ cicp: CodingIndependentCodePoints) -> JSONValue {
    .object([
      "primaries": .integer(Int64(cicp.primaries)), "transfer": .integer(Int64(cicp.transfer)),
      "matrix": .integer(Int64(cicp.matrix)), "full_range": .boolean(cicp.isFullRange),
    ])
  }

  private static func json(_ background: PixelColor) -> JSONValue {
    .list([background.red16, background.green16, background.blue16, background.alpha16].map { .integer(Int64($0)) })
  }

  private static func json(_ frame: FrameHeader, _ properties: Properties) -> JSONValue {
    var members = frame.members
    members["properties"] = JSONValue(properties)
    return .object(members)
  }
}

extension FrameHeader {
  /// A frame as members of a JSON object.
  var members: [String: JSONValue] {
    let delay = delay ?? .zero
    return [
      "rect": .list([rect.x, rect.y, rect.width, rect.height].map { .integer($0) }),
      "delay": .list([.integer(Int64(delay.numerator)), .integer(Int64(delay.denominator))]),
      "disposal": .text(disposal.word), "blend": .text(blend.word), "has_alpha": .boolean(hasAlpha),
    ]
  }
}
