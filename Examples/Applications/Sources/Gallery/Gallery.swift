// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
public import ImageCoders

/// A static gallery: a folder of pictures becomes a folder that any server can serve. What has not changed is not made again.
public struct Gallery: Sendable {
  /// What was done for the pictures of the folder.
  public struct Report: Sendable {
    /// Files of pictures that were made, were there already, and were removed since nothing shows them any more.
    public var made = 0, kept = 0, removed = 0
    /// Why files of the folder are not shown, by their names.
    public var failures: [String: CoderError.Code] = [:]
  }

  private struct Entry: Sendable {
    let name: String
    var size = Size(width: 0, height: 0)
    /// The files of the picture by their widths, and whether each was made now.
    var files: [(width: Int, file: String, isNew: Bool)] = []
    var problem: CoderError.Code?
  }

  /// The widths in pixels of which a browser chooses.
  public var widths = [320, 800, 1600]
  private let registry: CoderRegistry

  public init(registry: CoderRegistry) { self.registry = registry }

  /// Brings a site to what the folder holds now.
  ///
  /// - Parameters:
  ///   - folder: The path of the pictures.
  ///   - site: The path of the site: `index.html`, and the folder `pictures`, which belongs to the gallery.
  public func build(_ folder: String, into site: String) async throws -> Report {
    let (disk, pictures) = (FileManager.default, "\(site)/pictures")
    try disk.createDirectory(atPath: pictures, withIntermediateDirectories: true)
    let names = try disk.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }
    // A task for each: the library's queue decides how many pictures there are at a time.
    let made = await withTaskGroup(of: Entry.self) { group in
      for name in names { group.addTask { await entry(name, in: folder, pictures) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let entries = made.filter { $0.problem == nil }.sorted { $0.name < $1.name }
    var report = Report()
    for entry in made { report.failures[entry.name] = entry.problem }
    let files = entries.flatMap(\.files)
    report.made = files.count { $0.isNew }
    report.kept = files.count - report.made
    for old in Set(try disk.contentsOfDirectory(atPath: pictures)).subtracting(files.map(\.file)) {
      try disk.removeItem(atPath: "\(pictures)/\(old)")
      report.removed += 1
    }
    try Data(page(entries).utf8).write(to: URL(filePath: "\(site)/index.html"), options: .atomic)
    return report
  }

  /// The files of a picture. Their names say of which version of it they are, so that a browser may keep them for ever.
  private func entry(_ name: String, in folder: String, _ pictures: String) async -> Entry {
    let path = "\(folder)/\(name)"
    var entry = Entry(name: name)
    do {
      entry.size = try await registry.async.header(of: .file(path)).displayedSize
      var status = stat()
      guard stat(path, &status) == 0 else { throw CoderError(code: .io, message: "the file has gone") }
      let version = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, Int(status.st_size)]
        .map { String($0, radix: 36) }.joined(separator: ".")
      for width in widths.filter({ $0 < entry.size.width }) + [min(entry.size.width, widths.max() ?? 0)] {
        let file = "\(name)-\(width)-\(version).webp"
        let isNew = access("\(pictures)/\(file)", F_OK) != 0
        if isNew {
          let preset = ThumbnailPreset(size: Size(width: width, height: 0), format: .webP)
          _ = try await registry.async.makeThumbnail(of: .file(path), preset, at: .file("\(pictures)/\(file)"))
        }
        entry.files.append((width, file, isNew))
      }
    } catch {
      entry.problem = (error as? CoderError)?.code ?? .io
    }
    return entry
  }

  private func page(_ entries: [Entry]) -> String {
    func url(_ file: String) -> String {
      Self.escaped("pictures/" + (file.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? file))
    }
    let links = entries.map { entry in
      let files = entry.files.map { url($0.file) }
      let sources = zip(files, entry.files).map { "\($0) \($1.width)w" }.joined(separator: ", ")
      return """
        <a href="\(files[files.count - 1])"><img src="\(files[0])" srcset="\(sources)" sizes="320px" \
        width="\(entry.size.width)" height="\(entry.size.height)" alt="\(Self.escaped(entry.name))" loading="lazy"></a>
        """
    }
    return "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Gallery</title>\n" + links.map { $0 + "\n" }.joined()
  }

  private static func escaped(_ text: String) -> String {
    [("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;")]
      .reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}
