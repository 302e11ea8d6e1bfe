// SPDX-License-Identifier: Apache-2.0

import CHostSystem

/// The name of a temporary file, in a table from which a program that ends at once can remove the file.
final class TemporaryName {
  /// Valid as long as this object.
  let path: UnsafePointer<CChar>

  private let memory: UnsafeMutableBufferPointer<CChar>
  private let place: Int32

  /// Adds the name before the file is made.
  init(_ path: String) {
    let bytes = SystemName.bytes(path) + [0]
    let memory = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
    _ = memory.initialize(from: bytes.lazy.map { CChar(bitPattern: $0) })
    self.memory = memory
    self.path = UnsafePointer(memory.baseAddress.unsafelyUnwrapped)
    place = chostsystem_add_temporary(self.path)
  }

  deinit {
    if chostsystem_drop_temporary(place) != 0 { memory.deallocate() }
  }
}
