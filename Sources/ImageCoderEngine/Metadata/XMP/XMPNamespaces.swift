// SPDX-License-Identifier: Apache-2.0

/// The usual prefixes of namespaces, whatever a file calls them, and what XMP defines of properties.
enum XMPNamespaces {
  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  private static let prefixes = [
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://ns.adobe.com/xap/1.0/": "xmp",
    "http://ns.adobe.com/xap/1.0/rights/": "xmpRights",
    "http://ns.adobe.com/xap/1.0/mm/": "xmpMM",
    "http://ns.adobe.com/xap/1.0/sType/ResourceRef#": "stRef",
    "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#": "stEvt",
    "http://ns.adobe.com/xap/1.0/g/img/": "xmpGImg",
    "http://ns.adobe.com/photoshop/1.0/": "photoshop",
    "http://ns.adobe.com/pdf/1.3/": "pdf",
    "http://ns.adobe.com/xmp/note/": "xmpNote",
    "http://ns.adobe.com/camera-raw-settings/1.0/": "crs",
    "http://ns.adobe.com/exif/1.0/": "exif",
    "http://ns.adobe.com/exif/1.0/aux/": "aux",
    "http://cipa.jp/exif/1.0/": "exifEX",
    "http://ns.adobe.com/tiff/1.0/": "tiff",
    "http://ns.adobe.com/lightroom/1.0/": "lr",
    "http://ns.adobe.com/hdr-gain-map/1.0/": "hdrgm",
    "http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/": "Iptc4xmpCore",
    "http://iptc.org/std/Iptc4xmpExt/2008-02-29/": "Iptc4xmpExt",
    "http://ns.useplus.org/ldf/xmp/1.0/": "plus",
    "http://ns.google.com/photos/1.0/container/": "Container",
    "http://ns.google.com/photos/1.0/container/item/": "Item",
    "http://ns.google.com/photos/1.0/camera/": "GCamera",
    "http://ns.google.com/photos/1.0/panorama/": "GPano",
    "http://ns.google.com/photos/1.0/depthmap/": "GDepth",
    "http://ns.google.com/photos/1.0/image/": "GImage",
    "http://ns.microsoft.com/photo/1.2/": "MP",
    "http://www.metadataworkinggroup.com/schemas/regions/": "mwg-rs",
    "http://ns.apple.com/HDRGainMap/1.0/": "HDRGainMap",
    "adobe:ns:meta/": "x",
    rdf: "rdf",
    XMLReader.xml: "xml",
  ]

  /// Namespaces by their usual prefixes.
  static let all = Dictionary(prefixes.map { ($0.value, $0.key) }) { first, _ in first }

  /// The usual prefix of a namespace, or nil.
  static func prefix(of namespace: String) -> String? { prefixes[namespace] }

  /// Properties that are lists: ISO 16684-1:2019 §8, IPTC Photo Metadata 2023.2, Exif 2.32 for XMP.
  private static let lists: [(kind: XMPNode.ListKind, names: Set<String>)] = [
    (
      .languages,
      ["dc:title", "dc:description", "dc:rights", "xmpRights:UsageTerms", "exif:UserComment"]
    ),
    (
      .ordered,
      [
        "dc:creator", "dc:date", "exif:ISOSpeedRatings", "exif:SubjectArea", "exif:ComponentsConfiguration",
        "exifEX:LensSpecification",
      ]
    ),
    (
      .unordered,
      [
        "dc:subject", "dc:contributor", "dc:publisher", "dc:language", "dc:relation", "dc:type",
        "lr:hierarchicalSubject", "photoshop:SupplementalCategories", "xmp:Identifier", "xmpRights:Owner",
        "Iptc4xmpCore:Scene", "Iptc4xmpCore:SubjectCode",
      ]
    ),
  ]

  /// Whether a property is a list, and of which kind.
  static func listKind(of name: String) -> XMPNode.ListKind? { lists.first { $0.names.contains(name) }?.kind }

  /// Names in IPTC-IIM of what XMP says too (IPTC Photo Metadata 2023.2, table of mappings).
  static let olderNames = [
    ("dc:creator", "Byline"), ("dc:description", "Caption/Abstract"), ("dc:rights", "CopyrightNotice"),
    ("dc:subject", "Keywords"), ("dc:title", "ObjectName"), ("photoshop:AuthorsPosition", "BylineTitle"),
    ("photoshop:CaptionWriter", "Writer/Editor"), ("photoshop:Category", "Category"), ("photoshop:City", "City"),
    ("photoshop:Country", "Country/PrimaryLocationName"), ("photoshop:Credit", "Credit"),
    ("photoshop:Headline", "Headline"), ("photoshop:Instructions", "SpecialInstructions"),
    ("photoshop:Source", "Source"), ("photoshop:State", "Province/State"),
    ("photoshop:SupplementalCategories", "SupplementalCategory"),
    ("photoshop:TransmissionReference", "OriginalTransmissionReference"), ("photoshop:Urgency", "Urgency"),
    ("Iptc4xmpCore:CountryCode", "Country/PrimaryLocationCode"), ("Iptc4xmpCore:Location", "SubLocation"),
  ]

  /// What ImageIO shows among `{IPTC}` and the older standard does not have.
  static let shownNames = [
    ("xmp:Rating", "StarRating"), ("xmpRights:UsageTerms", "RightsUsageTerms"),
    ("Iptc4xmpCore:CreatorContactInfo", "CreatorContactInfo"),
  ]

  /// The namespace that a usual prefix stands for, or nil for those of RDF and XML, which have no properties.
  static func namespace(of prefix: String) -> String? { ["rdf", "xml", "x"].contains(prefix) ? nil : all[prefix] }

  /// `dc:title`; the name alone for one of a namespace that is not known.
  static func name(_ name: XMLReader.Name) -> String {
    prefixes[name.namespace].map { "\($0):\(name.local)" } ?? name.local
  }
}
