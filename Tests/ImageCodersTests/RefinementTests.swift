// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoders
import TestSupport
import Testing

/// Formats that are kinds of other formats: which coder is tried first for a file, and as what.
@Suite struct RefinementTests {
  /// A coder of a manifest, without a library.
  private struct Coder {
    let id: String
    var priority = 100
    var capabilities = #"["read"]"#
    let formats: [String]

    var manifest: String {
      PluginFolder.manifest([
        "id": "\"\(id)\"", "priority": "\(priority)", "formats": "[\(formats.joined(separator: ", "))]",
        "capabilities": capabilities,
      ])
    }
  }

  private static let cfa = #"{"tag": 262, "value": [32803, 34892], "in": "all"}"#

  private static func tiff(and condition: String) -> String {
    """
    "match": [{"bytes": "49492a00", "and": [\(condition)]}, {"bytes": "4d4d002a", "and": [\(condition)]}]
    """
  }

  private static func brands(_ brands: String...) -> String {
    let list = brands.map { "\"\($0)\"" }.joined(separator: ", ")
    return #""match": [{"offset": 4, "bytes": "66747970", "and": [{"brand": [\#(list)]}]}]"#
  }

  private static func zip(_ text: String) -> String {
    let hex = text.utf8.map { String($0, radix: 16) }.joined()
    return #""match": [{"bytes": "504b0304", "and": [{"offset": 30, "bytes": "\#(hex)"}]}]"#
  }

  private static let tiff = Coder(
    id: "org.example.tiff",
    formats: [
      #"{"uti": "public.tiff", "extensions": ["tif", "tiff"], "match": [{"bytes": "49492a00"}, {"bytes": "4d4d002a"}]}"#
    ])

  private static let raw = Coder(
    id: "org.example.raw",
    formats: [
      """
      {"uti": "com.adobe.raw-image", "extensions": ["dng"], "refines": ["public.tiff"], \(tiff(and: #"{"tag": 50706}"#))}
      """,
      """
      {"uti": "com.canon.cr2-raw-image", "extensions": ["cr2"], "refines": ["public.tiff"],
       "match": [{"bytes": "49492a00000000004352", "mask": "ffffffff00000000ffff"}]}
      """,
      """
      {"uti": "public.camera-raw-image", "extensions": ["nef", "arw", "pef", "srw"], "refines": ["public.tiff"],
       \(tiff(and: cfa))}
      """,
      """
      {"uti": "com.canon.cr3-raw-image", "extensions": ["cr3"], "refines": ["public.mpeg-4"], \(brands("crx "))}
      """,
    ])

  private static let others = [
    Coder(
      id: "org.example.heif",
      formats: [
        """
        {"uti": "public.heic", "extensions": ["heic"], "refines": ["public.heif"],
         \(brands("heic", "heix", "heim", "heis"))}
        """,
        """
        {"uti": "public.heif", "extensions": ["heif", "hif"], "refines": ["public.mpeg-4"], \(brands("mif1", "mif2"))}
        """,
        """
        {"uti": "public.heics", "extensions": ["heics"], "refines": ["public.mpeg-4"],
         \(brands("hevc", "hevx", "msf1"))}
        """,
      ]),
    Coder(
      id: "org.example.avif",
      formats: [
        """
        {"uti": "public.avif", "extensions": ["avif"], "refines": ["public.heif", "public.heics"],
         \(brands("avif", "avis"))}
        """
      ]),
    Coder(
      id: "org.example.video", priority: 200,
      formats: [
        """
        {"uti": "public.mpeg-4", "extensions": ["mp4", "m4v", "mov"],
         \(brands("isom", "iso2", "iso8", "mp41", "mp42", "avc1", "qt  ", "M4V "))}
        """
      ]),
    Coder(
      id: "org.example.layers",
      formats: [
        """
        {"uti": "org.krita.kra", "extensions": ["kra"], "refines": ["public.zip-archive"],
         \(zip("mimetypeapplication/x-krita"))}
        """,
        """
        {"uti": "org.openraster", "extensions": ["ora"], "refines": ["public.zip-archive"],
         \(zip("mimetypeimage/openraster"))}
        """,
      ]),
    Coder(
      id: "org.example.zip",
      formats: [#"{"uti": "public.zip-archive", "extensions": ["zip", "cbz"], "match": [{"bytes": "504b0304"}]}"#]),
    Coder(
      id: "org.example.webp",
      formats: [
        """
        {"uti": "org.webmproject.webp", "extensions": ["webp"],
         "match": [{"bytes": "524946460000000057454250", "mask": "ffffffff00000000ffffffff"}]}
        """
      ]),
    Coder(
      id: "org.example.ani",
      formats: [
        """
        {"uti": "com.microsoft.ani", "extensions": ["ani"],
         "match": [{"bytes": "524946460000000041434f4e", "mask": "ffffffff00000000ffffffff"}]}
        """
      ]),
    Coder(
      id: "org.example.png",
      formats: [#"{"uti": "public.png", "extensions": ["png"], "match": [{"bytes": "89504e470d0a1a0a"}]}"#]),
    Coder(
      id: "com.example.greedy", priority: 300,
      formats: [
        """
        {"uti": "com.example.better-png", "extensions": ["png"], "refines": ["public.png"],
         "match": [{"bytes": "89504e470d0a1a0a"}]}
        """
      ]),
  ]

  private let folder = TemporaryFolder()

  private func registry(_ coders: [Coder], policy: SecurityPolicy = .standard) -> CoderRegistry {
    let folder = TemporaryFolder()
    folder.write("", to: "libfake.so")
    for coder in coders { folder.write(coder.manifest, to: "\(coder.id).imgcoder.json") }
    let path = PluginFolder.searchPath([folder.path])
    let registry = CoderRegistry(searchPath: path, preferences: CoderPreferences(), policy: policy)
    #expect(registry.catalog.entries.map { $0.reason?.message } == coders.map { _ in nil })
    #expect(registry.catalog.entries.flatMap { $0.manifest?.warnings ?? [] } == [])
    return registry
  }

  private static func source(_ bytes: [UInt8], _ name: String) -> ByteSource {
    var source = ByteSource.bytes(bytes)
    source.fileExtension = name.contains(".") ? String(name.drop { $0 != "." }.dropFirst()) : nil
    return source
  }

  /// The formats of a file by coder, in the order in which the coders are tried.
  private func order(
    _ registry: CoderRegistry, _ bytes: [UInt8], _ name: String, allowed: Set<ImageFormat>? = nil
  ) throws -> [String] {
    try registry.readers(of: Self.source(bytes, name), allowed: allowed).map { reader in
      "\(reader.coder) \(reader.formats.map(\.rawValue).joined(separator: " "))"
    }
  }

  // MARK: Files

  /// A little-endian TIFF with directories of entries of one number each.
  private static func tiff(_ directories: [(place: Int, entries: [(tag: Int, value: Int)])], head: [UInt8] = [])
    -> [UInt8]
  {
    var bytes = Array("II*\0".utf8) + number(directories[0].place, 4) + head
    for (place, entries) in directories {
      bytes += [UInt8](repeating: 0, count: place - bytes.count)
      bytes += number(entries.count, 2)
      for entry in entries { bytes += number(entry.tag, 2) + [4, 0] + number(1, 4) + number(entry.value, 4) }
      bytes += number(0, 4)
    }
    return bytes
  }

  private static func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private static func box(_ major: String, _ compatible: String) -> [UInt8] {
    let head = number(16 + compatible.utf8.count, 4).reversed() + Array("ftyp\(major)".utf8) + [0, 0, 0, 0]
    return head + Array(compatible.utf8) + [UInt8](repeating: 0, count: 200)
  }

  private static let plain = tiff([(8, [(256, 10), (257, 10), (262, 2)])])
  private static let dng = tiff([(8, [(256, 10), (50_706, 0x0401)])])
  private static let nef = tiff([(8, [(256, 160), (262, 2), (330, 400)]), (400, [(256, 6_000), (262, 32_803)])])

  private static func archive(_ text: String) -> [UInt8] {
    Array("PK".utf8) + [3, 4] + [UInt8](repeating: 0, count: 26) + Array(text.utf8) + [0, 0, 0]
  }

  private static let files: [(name: String, bytes: [UInt8], first: String)] = [
    ("a.tif", plain, "org.example.tiff public.tiff"),
    ("a.dng", dng, "org.example.raw com.adobe.raw-image"),
    // The directory at the end, as phones write it.
    ("none", tiff([(300, [(256, 10), (50_706, 0x0401)])]), "org.example.raw com.adobe.raw-image"),
    ("a.tif", nef, "org.example.raw public.camera-raw-image"),
    (
      "b.cr2", tiff([(16, [(256, 10), (262, 2)])], head: Array("CR".utf8) + [2, 0]),
      "org.example.raw com.canon.cr2-raw-image"
    ),
    // By its name, until its coder refuses it.
    ("a.nef", plain, "org.example.raw public.camera-raw-image"),
    ("a.heic", box("heic", "mif1heic"), "org.example.heif public.heic"),
    ("b.heif", box("mif1", "mif1"), "org.example.heif public.heif"),
    ("a.avif", box("avif", "mif1miafavif"), "org.example.avif public.avif"),
    ("b.avif", box("mif1", "miafmif1avif"), "org.example.avif public.avif"),
    ("c", box("mif1", "mif1miaftmapMA1Bxxxxyyyyzzzzwwwwvvvvuuuuavif"), "org.example.avif public.avif"),
    ("d.heics", box("msf1", "iso8hevcmsf1"), "org.example.heif public.heics"),
    ("a.cr3", box("crx ", "crx isom"), "org.example.raw com.canon.cr3-raw-image"),
    ("a.mp4", box("isom", "isomiso2avc1mp41"), "org.example.video public.mpeg-4"),
    ("a.kra", archive("mimetypeapplication/x-krita"), "org.example.layers org.krita.kra"),
    ("a.ora", archive("mimetypeimage/openraster"), "org.example.layers org.openraster"),
    ("a.cbz", archive("page1.png"), "org.example.zip public.zip-archive"),
    ("a.webp", Array("RIFF1234WEBPVP8 ".utf8), "org.example.webp org.webmproject.webp"),
    ("a.ani", Array("RIFF1234ACONanih".utf8), "org.example.ani com.microsoft.ani"),
    // By its priority: that it refines PNG says no more than PNG does.
    ("a.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "com.example.greedy com.example.better-png"),
  ]

  @Test func eachFileHasItsFirstCoder() throws {
    let registry = registry([Self.tiff, Self.raw] + Self.others)
    for (name, bytes, first) in Self.files {
      #expect(try order(registry, bytes, name).first == first, "\(name)")
    }
  }

  @Test func whatIsRefinedIsTriedNext() throws {
    let registry = registry([Self.tiff, Self.raw] + Self.others)
    #expect(
      try order(registry, Self.dng, "a") == ["org.example.raw com.adobe.raw-image", "org.example.tiff public.tiff"])
    #expect(
      try order(registry, Self.box("avif", "mif1heicisom"), "a") == [
        "org.example.avif public.avif", "org.example.heif public.heic", "org.example.video public.mpeg-4",
      ])
  }

  @Test func depthComesBeforePriorityAndAfterPreference() throws {
    let registry = registry([Self.tiff, Self.raw])
    registry.setPriority(1_000, of: "org.example.tiff")
    #expect(try order(registry, Self.dng, "a").first == "org.example.raw com.adobe.raw-image")
    registry.prefer(["org.example.tiff"], toRead: .tiff)
    #expect(try order(registry, Self.dng, "a").first == "org.example.tiff public.tiff")
  }

  /// Another reader of the deeper format is as deep, whether or not it says so.
  @Test func depthIsOfTheFormat() throws {
    let second = Coder(
      id: "org.example.second", priority: 300,
      formats: [#"{"uti": "public.heic", "match": [{"offset": 4, "bytes": "6674797068656963"}]}"#])
    let registry = registry(Self.others + [second])
    #expect(
      try order(registry, Self.box("heic", "mif1"), "a") == [
        "org.example.second public.heic", "org.example.heif public.heic",
      ])
  }

  @Test func aPolicyCountsTheFormatOfEachCoder() throws {
    var policy = SecurityPolicy.standard
    func order(_ formats: Set<ImageFormat>) throws -> [String] {
      policy.formats = .init(formats)
      return try self.order(registry([Self.tiff, Self.raw], policy: policy), Self.dng, "c.dng")
    }
    let dng = ImageFormat(rawValue: "com.adobe.raw-image")
    #expect(try order([.tiff, dng]).first == "org.example.raw com.adobe.raw-image")
    #expect(try order([.tiff]) == ["org.example.tiff public.tiff"])
    #expect(try order([dng]) == ["org.example.raw com.adobe.raw-image"])
    #expect(
      try self.order(registry([Self.tiff, Self.raw]), Self.dng, "c.dng", allowed: [.tiff]) == [
        "org.example.tiff public.tiff"
      ])
  }

  @Test func aNameCountsWhereTheRefinedFormatAgrees() throws {
    let registry = registry([Self.tiff, Self.raw])
    #expect(try order(registry, Self.plain, "a.nef").count == 2)
    #expect(try order(registry, Self.plain, "a.tif") == ["org.example.tiff public.tiff"])
    #expect(try order(registry, Array("neither".utf8), "a.nef") == [])
  }

  @Test func namesLeadFromOneKindToTheNext() throws {
    let kinds = ["b", "c"].map { letter in
      let refined = letter == "b" ? "public.tiff" : "org.example.b"
      return Coder(
        id: "org.example.\(letter)",
        formats: [#"{"uti": "org.example.\#(letter)", "extensions": ["abc"], "refines": ["\#(refined)"]}"#])
    }
    let registry = registry([Self.tiff] + kinds)
    #expect(
      try order(registry, Self.plain, "a.abc") == [
        "org.example.c org.example.c", "org.example.b org.example.b", "org.example.tiff public.tiff",
      ])
    #expect(try order(registry, Self.plain, "a.tif") == ["org.example.tiff public.tiff"])
  }

  @Test func aCircleEnds() throws {
    let circle = ["a", "b", "c"].map { letter in
      let next = ["a": "b", "b": "c", "c": "a"][letter] ?? ""
      return Coder(
        id: "org.example.\(letter)", priority: letter == "b" ? 200 : 100,
        formats: [
          """
          {"uti": "org.example.\(letter)", "refines": ["org.example.\(next)", "public.tiff"],
           \(Self.tiff(and: #"{"tag": 256}"#))}
          """
        ])
    }
    // All are kinds of TIFF, and none of another one.
    let registry = registry([Self.tiff] + circle)
    #expect(
      try order(registry, Self.plain, "a") == [
        "org.example.b org.example.b", "org.example.a org.example.a", "org.example.c org.example.c",
        "org.example.tiff public.tiff",
      ])
  }

  /// Coders of libraries that cannot be loaded, in the order of the steps.
  private func steps(_ registry: CoderRegistry, _ bytes: [UInt8], _ name: String, of coder: String) -> [String] {
    var steps: [SelectionStep] = []
    _ = try? registry.open(Self.source(bytes, name)) { steps.append($0) }
    return steps.filter { $0.coder == coder }.map { "\($0.code.rawValue): \($0.message)" }
  }

  @Test func stepsSayWhatDecided() throws {
    let registry = registry([Self.tiff, Self.raw])
    #expect(
      steps(registry, Self.dng, "a", of: "org.example.raw").first == """
        identified: by 32 bits of its signature and tag 50706, refines public.tiff, before org.example.tiff, priority 100
        """)
    #expect(
      steps(registry, Self.plain, "a.arw", of: "org.example.raw").first == """
        identified: by the file's extension, and public.tiff agrees, refines public.tiff, before org.example.tiff, \
        priority 100
        """)
    #expect(
      steps(registry, Self.dng, "a", of: "org.example.tiff").prefix(2) == [
        "identified: by 32 bits of its signature, priority 100", "fallback: is tried next",
      ])
  }

  /// A file whose directory is still to come is a picture already.
  @Test func aFileThatArrivesIsOfWhatIsRefined() throws {
    let registry = registry([Self.tiff, Self.raw])
    let file = Self.tiff([(300, [(256, 10), (50_706, 0x0401)])])
    for (count, isKnown) in [(3, false), (4, true), (300, true), (file.count, true)] {
      let known = try registry.recognizes(prefix: Array(file.prefix(count)), allowed: nil)
      #expect(known == (isKnown ? true : nil), "\(count)")
    }
  }
}
