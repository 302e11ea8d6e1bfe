// SPDX-License-Identifier: Apache-2.0

extension String {
  /// Text of a field that should be ASCII: what it is as UTF-8, or else as Latin-1, in which many names were written.
  init(readable bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    self =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }
}
