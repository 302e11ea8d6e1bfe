// SPDX-License-Identifier: Apache-2.0

import ImageCoderPlugin

extension ByteOrder {
  /// The byte order of this machine.
  static let native: ByteOrder = 1.bigEndian == 1 ? .bigEndian : .littleEndian
}
