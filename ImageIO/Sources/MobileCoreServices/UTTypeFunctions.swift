// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
  @_exported public import TypeIdentifiers
  import UniformTypeIdentifiers

  /// The type that has a tag, such as a file's extension; of a tag that is not known, a type of its own. The caller owns it.
  public func UTTypeCreatePreferredIdentifierForTag(
    _ tagClass: CFString, _ tag: CFString, _ parent: CFString?
  ) -> Unmanaged<CFString>? {
    let parent = parent.map { UTType(importedAs: $0 as String) }
    return UTType(tag: tag as String, tagClass: UTTagClass(rawValue: tagClass as String), conformingTo: parent)
      .map { Unmanaged.passRetained(NSString(string: $0.identifier)) }
  }

  /// The preferred tag of a type; nil for one that is not known. The caller owns it.
  public func UTTypeCopyPreferredTagWithClass(_ type: CFString, _ tagClass: CFString) -> Unmanaged<CFString>? {
    let type = UTType(importedAs: type as String)
    let tag =
      switch UTTagClass(rawValue: tagClass as String) {
      case .filenameExtension: type.preferredFilenameExtension
      case .mimeType: type.preferredMIMEType
      default: String?.none
      }
    return tag.map { Unmanaged.passRetained(NSString(string: $0)) }
  }

  /// Whether a type is another one, or a kind of it.
  public func UTTypeConformsTo(_ type: CFString, _ other: CFString) -> Bool {
    UTType(importedAs: type as String).conforms(to: UTType(importedAs: other as String))
  }

  /// Whether two types are the same.
  public func UTTypeEqual(_ one: CFString, _ other: CFString) -> Bool { one.isEqual(other) }

  /// Whether it was made of a tag that no type has.
  public func UTTypeIsDynamic(_ type: CFString) -> Bool { UTType(importedAs: type as String).isDynamic }

  /// What people call the type, or nil. The caller owns it.
  public func UTTypeCopyDescription(_ type: CFString) -> Unmanaged<CFString>? {
    UTType(importedAs: type as String).localizedDescription.map { Unmanaged.passRetained(NSString(string: $0)) }
  }
#endif
