// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension PropertyValue {
  /// The value on one line.
  var inWords: String {
    switch self {
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .list(let values): values.map(\.inWords).joined(separator: ", ")
    case .dictionary(let inner): inner.sorted.map { "\($0.name): \($0.value.inWords)" }.joined(separator: "; ")
    }
  }
}
