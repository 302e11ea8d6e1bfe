// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

extension Catalog {
  /// Why a registry without coders has none, and what to do.
  var emptiness: String {
    if let problem = problems.first {
      guard problems.count > 1 else { return "the only coder that was found cannot be used: \(problem)" }
      return "none of the \(problems.count) coders that were found can be used; the first: \(problem)"
    }
    let plugins = searched.map(place).joined(separator: ", ")
    return """
      no coders were found: this program builds none in (product ImageCodersBuiltIn, a trait for each format), and \
      \(plugins.isEmpty ? "no directory is searched" : "no plugin is in \(plugins)"); build them in, install the plugins, \
      or name their directory in CODERS_PLUGIN_PATH
      """
  }

  /// A part of a message for a program that found coders, but not the one that it needs.
  var unusedHint: String {
    guard let problem = problems.first else { return "" }
    guard problems.count > 1 else { return "; one more cannot be used: \(problem)" }
    return "; \(problems.count) more cannot be used, the first: \(problem)"
  }

  /// Why coders that are there may not have been found, or nil: the process had no memory or no descriptor to look.
  ///
  /// - Returns: ``CoderError/Code/outOfMemory`` or ``CoderError/Code/io``.
  var shortage: CoderError? {
    let reasons = unreadable.map(\.reason) + entries.compactMap(\.reason)
    guard let reason = reasons.first(where: \.isPassing) else { return nil }
    let message = "coders cannot be looked for: \(reason.message)"
    return reason.isMissingMemory ? CoderError(code: .outOfMemory, message: message) : .io(message)
  }

  /// Coders that would be used if something were repaired; not those that another one of the same identifier replaces.
  private var problems: [String] {
    let chosen: Set<SkipReason.Code> = [.shadowed, .disabled, .notAllowed]
    let used = Set(entries.filter { $0.reason == nil }.map(\.id))
    return entries.compactMap { entry in
      guard let reason = entry.reason, !chosen.contains(reason.code), !used.contains(entry.id) else { return nil }
      return "\(entry.path): \(reason.code.rawValue): \(reason.message)"
    }
  }

  /// A directory that was searched, with the reason if somebody named it and it cannot be read.
  private func place(_ directory: String) -> String {
    guard let reason = unreadable.first(where: { $0.path == directory })?.reason else { return directory }
    let isNamed = reason.message.hasPrefix("\(directory): ")
    return "\(directory) (\(isNamed ? String(reason.message.dropFirst(directory.count + 2)) : reason.message))"
  }
}
