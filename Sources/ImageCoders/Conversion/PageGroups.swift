// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// Pages of a file that belong together, on their way into another file: stereo pairs and bursts.
struct PageGroups {
  private struct Group: Hashable {
    let isStereo: Bool
    /// Numbers of pages in the new file, from 1; the left picture of a pair comes first.
    var pages: [Int]
  }

  /// The option of a writer that takes them.
  static let option = "groups"

  private var groups: [Group] = []

  /// - Parameter pages: Those of the file that are written, in the order in which they are.
  init(_ decoder: ImageDecoder, writing pages: [Int]) {
    for page in pages {
      let found = Result { () throws(CoderError) in
        try (page == decoder.page ? decoder : decoder.page(page)).properties()
      }
      guard case .dictionary(let stated)? = (try? found.get())?["{Groups}"] else { continue }
      var members = [stated["GroupImageIndexLeft"], stated["GroupImageIndexRight"]]
      if case .list(let list)? = stated["GroupImages"] { members = list }
      let written = members.compactMap { $0?.integer.flatMap { Int(exactly: $0) } }
        .compactMap { pages.firstIndex(of: $0) }.map { $0 + 1 }
      let group = Group(isStereo: stated["GroupType"] == .text("StereoPair"), pages: written)
      if written.count > 1, !groups.contains(group) { groups.append(group) }
    }
  }

  /// The stereo pair of a picture and the one that follows it in a JPEG file.
  ///
  /// - Parameter count: The pages of the new file, the last of which is the other picture.
  init(pairInFileOf count: Int) { groups = [Group(isStereo: true, pages: [1, count])] }

  var isEmpty: Bool { groups.isEmpty }

  /// The page with the right picture of a pair, if another page has the left one. Both count from 0.
  func right(of left: Int) -> Int? {
    groups.first { $0.isStereo && $0.pages.count == 2 && $0.pages[0] == left + 1 }.map { $0.pages[1] - 1 }
  }

  /// What they are, in words.
  var words: String {
    groups.count > 1 ? "groups" : groups.contains(where: \.isStereo) ? "a stereo pair" : "a burst"
  }

  /// Leaves out the pairs of pictures that are turned: eyes are beside each other.
  ///
  /// - Returns: Whether there were any.
  mutating func removePairs() -> Bool {
    let count = groups.count
    groups.removeAll { $0.isStereo }
    return groups.count < count
  }

  /// The value of ``option``: `stereo 2 1, burst 3-8`.
  var text: String {
    groups.map { group in
      var (words, pages) = ([group.isStereo ? "stereo" : "burst"], group.pages[...])
      while let first = pages.popFirst() {
        var last = first
        while pages.first == last + 1, !group.isStereo { last = pages.removeFirst() }
        words.append(first == last ? "\(first)" : "\(first)-\(last)")
      }
      return words.joined(separator: " ")
    }.joined(separator: ", ")
  }
}

extension CoderRegistry {
  /// Tells the writer which pages belong together.
  ///
  /// - Returns: What became of that.
  func carryGroups(
    of decoder: ImageDecoder, writing pages: [Int], _ writer: Candidate?, _ options: inout EncodeOptions
  ) -> [FactChange] {
    guard pages.count > 1, options.values[PageGroups.option] == nil else { return [] }
    var groups = PageGroups(decoder, writing: pages)
    guard !groups.isEmpty else { return [] }
    guard let most = writer?.longestGroups, groups.text.utf8.count <= most else {
      return [FactChange(.pages, .dropped, because: "all pages are written, and not that they are \(groups.words)")]
    }
    let isTurned = options.edit.changes.contains(.turned) && groups.removePairs()
    if !groups.isEmpty { options.values[PageGroups.option] = .word(groups.text) }
    guard isTurned else { return [] }
    return [
      FactChange(.pages, .dropped, because: "pictures of a stereo pair are written, and no pair once they are turned")
    ]
  }

  /// The other picture of a stereo pair in a JPEG file, if the writer takes it as a page.
  ///
  /// - Parameter beside: The pictures that go along, among which it is no more.
  func stereoPartner(
    of decoder: ImageDecoder, among beside: inout [CarriedAuxiliary], _ writer: Candidate?,
    _ options: inout EncodeOptions
  ) -> AuxiliaryPicture? {
    guard writer?.longestGroups != nil, writer?.writesPages ?? false, options.values[PageGroups.option] == nil,
      !options.edit.changes.contains(.turned), decoder.frameCount == 1,
      beside.contains(where: { $0.typeName == Self.pairName })
    else { return nil }
    let pictures = Result { () throws(CoderError) in try decoder.auxiliaryPictures() }
    guard let partner = (try? pictures.get())?.filter({ $0.typeName == Self.pairName }), partner.count == 1 else {
      return nil
    }
    beside.removeAll { $0.typeName == Self.pairName }
    options.values[PageGroups.option] = .word(PageGroups(pairInFileOf: 2).text)
    return partner[0]
  }

  /// The right picture of a stereo pair whose left one, the primary page, becomes a JPEG file, which has a place for it after that.
  ///
  /// - Parameter reader: The identifier of the only coder to read with.
  func rightPicture(
    of decoder: ImageDecoder, in source: ByteSource, as format: ImageFormat, _ options: EncodeOptions,
    _ reading: DecodeOptions, reader: String?
  ) -> CarriedAuxiliary? {
    let count = decoder.header.pageCount
    guard format == .jpeg, count > 1, reading.page == nil, reading.part == nil, !options.firstFrameOnly,
      !options.metadata.isDisjoint(with: [.exif, .xmp]), !options.edit.changes.contains(.turned),
      attachesAuxiliaries(to: format),
      let right = PageGroups(decoder, writing: Array(0..<count)).right(of: decoder.page)
    else { return nil }
    var whole = reading
    (whole.page, whole.size) = (right, .own)
    let found = Result { () throws(CoderError) in try open(source, options: whole, coder: reader).image() }
    let size = options.preservesOrientation ? decoder.header.canvas : decoder.header.displayedSize
    guard let image = try? found.get(), image.problem == nil, image.pixels.size == size else { return nil }
    return CarriedAuxiliary(kind: .disparity, typeName: Self.pairName, ownName: "", image: image)
  }

  /// What the reader of JPEG calls the second picture of a pair, CIPA DC-007-2021 §5.2.3.3.
  private static let pairName = "MPF disparity"
}

extension Candidate {
  /// The bytes of text in which the writer takes groups of pages, or nil if it takes none.
  fileprivate var longestGroups: Int? {
    let option = entry?.manifest?.options.first { $0.name == PageGroups.option }
    guard case .text(let most, _)? = option?.kind else { return nil }
    return most
  }
}
