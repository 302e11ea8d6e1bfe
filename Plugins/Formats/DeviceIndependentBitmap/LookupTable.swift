// SPDX-License-Identifier: Apache-2.0

/// Numbers to be looked up in loops over pixels, without a check of each index: who asks keeps to ``count``.
final class LookupTable<Element> {
  let base: UnsafeMutablePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    count = elements.count
    base = .allocate(capacity: max(1, elements.count))
    base.initialize(from: elements, count: elements.count)
  }

  deinit { base.deallocate() }
}
