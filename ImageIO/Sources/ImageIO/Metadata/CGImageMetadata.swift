// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  public import CoreGraphics
  public import Foundation
  import ImageCodersBuiltIn

  /// Metadata of a picture: tags in a tree, by the names of XMP.
  ///
  /// - Threads: Any for one that is not changed.
  public class CGImageMetadata: CGObject, @unchecked Sendable {
    // Unchecked: only the mutable one changes, by one thread.
    /// Its fields are the tags at the top.
    var root = XMPNode(prefix: "", name: "", namespace: "", value: .structure([]))
    /// Namespaces that a caller has added, by prefix.
    var spaces: [String: String] = [:]

    init(_ nodes: [XMPNode] = []) {
      super.init()
      root.value = .structure(nodes)
    }

    convenience init(_ packet: XMPPacket) {
      self.init(packet.properties)
      spaces = packet.namespaces
    }

    var nodes: [XMPNode] {
      if case .structure(let nodes) = root.value { nodes } else { [] }
    }

    /// Puts a node at a path; false where it does not fit.
    func put(_ node: XMPNode, at steps: [XMPPath.Step]) -> Bool {
      let packet = XMPPacket(nodes, namespaces: spaces)
      return (try? root.set(node, at: XMPPath(steps)) { packet.namespace(of: $0) }) != nil
    }

    /// Takes out what is at a path; false where nothing is.
    func remove(at steps: [XMPPath.Step]) -> Bool {
      guard !steps.isEmpty, root[XMPPath(steps)] != nil else { return false }
      return (try? root.set(nil, at: XMPPath(steps)) { _ in nil }) != nil
    }

    func namespace(of prefix: String) -> String? { XMPPacket(nodes, namespaces: spaces).namespace(of: prefix) }
  }

  /// Metadata that can be changed.
  public final class CGMutableImageMetadata: CGImageMetadata, @unchecked Sendable {}

  /// A tag: its namespace, prefix, name and type, its value and its qualifiers. It does not change.
  public final class CGImageMetadataTag: CGObject, @unchecked Sendable {
    // Unchecked: nothing changes after it is made.
    let node: XMPNode
    /// Where it is in the metadata that it comes from; its name for another one.
    let steps: [XMPPath.Step]

    init(_ node: XMPNode, at steps: [XMPPath.Step]? = nil) {
      self.node = node
      self.steps = steps ?? [node.step]
    }

    /// The prefix that names inside of the tag have if they have none: that of the nearest name.
    fileprivate var prefix: String? {
      for case .name(let prefix, _) in steps.reversed() { return prefix }
      return nil
    }
  }

  /// Called with the path of each tag, and the tag; false ends the walk.
  public typealias CGImageMetadataTagBlock = (CFString, CGImageMetadataTag) -> Bool

  /// The number of the class.
  public func CGImageMetadataGetTypeID() -> CFTypeID { typeID(of: CGImageMetadata.self) }
  /// The number of the class.
  public func CGImageMetadataTagGetTypeID() -> CFTypeID { typeID(of: CGImageMetadataTag.self) }
  /// Metadata without tags.
  public func CGImageMetadataCreateMutable() -> CGMutableImageMetadata { CGMutableImageMetadata() }
  /// A copy that can be changed.
  public func CGImageMetadataCreateMutableCopy(_ metadata: CGImageMetadata) -> CGMutableImageMetadata? {
    let copy = CGMutableImageMetadata(metadata.nodes)
    copy.spaces = metadata.spaces
    return copy
  }

  /// A tag.
  ///
  /// - Parameters:
  ///   - prefix: Nil for the usual one of the namespace; a namespace that has none needs one.
  ///   - type: `default` for what the value is.
  ///   - value: Text, a number, a flag, or an array or a dictionary of such values or of tags. Nil is returned for another one,
  ///     and for a type that the value does not have.
  public func CGImageMetadataTagCreate(
    _ namespace: CFString, _ prefix: CFString?, _ name: CFString, _ type: CGImageMetadataType, _ value: CFTypeRef
  ) -> CGImageMetadataTag? {
    let space = namespace as String
    guard type != .invalid, !space.isEmpty, name.length > 0,
      let prefix = prefix as String? ?? XMPPacket.usualPrefix(of: space)
    else { return nil }
    return XMPNode(prefix, name as String, in: space, as: type, value: value).map { CGImageMetadataTag($0) }
  }

  /// The namespace of a tag.
  public func CGImageMetadataTagCopyNamespace(_ tag: CGImageMetadataTag) -> CFString? {
    NSString(string: tag.node.namespace)
  }
  /// The prefix of a tag's namespace.
  public func CGImageMetadataTagCopyPrefix(_ tag: CGImageMetadataTag) -> CFString? { NSString(string: tag.node.prefix) }
  /// The name of a tag, without a prefix.
  public func CGImageMetadataTagCopyName(_ tag: CGImageMetadataTag) -> CFString? { NSString(string: tag.node.name) }
  /// The type of a tag's value.
  public func CGImageMetadataTagGetType(_ tag: CGImageMetadataTag) -> CGImageMetadataType { tag.node.type }

  /// The value of a tag: text; an array of tags; or a dictionary of tags by `prefix:name`.
  public func CGImageMetadataTagCopyValue(_ tag: CGImageMetadataTag) -> CFTypeRef? {
    switch tag.node.value {
    case .text(let text), .link(let text): return NSString(string: text)
    case .list(_, let items):
      let list = NSMutableArray()
      for (index, item) in items.enumerated() { list.add(CGImageMetadataTag(item, at: tag.steps + [.index(index)])) }
      return list
    case .structure(let fields):
      let inner = NSMutableDictionary()
      for field in fields {
        inner.setObject(
          CGImageMetadataTag(field, at: tag.steps + [field.step]), forKey: NSString(string: field.fullName))
      }
      return inner
    }
  }

  /// The qualifiers of a tag, such as `xml:lang`; nil for none.
  public func CGImageMetadataTagCopyQualifiers(_ tag: CGImageMetadataTag) -> CFArray? {
    guard !tag.node.qualifiers.isEmpty else { return nil }
    let list = NSMutableArray()
    for qualifier in tag.node.qualifiers { list.add(CGImageMetadataTag(qualifier)) }
    return list
  }

  /// All tags at the top; nil for none.
  public func CGImageMetadataCopyTags(_ metadata: CGImageMetadata) -> CFArray? {
    guard !metadata.nodes.isEmpty else { return nil }
    let list = NSMutableArray()
    for node in metadata.nodes { list.add(CGImageMetadataTag(node)) }
    return list
  }

  private func steps(_ parent: CGImageMetadataTag?, _ path: CFString) -> [XMPPath.Step]? {
    (try? XMPPath(path as String, prefix: parent?.prefix)).map { (parent?.steps ?? []) + $0.steps }
  }

  /// The tag at a path, from the parent on if there is one: `dc:subject[0]`, `dc:title[x-default]`,
  /// `Iptc4xmpCore:CreatorContactInfo.Iptc4xmpCore:CiAdrCity`, `exif:UserComment?xml:lang`, `exif:Flash.Fired`: a name without a
  /// prefix has that of the name before. Nil for none.
  public func CGImageMetadataCopyTagWithPath(
    _ metadata: CGImageMetadata, _ parent: CGImageMetadataTag?, _ path: CFString
  ) -> CGImageMetadataTag? {
    guard let steps = steps(parent, path) else { return nil }
    return metadata.root[XMPPath(steps)].map { CGImageMetadataTag($0, at: steps) }
  }

  /// The text at a path: of a list the first item, of texts in languages the one for all.
  public func CGImageMetadataCopyStringValueWithPath(
    _ metadata: CGImageMetadata, _ parent: CGImageMetadataTag?, _ path: CFString
  ) -> CFString? {
    guard let steps = steps(parent, path) else { return nil }
    return metadata.root[XMPPath(steps)]?.text.map { NSString(string: $0) }
  }

  /// Puts a tag at a path, and makes structures and lists on the way. False for a path that leads through another value, or
  /// names a prefix that nobody knows.
  @discardableResult
  public func CGImageMetadataSetTagWithPath(
    _ metadata: CGMutableImageMetadata, _ parent: CGImageMetadataTag?, _ path: CFString, _ tag: CGImageMetadataTag
  ) -> Bool {
    guard let steps = steps(parent, path) else { return false }
    var node = tag.node
    switch steps.last {
    case .name(let prefix, let name)?:
      // The path says what the tag is called in there.
      guard let space = prefix == node.prefix ? node.namespace : metadata.namespace(of: prefix) else { return false }
      (node.prefix, node.name, node.namespace) = (prefix, name, space)
    case .index?, .language?:
      let item = XMPNode.item(node.value)
      (node.prefix, node.name, node.namespace) = (item.prefix, item.name, item.namespace)
    case .qualifier?, nil: break
    }
    if metadata.namespace(of: node.prefix) == nil { metadata.spaces[node.prefix] = node.namespace }
    return metadata.put(node, at: steps)
  }

  /// Puts a value at a path: text, a number, a flag, an array or a dictionary. A property that XMP defines as a list or as text
  /// in languages becomes one. False as for a tag.
  @discardableResult
  public func CGImageMetadataSetValueWithPath(
    _ metadata: CGMutableImageMetadata, _ parent: CGImageMetadataTag?, _ path: CFString, _ value: CFTypeRef
  ) -> Bool {
    guard let steps = steps(parent, path), let last = steps.last else { return false }
    var (prefix, name, kind) = ("rdf", "li", XMPNode.ListKind?.none)
    if case .name(let stepPrefix, let stepName) = last {
      (prefix, name) = (stepPrefix, stepName)
      kind = XMPPacket.listKind(of: "\(prefix):\(name)")
    }
    if case .qualifier(let stepPrefix, let stepName) = last { (prefix, name) = (stepPrefix, stepName) }
    guard let space = metadata.namespace(of: prefix),
      let node = XMPNode(prefix, name, in: space, as: kind, value: value)
    else { return false }
    return metadata.put(node, at: steps)
  }

  /// Takes out the tag at a path; false if there is none.
  @discardableResult
  public func CGImageMetadataRemoveTagWithPath(
    _ metadata: CGMutableImageMetadata, _ parent: CGImageMetadataTag?, _ path: CFString
  ) -> Bool {
    guard let steps = steps(parent, path) else { return false }
    return metadata.remove(at: steps)
  }

  /// Calls a block with all tags at the top, or all inside of the one at a path; with
  /// `kCGImageMetadataEnumerateRecursively`, with what is inside of these, too.
  public func CGImageMetadataEnumerateTagsUsingBlock(
    _ metadata: CGImageMetadata, _ rootPath: CFString?, _ options: CFDictionary?,
    _ block: @escaping CGImageMetadataTagBlock
  ) {
    var start: [XMPPath.Step] = []
    if let rootPath {
      guard let path = try? XMPPath(rootPath as String) else { return }
      start = path.steps
    }
    guard let root = metadata.root[XMPPath(start)] else { return }
    let isDeep = options?.flag(kCGImageMetadataEnumerateRecursively) ?? false
    func visit(_ node: XMPNode, at steps: [XMPPath.Step], path: String) -> Bool {
      let children: [(XMPNode, XMPPath.Step, String)] =
        switch node.value {
        case .text, .link: []
        case .list(_, let items):
          items.enumerated().map { index, item in
            (item, .index(index), "\(path)[\(node.type == .alternateText ? item.language ?? "\(index)" : "\(index)")]")
          }
        case .structure(let fields):
          fields.map { ($0, $0.step, path.isEmpty ? $0.fullName : "\(path).\($0.fullName)") }
        }
      for (child, step, path) in children {
        guard block(NSString(string: path), CGImageMetadataTag(child, at: steps + [step])) else { return false }
        if isDeep, !visit(child, at: steps + [step], path: path) { return false }
      }
      return true
    }
    _ = visit(root, at: start, path: rootPath as String? ?? "")
  }

  /// Adds a namespace that paths may name by a prefix. False, with the error `prefixConflict`, if the prefix stands for another
  /// one, or the namespace has another prefix.
  @discardableResult
  public func CGImageMetadataRegisterNamespaceForPrefix(
    _ metadata: CGMutableImageMetadata, _ namespace: CFString, _ prefix: CFString,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
  ) -> Bool {
    let (space, prefix) = (namespace as String, prefix as String)
    guard !space.isEmpty, XMPNode.isName(prefix) else {
      fail(.badArgument, "a namespace and its prefix are needed", to: error)
      return false
    }
    let known = metadata.namespace(of: prefix)
    let other = XMPPacket.usualPrefix(of: space) ?? metadata.spaces.first { $0.value == space }?.key
    guard known == nil || known == space, other == nil || other == prefix else {
      fail(.prefixConflict, "\(prefix) stands for \(known ?? "nothing"), and \(space) is \(other ?? "new")", to: error)
      return false
    }
    metadata.spaces[prefix] = space
    return true
  }

  /// Gives an error to a caller who wants one.
  func fail(
    _ code: CGImageMetadataErrors, _ message: String, to error: UnsafeMutablePointer<Unmanaged<CFError>?>?
  ) {
    error?.pointee = Unmanaged.passRetained(
      NSError(
        domain: kCFErrorDomainCGImageMetadata as String, code: Int(code.rawValue),
        userInfo: [NSLocalizedDescriptionKey: message]))
  }
#endif
