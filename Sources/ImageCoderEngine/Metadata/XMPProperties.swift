// SPDX-License-Identifier: Apache-2.0

package import ImageCoderModel

/// Reads an XMP packet as properties: `{XMP}`, by the usual prefixes of the namespaces: `dc:title`; and `{IPTC}`, what of
/// them the older standard has too, by ImageIO's names.
///
/// Text stays text. Lists in order or without are lists; of texts in several languages, the one that counts for all is
/// the value; structures are dictionaries. What is after a place that breaks the rules of XML is left out.
///
/// - Format: ISO 16684-1:2019 §6 and §7; the namespaces of §8 and of Adobe's, Google's and the IPTC's specifications.
package enum XMPProperties {
  /// Elements inside others, at most.
  private static let maxDepth = 16
  /// Properties and items of lists, at most.
  private static let maxValues = 4096
  /// Bytes of a text that are kept, at most: an embedded thumbnail is longer.
  private static let maxText = 65_536

  private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  /// The properties of a packet; none for one without a description.
  package static func read(_ packet: [UInt8]) -> Properties {
    var reading = Reading(xml: XMLReader(packet))
    let values = reading.descriptions()
    var properties = Properties()
    if !values.isEmpty { properties["{XMP}"] = .dictionary(values) }
    for (name, older) in XMPNamespaces.olderNames {
      guard let value = values[name] else { continue }
      // Those that the older standard may have more than once are lists for ImageIO.
      var shown = value
      if ["BylineTitle", "Writer/Editor"].contains(older), case .text = value { shown = .list([value]) }
      properties["{IPTC}", older] = shown
    }
    for (name, shown) in XMPNamespaces.shownNames {
      if let value = values[name] { properties["{IPTC}", shown] = value }
    }
    let lens = values.sorted.filter { $0.0.hasPrefix("aux:") }
    for (name, value) in lens {
      let local = String(name.dropFirst("aux:".count))
      properties["{ExifAux}", local == "Lens" ? "LensModel" : local] = value
    }
    return properties
  }

  private static func isRDF(_ name: XMLReader.Name, _ local: String...) -> Bool {
    name.namespace == rdf && local.contains(name.local)
  }

  private struct Reading {
    var xml: XMLReader
    var valuesLeft = maxValues

    /// What all descriptions in the document say.
    mutating func descriptions() -> Properties {
      var all = Properties()
      var isInside = false
      while let event = xml.next() {
        guard case .start(let element) = event else { continue }
        if isRDF(element.name, "RDF") { isInside = true }
        guard isInside, isRDF(element.name, "Description") else { continue }
        all.merge(structure(element, depth: 0))
      }
      return all
    }

    /// What an element's attributes and the elements in it say.
    private mutating func structure(_ element: XMLReader.Element, depth: Int) -> Properties {
      var properties = named(element.attributes)
      while let event = xml.next() {
        switch event {
        case .end: return properties
        case .text: break
        case .start(let inner):
          if let found = value(of: inner, depth: depth + 1) { properties[XMPNamespaces.name(inner.name)] = found }
        }
      }
      return properties
    }

    /// Attributes that are properties: not those of RDF and XML themselves.
    private mutating func named(_ attributes: [(name: XMLReader.Name, value: String)]) -> Properties {
      var properties = Properties()
      for (name, value) in attributes where name.namespace != rdf && name.namespace != XMLReader.xml {
        guard !name.namespace.isEmpty, value.utf8.count <= maxText, valuesLeft > 0 else { continue }
        valuesLeft -= 1
        properties[XMPNamespaces.name(name)] = .text(value)
      }
      return properties
    }

    /// The value of a property or an item, up to the end of its element.
    private mutating func value(of element: XMLReader.Element, depth: Int) -> PropertyValue? {
      guard depth < maxDepth, valuesLeft > 0 else {
        xml.skipElement()
        return nil
      }
      valuesLeft -= 1
      if element.attribute(XMLReader.Name(namespace: rdf, local: "parseType")) == "Resource" {
        return .dictionary(structure(element, depth: depth))
      }
      let attributes = named(element.attributes)
      var text = ""
      var found: PropertyValue?
      while let event = xml.next() {
        switch event {
        case .end:
          if let found { return found }
          if !attributes.isEmpty { return .dictionary(attributes) }
          if let link = element.attribute(XMLReader.Name(namespace: rdf, local: "resource")) { return .text(link) }
          return text.utf8.count <= maxText ? .text(text) : nil
        case .text(let more):
          if text.utf8.count <= maxText { text += more }
        case .start(let inner):
          if isRDF(inner.name, "Bag", "Seq", "Alt") {
            found = items(isChoice: inner.name.local == "Alt", depth: depth + 1)
          } else if isRDF(inner.name, "Description") {
            let values = structure(inner, depth: depth + 1)
            // A value with qualifiers.
            found = values["rdf:value"] ?? .dictionary(values)
          } else {
            xml.skipElement()
          }
        }
      }
      return nil
    }

    /// - Parameter isChoice: Whether one item counts: the one for all languages, or else the first, if they have languages.
    private mutating func items(isChoice: Bool, depth: Int) -> PropertyValue {
      var items: [PropertyValue] = []
      var chosen: PropertyValue?
      while let event = xml.next() {
        switch event {
        case .end: return chosen ?? .list(items)
        case .text: break
        case .start(let item):
          let language = item.attribute(XMLReader.Name(namespace: XMLReader.xml, local: "lang"))
          guard let found = value(of: item, depth: depth + 1) else { continue }
          items.append(found)
          if isChoice, let language, chosen == nil || language == "x-default" { chosen = found }
        }
      }
      return chosen ?? .list(items)
    }
  }
}

/// The usual prefixes of namespaces, whatever a file calls them.
enum XMPNamespaces {
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
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf",
  ]

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

  /// The namespace that a usual prefix stands for, or nil.
  static func namespace(of prefix: String) -> String? {
    prefix == "rdf" ? nil : prefixes.first { $0.value == prefix }?.key
  }

  /// `dc:title`; the name alone for one of a namespace that is not known.
  static func name(_ name: XMLReader.Name) -> String {
    prefixes[name.namespace].map { "\($0):\(name.local)" } ?? name.local
  }
}
