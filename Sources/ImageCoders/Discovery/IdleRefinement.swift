// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
package import ImageCoderModel

/// A format that is said to be a kind of another one, and whose signatures say no more of a file than those of that one.
package struct IdleRefinement: Sendable, Equatable {
  package let coder: String
  package let format: ImageFormat
  package let refined: ImageFormat
}

extension Catalog {
  /// Refinements that change no order, because only what says more of a file comes first.
  package var idleRefinements: [IdleRefinement] {
    let used = entries.filter { $0.reason == nil }.compactMap(\.manifest).filter(\.canRead)
    var found: [IdleRefinement] = []
    for manifest in used {
      for format in manifest.formats where !format.signatures.isEmpty {
        for refined in format.refines {
          let others = used.flatMap(\.formats).filter { $0.format == refined }.flatMap(\.signatures)
          guard let strongest = others.map(\.fullStrength).max() else { continue }
          let saysMore = format.signatures.contains { !$0.conditions.isEmpty || $0.strength > strongest }
          if !saysMore { found.append(IdleRefinement(coder: manifest.id, format: format.format, refined: refined)) }
        }
      }
    }
    return found
  }
}
