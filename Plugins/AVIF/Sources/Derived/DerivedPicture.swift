// SPDX-License-Identifier: Apache-2.0

import CAVIF
import CodedPictures
import ISOBaseMediaFile
import ImageCoderPlugin

/// A picture that is put together from others, as libavif does not do it: overlays, pictures that are turned once more,
/// and grids of pictures that are turned or derived themselves (ISO/IEC 23008-12 §6.6).
///
/// Sizes and cycles are checked when it is made. Parts are decoded one after the other, each in memory of its own.
final class DerivedPicture {
  /// Which part of the canvas is shown how.
  let placement: Placement
  let layout: PixelLayout
  let bits: Int
  /// Its own code points, else those of its first part.
  let points: CodingIndependentCodePoints?
  /// Its own ICC profile, else that of its first part.
  let profile: [UInt8]?
  /// Bytes that decoding takes, beside the rows.
  let memory: Int
  private let item: Item
  private let canvas: Size
  private let file: AVIFFile
  private let host: CoderHost
  /// Red, green, blue and alpha of an overlay's canvas; nil where parts cover it.
  private let background: [UInt16]?
  private let layers: [Layer]

  private struct Layer {
    let part: Part
    let place: (x: Int, y: Int)
  }

  /// More layers than anybody lays over each other: libavif reads all boxes for each.
  private static let maxLayers = 256

  /// - Parameters:
  ///   - file: That shows the derived item.
  ///   - chain: The items that this one is inside.
  init(_ file: AVIFFile, host: CoderHost, inside chain: DerivationChain = DerivationChain()) throws(CoderError) {
    guard let items = file.items, let item = items.meta.item(items.primary) else {
      throw .malformed("a derived picture that is not there")
    }
    let chain = try chain.adding(item.id)
    self.file = file
    self.host = host
    self.item = item
    let inputs = items.sources(of: item.id)
    guard !inputs.isEmpty, inputs.count <= Self.maxLayers else {
      throw .unsupported("item \(item.id), made of \(inputs.count) pictures, 1 to \(Self.maxLayers) are read")
    }
    guard !items.auxiliaries.contains(where: { file.auxiliaryType(of: $0).map { AuxiliaryKind($0) } == .alpha }) else {
      throw .unsupported("alpha of item \(item.id), which is derived from others")
    }
    let derivation = try Derivation(of: item, inputs: inputs.count, limits: host.limits) {
      () throws(CoderError) in try ItemBytes(of: item, in: items.meta, file.bytes)
    }
    var known: [UInt32: Part] = [:]
    var parts: [Part] = []
    for input in inputs {
      if let part = known[input] {
        parts.append(part)
        continue
      }
      let part = try Part(input, of: file, host: host, inside: chain)
      known[input] = part
      parts.append(part)
    }
    let form = try derivation.layout(of: parts.map(\.shown))
    try host.limits.check(canvas: form.canvas)
    try host.limits.check(memory: form.canvas.pixelCount * 8)
    (canvas, background) = (form.canvas, derivation.background)
    layers = zip(parts, form.places).map { Layer(part: $0, place: $1) }
    let properties = try ItemProperties(of: item, in: items.meta, file: file.bytes)
    placement = try Placement(of: canvas, applying: properties.transformations)
    points = properties.points ?? parts[0].points
    profile = properties.profile.map { [UInt8](file.bytes.bytes(in: $0)) } ?? parts[0].profile
    bits = parts.map(\.bits).max() ?? 8
    let work = parts.reduce(0) { $0 &+ min($1.work, 1 << 40) }
    try Derivation.check(work: work, for: canvas)
    let modes = Set(parts.map(\.layout.alpha))
    guard !modes.contains(.premultiplied) || modes.count == 1 && background == nil else {
      throw .unsupported("item \(item.id), made of pictures with premultiplied alpha and others")
    }
    let hasAlpha = modes != [.opaque] || background.map { $0[3] < .max } ?? false
    layout = PixelLayout(
      PixelFormat(
        isGray: background == nil && parts.allSatisfy(\.layout.format.isGray), hasAlpha: hasAlpha, isDeep: bits > 8),
      AlphaMode(hasAlpha: hasAlpha, isPremultiplied: modes.contains(.premultiplied)))
    memory = (parts.map(\.memory).max() ?? 0) &+ canvas.pixelCount &* 8
  }

  /// Writes a part of the canvas, as it is stored. Layers that it does not touch are not decoded.
  func draw(_ region: Rect, into target: PixelTarget) throws(CoderError) {
    if let background { target.fill(region.size, with: background) }
    for layer in layers {
      if host.isCancelled { throw .cancelled }
      guard let shown = ShownPart(of: layer.part.shown, at: layer.place, in: region) else { continue }
      let (rect, size) = (shown.rect, shown.rect.size)
      let place = target.moved(x: shown.x, y: shown.y)
      guard background != nil, layer.part.layout.alpha != .opaque else {
        try layer.part.draw(rect, into: place, file: file, host: host)
        continue
      }
      try PixelTarget.withMemory(for: size, as: target.format, host: host) { scratch throws(CoderError) in
        try layer.part.draw(rect, into: scratch, file: file, host: host)
        place.blend(size, over: scratch)
      }
    }
  }

  /// A payload that describes the picture, or nil.
  func metadata(_ kind: MetadataKind) throws(CoderError) -> [UInt8]? {
    if kind == .icc { return profile }
    guard let found = file.blocks(kind, of: item.id).first else { return nil }
    return try file.content(of: found, kind, host.limits)
  }
}

extension DerivedPicture {
  /// A picture inside another one: what libavif decodes, or a derived one.
  private enum Part {
    case coded(CodedPart)
    case derived(DerivedPicture)

    init(_ item: UInt32, of file: AVIFFile, host: CoderHost, inside chain: DerivationChain) throws(CoderError) {
      let file = try file.showing(item)
      self =
        file.isDerived
        ? .derived(try DerivedPicture(file, host: host, inside: chain))
        : .coded(CodedPart(try OpenedFile(file, host: host), item: item))
    }

    var shown: Size {
      switch self {
      case .coded(let part): part.placement.shown
      case .derived(let picture): picture.placement.shown
      }
    }
    var layout: PixelLayout {
      switch self {
      case .coded(let part): part.layout
      case .derived(let picture): picture.layout
      }
    }
    var bits: Int {
      switch self {
      case .coded(let part): part.bits
      case .derived(let picture): picture.bits
      }
    }
    var points: CodingIndependentCodePoints? {
      switch self {
      case .coded(let part): part.points
      case .derived(let picture): picture.points
      }
    }
    var profile: [UInt8]? {
      switch self {
      case .coded(let part): part.profile
      case .derived(let picture): picture.profile
      }
    }
    /// Pixels that are decoded for it.
    var work: Int {
      switch self {
      case .coded(let part): part.size.pixelCount
      case .derived(let picture): picture.layers.reduce(0) { $0 &+ min($1.part.work, 1 << 40) }
      }
    }
    var memory: Int {
      switch self {
      case .coded(let part): part.memory
      case .derived(let picture): picture.memory
      }
    }

    /// Writes a rectangle of the picture as it is shown.
    func draw(_ rect: Rect, into target: PixelTarget, file: AVIFFile, host: CoderHost) throws(CoderError) {
      let placement: Placement
      switch self {
      case .coded(let part): placement = part.placement
      case .derived(let picture): placement = picture.placement
      }
      try PixelTarget.withMemory(for: placement.crop.size, as: target.format, host: host) {
        scratch throws(CoderError) in
        switch self {
        case .coded(let part):
          try OpenedFile(try file.showing(part.item), host: host).draw(into: scratch, host: host)
        case .derived(let picture): try picture.draw(placement.crop, into: scratch)
        }
        target.copy(rect, of: scratch, placement: placement)
      }
    }
  }

  /// What is known of a picture that libavif decodes; its planes are there only while it is drawn.
  private struct CodedPart {
    let item: UInt32
    /// The size of what is decoded.
    let size: Size
    /// The placement of the picture's crop.
    let placement: Placement
    let layout: PixelLayout
    let bits: Int
    let points: CodingIndependentCodePoints?
    let profile: [UInt8]?
    let memory: Int

    init(_ opened: OpenedFile, item: UInt32) {
      self.item = item
      let image = opened.picture.image
      size = Size(width: Int(image.width), height: Int(image.height))
      placement = Placement(of: opened.presentation.crop.size, turnedTo: opened.presentation.orientation)
      layout = opened.layout
      bits = Int(image.depth)
      points = opened.points
      profile = image.icc.size > 0 ? [UInt8](UnsafeBufferPointer(start: image.icc.data, count: image.icc.size)) : nil
      memory = opened.memory(of: size)
    }
  }
}
