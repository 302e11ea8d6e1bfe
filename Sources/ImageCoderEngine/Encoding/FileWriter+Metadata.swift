// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

extension FileWriter {
  /// The metadata of a page, as true of what is written as it was of the source.
  func carried(_ page: Page) throws(CoderError) -> CarriedMetadata {
    let (image, edit) = (page.image, options.edit)
    let orientation = keptOrientation(of: image)
    var changes = image.changes.union(edit.changes)
    if orientation != image.orientation { changes.insert(.turned) }
    if !page.colors.keepsColors { changes.insert(.recolored) }
    let given = image.orientation.displayed(page.given)
    let edited = edit.isIdentity ? given : try edit.size(of: given)
    if edited != orientation.displayed(page.size) { changes.insert(.scaled) }
    var part = image.part ?? Rect(covering: image.header?.displayedSize ?? given)
    if let crop = edit.crop {
      let (across, down) = (Double(part.width) / Double(given.width), Double(part.height) / Double(given.height))
      part = Rect(
        x: part.x + Int((Double(crop.x) * across).rounded()), y: part.y + Int((Double(crop.y) * down).rounded()),
        width: max(1, Int((Double(crop.width) * across).rounded())),
        height: max(1, Int((Double(crop.height) * down).rounded())))
    }
    // By the tag of the source, as far as it does not stay one, and by the edit.
    let isUpright = (image.header?.orientation ?? image.orientation).swapsSides != orientation.swapsSides
    let swapsSides = edit.turns.reduce(isUpright) { $0 != $1.swapsSides }
    return CarriedMetadata(
      image, changes: changes,
      target: CarriedMetadata.Target(
        format: format, size: page.size, orientation: orientation, swapsSides: swapsSides,
        features: container.writerFeatures, kinds: options.metadata,
        density: options.density, part: part))
  }

  /// Reports what became of a fact.
  ///
  /// - Throws: ``CoderError/Code/unsupported`` if a person would miss it, and the options are strict.
  func note(_ change: FactChange) throws(CoderError) {
    guard !changes.contains(change) else { return }
    changes.append(change)
    try change.tell(options)
  }

  func add(
    _ kind: MetadataKind, _ carried: CarriedMetadata, of image: Image, layout: PixelLayout
  ) throws(CoderError) {
    guard var payload = carried.payloads[kind] else { return }
    if kind == .icc {
      payload = ICCProfile.fitting(payload, layout.format)
      guard ICCProfile.describes(layout.format, profile: payload) else {
        let colors = layout.format.isGray ? "gray" : "RGB"
        return try note(FactChange(.colors, .dropped, because: "the ICC profile does not apply to \(colors)"))
      }
      if !options.writesSRGBProfile, ICCProfile.isSRGB(payload.span.bytes) { return }
    }
    do throws(CoderError) {
      try writer.add(payload, as: kind)
    } catch {
      // No place for it, or not so much place.
      guard error.code == .unsupported || error.code == .invalidArgument else { throw error }
      // What was made of other facts is missed by nobody: these are.
      let isMade = kind == .xmp && image.metadata[.xmp] == nil
      let fact = kind == .exif && image.metadata[.exif] == nil ? Fact.density : kind.fact
      if kind == .exif, carried.density != nil, !container.writerFeatures.contains(.resolution) {
        try note(FactChange(.density, .dropped, because: error.message))
      }
      if kind == .xmp {
        // What was to be there is nowhere now.
        let moved = changes.filter { $0.outcome == .moved }
        changes.removeAll { $0.outcome == .moved }
        for change in moved { try note(FactChange(change.fact, .dropped, because: error.message)) }
      }
      if !isMade { try note(FactChange(fact, .dropped, because: error.message)) }
    }
  }
}

extension FactChange {
  /// Warns of what a person would miss.
  ///
  /// - Parameter isLogged: Whether a warning was given already.
  /// - Throws: ``CoderError/Code/unsupported`` instead, if the options are strict.
  package func tell(_ options: EncodeOptions, isLogged: Bool = false) throws(CoderError) {
    guard isMissed else { return }
    if options.isStrict { throw .unsupported("\(message); with strict options that is an error") }
    if !isLogged { options.log?(.warning, message) }
  }
}
