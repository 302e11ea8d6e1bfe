// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

/// Which chunks hold metadata. Their data is read when it is asked for, Exif's orientation apart.
struct MetadataIndex {
  private(set) var profile: Chunk?
  /// eXIf (PNG Third Edition §11.3.4.2).
  private(set) var exif: Chunk?
  /// iTXt with XMP's own keyword (XMP Specification Part 3 §1.1.5), or other text that has it, as some programs write.
  private(set) var xmp: Chunk?
  /// "Raw profile type …" as ImageMagick writes it, by the last word.
  private(set) var rawProfiles: [String: Chunk] = [:]
  /// Text with the keywords that properties show.
  private(set) var texts: [String: Chunk] = [:]
  private(set) var time: Chunk?
  /// All text but XMP and raw profiles, in the file's order.
  private(set) var textChunks: [TextPlace] = []
  /// caBX, the manifest store of C2PA.
  private(set) var credentials: Chunk?

  /// Keywords of §11.3.3.1 and what ImageIO calls them; they are the same.
  private static let shownKeywords: Set<String> = [
    "Author", "Comment", "Copyright", "Creation Time", "Description", "Disclaimer", "Software", "Source", "Title",
    "Warning",
  ]
  private static let rawProfilePrefix = "Raw profile type "
  private static let shownRawProfiles: Set<String> = ["exif", "APP1", "xmp", "iptc", "8bim"]

  static let names: Set<FourCC> = [.iccp, .exif, .itxt, .text, .ztxt, .time, .cabx]

  /// Notes a chunk; the first of each kind counts.
  mutating func note(_ chunk: Chunk, in source: SourceView) throws(CoderError) {
    switch chunk.name {
    case .iccp: profile = profile ?? chunk
    case .exif: exif = exif ?? chunk
    case .time: time = time ?? chunk
    case .cabx: credentials = credentials ?? chunk
    default:
      // A keyword has 1 to 79 bytes (§11.3.3.2).
      var start = try source.reader(at: chunk.dataOffset, count: min(chunk.length, 80), of: "text")
      let keyword = start.terminatedText()
      // Without a zero within 80 bytes, it is no keyword.
      guard !keyword.isEmpty, try start.uint8(at: start.position - 1) == 0 else { return }
      if keyword == "XML:com.adobe.xmp" {
        if xmp == nil || chunk.name == .itxt && xmp?.name != .itxt { xmp = chunk }
      } else if keyword.hasPrefix(Self.rawProfilePrefix) {
        let kind = String(keyword.dropFirst(Self.rawProfilePrefix.count))
        if Self.shownRawProfiles.contains(kind) { rawProfiles[kind] = rawProfiles[kind] ?? chunk }
      } else {
        textChunks.append(TextPlace(chunk: chunk, keywordLength: start.position - 1))
        if Self.shownKeywords.contains(keyword) { texts[keyword] = texts[keyword] ?? chunk }
      }
    }
  }
}

/// A chunk of text, and how long its keyword is.
struct TextPlace {
  let chunk: Chunk
  let keywordLength: Int
}
