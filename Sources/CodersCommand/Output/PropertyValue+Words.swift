// SPDX-License-Identifier: Apache-2.0

import ImageCoders

extension PropertyValue {
  /// The value on one line.
  var inWords: String {
    switch self {
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .text(let text): text
    case .boolean(let flag): flag ? "yes" : "no"
    case .data(let bytes): "\(bytes.count) \(bytes.count == 1 ? "byte" : "bytes")"
    case .list(let values): values.map(\.inWords).joined(separator: ", ")
    case .dictionary(let inner): inner.sorted.map { "\($0.name): \($0.value.inWords)" }.joined(separator: "; ")
    }
  }
}
