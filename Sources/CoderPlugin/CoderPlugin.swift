// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackagePlugin

/// `swift package coder-plugin`: builds a package's coder as a plugin, and lays it out in `build/` with its manifest.
///
/// It stands for settings that a package cannot state for those that depend on it: one exported symbol, all symbols
/// bound at load time, no path of the build machine in the library, and the manifest's `runtime` and `platform`.
@main
struct CoderPlugin: CommandPlugin {
  func performCommand(context: PluginContext, arguments: [String]) async throws {
    var extractor = ArgumentExtractor(arguments)
    let isShared = extractor.extractFlag(named: "shared-runtime") > 0
    let isDebug = extractor.extractFlag(named: "debug") > 0
    let products = extractor.extractOption(named: "product")
    let output = extractor.extractOption(named: "output").last ?? "build"
    if let unknown = extractor.remainingArguments.first {
      throw Failure("\(unknown): --product, --output, --shared-runtime and --debug are known")
    }
    let package = context.package.directoryURL
    let folder = URL(filePath: output, directoryHint: .isDirectory, relativeTo: package).standardizedFileURL
    let manifest = try Self.manifest(in: package)
    let product = try Self.product(of: context.package, named: products.last)

    let exports = context.pluginWorkDirectoryURL.appending(path: "exports.map")
    try Data("{ global: imgcoder_entry_v1; local: *; };\n".utf8).write(to: exports)
    var parameters = PackageManager.BuildParameters(configuration: isDebug ? .debug : .release, logging: .concise)
    parameters.echoLogs = true
    parameters.otherLinkerFlags =
      ["--version-script=\(exports.path())", "-z", "now", "--gc-sections"] + (isDebug ? [] : ["-s"])
    // lld comes with the compiler; gold lists local symbols of the Swift runtime beside the exported one.
    parameters.otherSwiftcFlags =
      ["-no-toolchain-stdlib-rpath", "-use-ld=lld"] + (isShared ? [] : ["-static-stdlib"])
    let result = try packageManager.build(.product(product), parameters: parameters)
    guard result.succeeded else { throw Failure("the build of \(product) failed") }
    guard let library = result.builtArtifacts.first(where: { $0.kind == .dynamicLibrary }) else {
      throw Failure("\(product) is no dynamic library; its product needs type: .dynamic")
    }

    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Self.replace(folder.appending(path: manifest.library), with: Data(contentsOf: library.url), mode: 0o755)
    try Self.replace(
      folder.appending(path: manifest.url.lastPathComponent),
      with: Data(manifest.text(isShared: isShared).utf8), mode: 0o644)
    print(folder.appending(path: manifest.library).path())
  }

  /// The package's one manifest.
  private static func manifest(in package: URL) throws -> Manifest {
    let files = try FileManager.default.contentsOfDirectory(at: package, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasSuffix(".imgcoder.json") }
    guard let file = files.first, files.count == 1 else {
      throw Failure("\(files.count) files *.imgcoder.json in \(package.path()), one is needed")
    }
    return try Manifest(file)
  }

  /// The product to build: the named one, or the package's only library.
  private static func product(of package: Package, named name: String?) throws -> String {
    let libraries = package.products.compactMap { ($0 as? LibraryProduct)?.name }
    if let name { return name }
    guard let product = libraries.first, libraries.count == 1 else {
      throw Failure("\(libraries.count) libraries in the package; name one with --product")
    }
    return product
  }

  /// Writes a file under its name only when it is whole: a host may have the old one open.
  private static func replace(_ file: URL, with bytes: Data, mode: Int) throws {
    try bytes.write(to: file, options: .atomic)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path())
  }
}

/// A plugin's manifest.
private struct Manifest {
  let url: URL
  /// The name of the library, beside the manifest.
  let library: String
  private let source: String

  init(_ url: URL) throws {
    self.url = url
    source = try String(contentsOf: url, encoding: .utf8)
    let object = try? JSONSerialization.jsonObject(with: Data(source.utf8)) as? [String: Any]
    guard let library = object?["library"] as? String else {
      throw Failure("\(url.path()) is not JSON, or has no text \"library\"")
    }
    guard !library.contains("/"), !library.isEmpty else {
      throw Failure("\(url.path()): library \"\(library)\" is not the name of a file beside the manifest")
    }
    self.library = library
  }

  /// The manifest with what the library was built for, so that a host that differs can say so.
  func text(isShared: Bool) -> String {
    var known = "\"library\": \"\(library)\",\n  \"platform\": \"\(platform)\""
    if isShared { known += ",\n  \"runtime\": \"\(runtime)\"" }
    return source.replacing(#/"library"\s*:\s*"[^"]*"/#, with: known, maxReplacements: 1)
  }

  /// The Swift runtime of this compiler, as manifests name it.
  private var runtime: String {
    "swift/\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
  }

  private var platform: String {
    #if arch(x86_64)
      "linux-x86_64"
    #else
      "linux-aarch64"
    #endif
  }
}

/// Why there is no plugin.
private struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
