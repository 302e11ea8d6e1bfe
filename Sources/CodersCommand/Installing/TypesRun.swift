// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageCoders

/// What `coders plugin types` does.
struct TypesRun {
  let places: [PluginPlace]
  /// Whether the places are those of a package that is built, whose triggers update the database later.
  let isPackage: Bool

  /// Writes the files of all plugins in some places.
  ///
  /// - Returns: The files that are there now, and what should be known of them.
  /// - Throws: ``CoderError/Code/io``, also if there is no manifest; ``CoderError/Code/malformed`` for one that cannot be read.
  func run(_ console: Console) throws(CoderError) -> (types: [String], notes: [String]) {
    let known = KnownTypes(in: KnownTypes.folders(console))
    let catalog = Catalog(CoderSettings().searchPath(console), builtIn: console.builtIn)
    var (written, notes, count) = ([String](), [String](), 0)
    for place in places {
      var isDeclared = false
      let names = FileTree.names(in: place.folder).filter {
        $0.hasSuffix(StagedPlugin.suffix) && $0 != StagedPlugin.suffix
      }
      count += names.count
      for name in names {
        let path = "\(place.folder)/\(name)"
        let types = try types(path, known: known, catalog)
        written += try types.write(into: place.data)
        isDeclared = isDeclared || types.declaration != nil
      }
      if isDeclared, !isPackage, let problem = DesktopTypes.updateDatabase(of: place.data) {
        console.warn(problem, file: place.data)
      }
    }
    guard count > 0 else {
      throw .io(
        "there is no manifest, NAME\(StagedPlugin.suffix), in \(places.map(\.folder).joined(separator: " or "))")
    }
    if isPackage, !known.isFound {
      notes.append(
        "the list of shared-mime-info was not found, so all types were declared: build with that package installed")
    }
    return (written, notes)
  }

  private func types(_ path: String, known: KnownTypes, _ catalog: Catalog) throws(CoderError) -> DesktopTypes {
    let bytes = try FileTree.contents(of: path, upTo: 1 << 20)
    do {
      return DesktopTypes(
        try Manifest(json: bytes), json: try JSONValue(parsing: bytes), known: known, mediaType: catalog.mediaType(of:))
    } catch {
      throw CoderError.malformed((error as? SkipReason)?.message ?? "\(error)").annotated(file: path)
    }
  }
}
