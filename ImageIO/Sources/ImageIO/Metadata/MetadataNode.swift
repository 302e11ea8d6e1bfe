// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  import CoreGraphics
  import Foundation

  /// A property of XMP: its name, its value, and what qualifies it (ISO 16684-1 §6).
  struct MetadataNode {
    var namespace: String
    var prefix: String
    var name: String
    var type: CGImageMetadataType
    var content: Content
    var qualifiers: [MetadataNode] = []

    indirect enum Content {
      case text(String)
      case items([MetadataNode])
      case fields([MetadataNode])
    }

    init(
      _ prefix: String, _ name: String, in namespace: String, as type: CGImageMetadataType, holds content: Content,
      qualifiers: [MetadataNode] = []
    ) {
      (self.prefix, self.name, self.namespace, self.type) = (prefix, name, namespace, type)
      (self.content, self.qualifiers) = (content, qualifiers)
    }

    /// What a caller gives as a value: text, a number, a flag, an array or a dictionary of these, tags among them. Nil for
    /// something else, and for a type that the value does not have.
    init?(
      _ prefix: String, _ name: String, in namespace: String, as type: CGImageMetadataType, value: Any
    ) {
      guard Self.isName(prefix), Self.isName(name) else { return nil }
      self.init(prefix, name, in: namespace, as: .string, holds: .text(""))
      switch value {
      case let tag as CGImageMetadataTag:
        self = tag.node
        (self.prefix, self.name, self.namespace) = (prefix, name, namespace)
        return
      case let text as String: content = .text(text)
      case let list as NSArray:
        let items = list.compactMap { Self("rdf", "li", in: Namespaces.rdf, as: .default, value: $0) }
        guard items.count == list.count else { return nil }
        content = .items(items)
        self.type = .arrayOrdered
      case let inner as NSDictionary:
        var fields: [MetadataNode] = []
        for (key, value) in inner.pairs {
          let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
          let (fieldPrefix, fieldName) = parts.count == 2 ? (parts[0], parts[1]) : (prefix, key)
          let space = Namespaces.known[fieldPrefix] ?? namespace
          guard let field = Self(fieldPrefix, fieldName, in: space, as: .default, value: value) else { return nil }
          fields.append(field)
        }
        content = .fields(fields)
        self.type = .structure
      default:
        guard let number = value as? NSNumber ?? ImageIO.number(value).map({ NSNumber(value: $0) }) else { return nil }
        content = .text(value is Bool ? (number.boolValue ? "True" : "False") : number.stringValue)
      }
      guard type != .default else { return }
      switch (type, content) {
      case (.string, .text), (.structure, .fields): break
      case (.arrayOrdered, .items), (.arrayUnordered, .items), (.alternateArray, .items), (.alternateText, .items):
        break
      case (.alternateText, .text(let text)): content = .items([Self.language("x-default", text)])
      case (.arrayOrdered, .text), (.arrayUnordered, .text):
        content = .items([Self("rdf", "li", in: Namespaces.rdf, as: .string, holds: content)])
      default: return nil
      }
      self.type = type
    }

    /// Whether XML takes it as a name without a prefix: letters, digits, and a few signs but not at its start.
    static func isName(_ text: String) -> Bool {
      guard let first = text.unicodeScalars.first, first == "_" || first.properties.isAlphabetic else { return false }
      return text.unicodeScalars.allSatisfy {
        "-._".unicodeScalars.contains($0) || $0.properties.isAlphabetic
          || ("0"..."9").contains($0)
      }
    }

    /// A text in a language.
    static func language(_ language: String, _ text: String) -> MetadataNode {
      let mark = MetadataNode("xml", "lang", in: Namespaces.xml, as: .string, holds: .text(language))
      return MetadataNode("rdf", "li", in: Namespaces.rdf, as: .string, holds: .text(text), qualifiers: [mark])
    }

    var language: String? { qualifiers.first { $0.prefix == "xml" && $0.name == "lang" }?.text }

    /// The value as one text: of a list, its first item; of texts in languages, the one for all.
    var text: String? {
      switch content {
      case .text(let text): text
      case .items(let items): (items.first { $0.language == "x-default" } ?? items.first)?.text
      case .fields: nil
      }
    }

    /// All texts of a list, or the one.
    var texts: [String] {
      if case .items(let items) = content, type != .alternateText { return items.compactMap(\.text) }
      return text.map { [$0] } ?? []
    }

    // MARK: Paths

    /// A step of a path: `dc:subject`, `[0]`, `[x-default]`, `?xml:lang`.
    enum Step: Hashable {
      case name(String, String)
      case index(Int)
      case language(String)
      case qualifier(String, String)
    }

    /// Nil for a path that breaks the rules.
    ///
    /// - Parameter prefix: That of the tag from which the path goes on. A name that has none takes it, or the one of the name
    ///   before.
    static func steps(_ path: String, prefix: String? = nil) -> [Step]? {
      var steps: [Step] = []
      var prefix = prefix
      var rest = path[...]
      if rest.first == "." { rest = rest.dropFirst() }
      while let first = rest.first {
        switch first {
        case "[":
          guard let end = rest.firstIndex(of: "]") else { return nil }
          let inside = String(rest[rest.index(after: rest.startIndex)..<end])
          guard !inside.isEmpty else { return nil }
          if let index = Int(inside) {
            guard index >= 0 else { return nil }
            steps.append(.index(index))
          } else {
            steps.append(.language(inside))
          }
          rest = rest[rest.index(after: end)...]
          if rest.first == "." { rest = rest.dropFirst() }
        default:
          let isQualifier = first == "?"
          if isQualifier { rest = rest.dropFirst() }
          let end = rest.firstIndex { ".[?".contains($0) } ?? rest.endIndex
          var parts = rest[..<end].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
          if parts.count == 1, let prefix { parts.insert(prefix, at: 0) }
          guard parts.count == 2, isName(parts[0]), isName(parts[1]) else { return nil }
          steps.append(isQualifier ? .qualifier(parts[0], parts[1]) : .name(parts[0], parts[1]))
          prefix = parts[0]
          rest = rest[end...]
          if rest.first == "." { rest = rest.dropFirst() }
        }
      }
      // Deeper than any metadata are.
      return steps.isEmpty || steps.count > 64 ? nil : steps
    }

    /// The node at the end of a path, or nil.
    func node(at steps: ArraySlice<Step>) -> MetadataNode? {
      guard let step = steps.first else { return self }
      return child(step)?.node(at: steps.dropFirst())
    }

    private func child(_ step: Step) -> MetadataNode? {
      switch (step, content) {
      case (.name(let prefix, let name), .fields(let fields)): fields.first { $0.prefix == prefix && $0.name == name }
      case (.index(let index), .items(let items)): index < items.count ? items[index] : nil
      case (.language(let language), .items(let items)): items.first { $0.language == language }
      case (.qualifier(let prefix, let name), _): qualifiers.first { $0.prefix == prefix && $0.name == name }
      default: nil
      }
    }

    /// Puts a node at the end of a path, and makes what is missing on the way; nil takes it out.
    ///
    /// - Parameter spaces: The namespace of a prefix.
    /// - Returns: False for a path that leads through a value of another kind, or beyond the end of a list.
    mutating func set(_ new: MetadataNode?, at steps: ArraySlice<Step>, spaces: (String) -> String?) -> Bool {
      guard let step = steps.first else {
        guard let new else { return false }
        self = new
        return true
      }
      var next = child(step)
      if steps.count > 1 {
        if next == nil, new == nil { return false }
        var inner = next ?? empty(step, spaces)
        guard inner != nil, inner!.set(new, at: steps.dropFirst(), spaces: spaces) else { return false }
        next = inner
      } else {
        guard new != nil || next != nil else { return false }
        next = new
        if let node = new, case .language(let language) = step {
          next?.qualifiers =
            node.qualifiers.filter { $0.name != "lang" }
            + [MetadataNode("xml", "lang", in: Namespaces.xml, as: .string, holds: .text(language))]
        }
      }
      return replace(step, with: next)
    }

    /// A node of the kind that a step needs, for what is after it to be put in.
    private func empty(_ step: Step, _ spaces: (String) -> String?) -> MetadataNode? {
      switch step {
      case .name(let prefix, let name):
        guard let space = spaces(prefix) else { return nil }
        return MetadataNode(prefix, name, in: space, as: .default, holds: .text(""))
      case .index, .language: return MetadataNode("rdf", "li", in: Namespaces.rdf, as: .default, holds: .text(""))
      case .qualifier: return nil
      }
    }

    private mutating func replace(_ step: Step, with node: MetadataNode?) -> Bool {
      func changed(_ nodes: [MetadataNode], at index: Int?) -> [MetadataNode] {
        var nodes = nodes
        if let index {
          if let node { nodes[index] = node } else { nodes.remove(at: index) }
        } else if let node {
          nodes.append(node)
        }
        return nodes
      }
      switch step {
      case .qualifier(let prefix, let name):
        qualifiers = changed(qualifiers, at: qualifiers.firstIndex { $0.prefix == prefix && $0.name == name })
        return true
      case .name(let prefix, let name):
        guard var fields = children(as: .structure, from: { if case .fields(let all) = $0 { all } else { nil } }) else {
          return false
        }
        fields = changed(fields, at: fields.firstIndex { $0.prefix == prefix && $0.name == name })
        content = .fields(fields)
      case .index(let index):
        guard let items = children(as: .arrayOrdered, from: { if case .items(let all) = $0 { all } else { nil } }),
          index <= items.count
        else { return false }
        content = .items(changed(items, at: index < items.count ? index : nil))
      case .language(let language):
        guard let items = children(as: .alternateText, from: { if case .items(let all) = $0 { all } else { nil } })
        else {
          return false
        }
        content = .items(changed(items, at: items.firstIndex { $0.language == language }))
      }
      return true
    }

    /// What is inside of the node, which becomes one of a type if nobody has said what it is.
    private mutating func children(
      as type: CGImageMetadataType, from content: (Content) -> [MetadataNode]?
    ) -> [MetadataNode]? {
      if let nodes = content(self.content) { return nodes }
      guard self.type == .default, case .text("") = self.content else { return nil }
      self.type = type
      return []
    }
  }

  /// Namespaces and their usual prefixes.
  enum Namespaces {
    static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    static let xml = "http://www.w3.org/XML/1998/namespace"

    static let known: [String: String] = {
      var known = [
        "rdf": rdf, "xml": xml, "x": "adobe:ns:meta/", "xmpMM": "http://ns.adobe.com/xap/1.0/mm/",
        "stRef": "http://ns.adobe.com/xap/1.0/sType/ResourceRef#",
        "crs": "http://ns.adobe.com/camera-raw-settings/1.0/",
        "stEvt": "http://ns.adobe.com/xap/1.0/sType/ResourceEvent#", "lr": "http://ns.adobe.com/lightroom/1.0/",
        "hdrgm": "http://ns.adobe.com/hdr-gain-map/1.0/", "pdf": "http://ns.adobe.com/pdf/1.3/",
        "mwg-rs": "http://www.metadataworkinggroup.com/schemas/regions/", "plus": "http://ns.useplus.org/ldf/xmp/1.0/",
        "HDRGainMap": "http://ns.apple.com/HDRGainMap/1.0/",
      ]
      let pairs = [
        (kCGImageMetadataPrefixExif, kCGImageMetadataNamespaceExif),
        (kCGImageMetadataPrefixExifAux, kCGImageMetadataNamespaceExifAux),
        (kCGImageMetadataPrefixExifEX, kCGImageMetadataNamespaceExifEX),
        (kCGImageMetadataPrefixDublinCore, kCGImageMetadataNamespaceDublinCore),
        (kCGImageMetadataPrefixIPTCCore, kCGImageMetadataNamespaceIPTCCore),
        (kCGImageMetadataPrefixIPTCExtension, kCGImageMetadataNamespaceIPTCExtension),
        (kCGImageMetadataPrefixPhotoshop, kCGImageMetadataNamespacePhotoshop),
        (kCGImageMetadataPrefixTIFF, kCGImageMetadataNamespaceTIFF),
        (kCGImageMetadataPrefixXMPBasic, kCGImageMetadataNamespaceXMPBasic),
        (kCGImageMetadataPrefixXMPRights, kCGImageMetadataNamespaceXMPRights),
      ]
      for (prefix, namespace) in pairs { known[prefix as String] = namespace as String }
      return known
    }()

    /// The usual prefix of a namespace, or nil.
    static func prefix(of namespace: String) -> String? { known.first { $0.value == namespace }?.key }
  }
#endif
