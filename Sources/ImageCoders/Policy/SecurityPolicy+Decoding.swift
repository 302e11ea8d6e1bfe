// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

extension SecurityPolicy {
  /// Whether it forbids anything that ``restricting(_:for:)`` would put into options.
  var restrictsFiles: Bool {
    problem != nil || formats != nil || readsMetadata != nil || readOptions != nil || siblings != nil || !limits.isEmpty
      || !formatRules.isEmpty
  }

  /// A caller's options with what the policy forbids.
  ///
  /// - Parameter formats: Those that the file may have; the strictest of their rules apply. Empty while it is unknown.
  /// - Throws: ``problem``.
  func restricting(_ options: DecodeOptions, for formats: [ImageFormat] = []) throws(CoderError) -> DecodeOptions {
    if let problem { throw problem }
    var options = options
    var restrictions = options.restrictions
    (options.limits, restrictions.limits) = limits(options.limits, for: formats)
    if let formats = self.formats {
      restrictions.formats = formats.value
      restrictions.formatsWords = formats.words
    }
    if let rule = readOptions { restrictions.readOptions = (rule.value, rule.words) }
    if let metadata = readsMetadata, !metadata.value { restrictions.metadata = metadata.words }
    if let siblings {
      restrictions.siblings = siblings.value
      restrictions.siblingsWords = siblings.words
    }
    options.restrictions = restrictions
    return options
  }

  /// A caller's limits with those of the policy, and for each that is the policy's who set it.
  func limits(_ limits: Limits, for formats: [ImageFormat]) -> (limits: Limits, words: [Limits.Name: String]) {
    guard !self.limits.isEmpty || !formatRules.isEmpty else { return (limits, [:]) }
    var (limits, words) = (limits, [Limits.Name: String]())
    for name in Limits.table.map(\.name) {
      let settings = formats.isEmpty ? [limit(name, of: nil)] : formats.map { limit(name, of: $0) }
      guard let setting = settings.compactMap(\.self).min(by: { $0.value < $1.value }), let own = limits[name] else {
        continue
      }
      guard own == Limits.standard[name] || setting.value < own else { continue }
      limits[name] = setting.value
      words[name] = setting.words
    }
    return (limits, words)
  }

  /// - Throws: ``CoderError/Code/noCoder`` for a coder that may not be used.
  func checkAllowed(coder id: String) throws(CoderError) {
    guard let coders, !coders.value.contains(id) else { return }
    throw .noCoder("\(id) may not be used (set by \(coders.words))")
  }
}
