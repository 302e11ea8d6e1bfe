// SPDX-License-Identifier: Apache-2.0
//
// Functions have the names that the header gives them.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import CImageCodersFacade
import ImageCoderEngine
import ImageCoderModel
import ImageCodersBuiltIn

extension CoderRegistry {
  /// A registry without anything of the machine's or the user's that is not asked for.
  fileprivate convenience init(_ options: UnsafePointer<ic_registry_options>?) throws(CoderError) {
    let given = options == nil ? ic_registry_options() : try options!.known()
    guard let mode = Isolation.Mode(rawValue: Int(given.isolation)) else {
      throw .invalidArgument("ic_registry_options.isolation is \(given.isolation), none of IC_ISOLATION_…")
    }
    var folders: [String] = []
    for index in 0..<Int(given.folder_count) {
      guard let folder = given.plugin_folders?[index] else {
        throw .invalidArgument("ic_registry_options.plugin_folders has no folder \(index)")
      }
      folders.append(SystemName.string(pointer: folder))
    }
    let flags = Int(given.flags)
    LibrarySurroundings.prepare(
      command: given.worker.map { SystemName.string(pointer: $0) },
      folder: given.library_folder.map { SystemName.string(pointer: $0) })
    self.init(
      builtIn: .all,
      searchPath: flags & Int(IC_PLUGINS) != 0 ? PluginSearchPath(arguments: folders) : .only(folders),
      preferences: flags & Int(IC_USER) != 0 ? .user : CoderPreferences(), isolation: Isolation(mode),
      policy: try given.policy.map { (name) throws(CoderError) in
        try SecurityPolicy(named: SystemName.string(pointer: name))
      } ?? .standard)
  }

  /// The registry of the caller's pointer.
  static func of(_ pointer: OpaquePointer) -> CoderRegistry { object(pointer, as: CoderRegistry.self) }
}

@c @implementation
public func ic_registry_new(
  _ options: UnsafePointer<ic_registry_options>?, _ registry: UnsafeMutablePointer<OpaquePointer?>,
  _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    registry.pointee = nil
    registry.pointee = pointer(to: try CoderRegistry(options))
    return nil
  }
}

@c @implementation
public func ic_registry_free(_ registry: OpaquePointer?) { drop(registry, as: CoderRegistry.self) }

@c @implementation
public func ic_registry_formats(
  _ registry: OpaquePointer, _ formats: UnsafeMutablePointer<ic_bytes>, _ error: UnsafeMutablePointer<ic_error>?
) -> Int32 {
  answer(error) { () throws(CoderError) in
    try formats.clear()
    let registry = CoderRegistry.of(registry)
    let (read, written) = (Set(registry.readableFormats), Set(registry.writableFormats))
    let list = read.union(written).sorted { $0.rawValue < $1.rawValue }.map { format in
      JSONValue.object([
        "format": .text(format.rawValue), "name": .text(registry.name(of: format)),
        "extension": .optional(registry.fileExtension(of: format)),
        "media_type": .optional(registry.mimeType(of: format)),
        "reads": .boolean(read.contains(format)), "writes": .boolean(written.contains(format)),
      ])
    }
    try formats.fill(ic_bytes(JSONValue.list(list).printed.utf8))
    return nil
  }
}
