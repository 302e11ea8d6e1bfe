// SPDX-License-Identifier: Apache-2.0

/// Bytes of a file that others take the place of, as many.
public struct Patch {
  public let place: Int
  public let bytes: [UInt8]

  public init(place: Int, bytes: [UInt8]) {
    self.place = place
    self.bytes = bytes
  }
}
