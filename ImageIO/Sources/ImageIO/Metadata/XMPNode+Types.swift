// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation
  import ImageCodersBuiltIn

  // What ImageIO calls tags are nodes of XMP.
  extension XMPNode {
    /// The type of the value by ImageIO's name.
    var type: CGImageMetadataType {
      switch value {
      case .text, .link: .string
      case .structure: .structure
      case .list(.unordered, _): .arrayUnordered
      case .list(.ordered, _): .arrayOrdered
      case .list(.alternative, _): .alternateArray
      case .list(.languages, _): .alternateText
      }
    }

    /// `dc:title`
    var fullName: String { "\(prefix):\(name)" }

    /// The step from the node around it.
    var step: XMPPath.Step { .name(prefix: prefix, name: name) }

    /// What a caller gives as a value: text, a number, a flag, an array or a dictionary of these, tags among them. Nil for
    /// something else, and for a type that the value does not have.
    init?(
      _ prefix: String, _ name: String, in namespace: String, as type: CGImageMetadataType, value: Any
    ) {
      guard Self.isName(prefix), Self.isName(name), let held = Self.held(value, prefix: prefix, in: namespace) else {
        return nil
      }
      self.init(prefix: prefix, name: name, namespace: namespace, value: held.value, qualifiers: held.qualifiers)
      guard !(value is CGImageMetadataTag), type != .default, type != self.type else { return }
      switch (type, self.value) {
      case (.arrayOrdered, .list(_, let items)): self.value = .list(.ordered, items)
      case (.arrayUnordered, .list(_, let items)): self.value = .list(.unordered, items)
      case (.alternateArray, .list(_, let items)): self.value = .list(.alternative, items)
      case (.alternateText, .list(_, let items)): self.value = .list(.languages, items)
      case (.alternateText, .text): self.value = self.value.asList(.languages)
      case (.arrayOrdered, .text): self.value = self.value.asList(.ordered)
      case (.arrayUnordered, .text): self.value = self.value.asList(.unordered)
      default: return nil
      }
    }

    /// The same, as a list where XMP defines one; as it is where that does not fit.
    init?(_ prefix: String, _ name: String, in namespace: String, as kind: ListKind?, value: Any) {
      let type: CGImageMetadataType =
        switch kind {
        case nil: .default
        case .unordered?: .arrayUnordered
        case .ordered?: .arrayOrdered
        case .alternative?: .alternateArray
        case .languages?: .alternateText
        }
      if let node = XMPNode(prefix, name, in: namespace, as: type, value: value) {
        self = node
      } else {
        self.init(prefix, name, in: namespace, as: .default, value: value)
      }
    }

    private static func held(
      _ value: Any, prefix: String, in namespace: String
    ) -> (value: Value, qualifiers: [XMPNode])? {
      switch value {
      case let tag as CGImageMetadataTag: return (tag.node.value, tag.node.qualifiers)
      case let text as String: return (.text(text), [])
      case let list as NSArray:
        let items = list.compactMap { held($0, prefix: prefix, in: namespace) }.map { held in
          var item = XMPNode.item(held.value)
          item.qualifiers = held.qualifiers
          return item
        }
        return items.count == list.count ? (.list(.ordered, items), []) : nil
      case let inner as NSDictionary:
        var fields: [XMPNode] = []
        for (key, value) in inner.pairs {
          let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
          let (fieldPrefix, name) = parts.count == 2 ? (parts[0], parts[1]) : (prefix, key)
          let space = XMPPacket.usualNamespace(of: fieldPrefix) ?? namespace
          guard let field = XMPNode(fieldPrefix, name, in: space, as: .default, value: value) else { return nil }
          fields.append(field)
        }
        return (.structure(fields), [])
      default:
        guard let number = value as? NSNumber ?? ImageIO.number(value).map({ NSNumber(value: $0) }) else { return nil }
        return (.text(value is Bool ? (number.boolValue ? "True" : "False") : number.stringValue), [])
      }
    }

    /// Whether XML takes it as a name without a prefix.
    static func isName(_ text: String) -> Bool {
      (try? XMPPath(text, prefix: "x"))?.steps == [.name(prefix: "x", name: text)]
    }
  }
#endif
