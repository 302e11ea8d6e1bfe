// SPDX-License-Identifier: Apache-2.0

/// What pixel memory costs.
package enum HeldMemory {
  /// The bytes that are taken from the system for a buffer: whole cache lines, or huge pages.
  package static func bytes(_ count: Int) -> Int {
    let granule = count >= 4 << 20 ? 2 << 20 : 64
    let (sum, overflow) = count.addingReportingOverflow(granule - 1)
    return overflow ? .max / 1024 : min(sum & ~(granule - 1), .max / 1024)
  }
}
