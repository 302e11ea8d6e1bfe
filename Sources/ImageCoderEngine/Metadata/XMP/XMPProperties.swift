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
  /// Values inside others, at most.
  private static let maxDepth = 16
  /// Properties and items of lists, at most.
  private static let maxValues = 4096
  /// Bytes of a text that are kept, at most: an embedded thumbnail is longer.
  private static let maxText = 65_536

  /// The properties of a packet; none for one without a description.
  package static func read(_ packet: [UInt8]) -> Properties {
    var valuesLeft = maxValues
    let values = dictionary(XMPPacket.read(packet).packet.properties, depth: 1, &valuesLeft)
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

  private static func dictionary(_ nodes: [XMPNode], depth: Int, _ valuesLeft: inout Int) -> Properties {
    var properties = Properties()
    for node in nodes {
      guard let value = value(of: node, depth: depth, &valuesLeft) else { continue }
      properties[XMPNamespaces.name(XMLReader.Name(namespace: node.namespace, local: node.name))] = value
    }
    return properties
  }

  private static func value(of node: XMPNode, depth: Int, _ valuesLeft: inout Int) -> PropertyValue? {
    guard depth < maxDepth, valuesLeft > 0 else { return nil }
    valuesLeft -= 1
    switch node.value {
    case .text(let text), .link(let text): return text.utf8.count <= maxText ? .text(text) : nil
    case .structure(let fields): return .dictionary(dictionary(fields, depth: depth + 1, &valuesLeft))
    case .list(let kind, let items):
      var values: [PropertyValue] = []
      // The text for all languages, or else the first that has one.
      var chosen: PropertyValue?
      for item in items {
        guard let value = value(of: item, depth: depth + 2, &valuesLeft) else { continue }
        values.append(value)
        if kind == .languages, let language = item.language, chosen == nil || language == "x-default" { chosen = value }
      }
      return chosen ?? .list(values)
    }
  }
}
