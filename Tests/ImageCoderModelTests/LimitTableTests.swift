// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel
import Testing

/// The table that all lists of limits are made of.
@Suite struct LimitTableTests {
  @Test func everyPropertyHasARow() {
    let properties = Mirror(reflecting: Limits.standard).children.map { $0.label }
    #expect(Limits.table.map(\.name.rawValue) == properties)
    for (index, limit) in Limits.table.enumerated() {
      var limits = Limits.standard
      limits[keyPath: limit.property] = 7
      let values = Mirror(reflecting: limits).children.map { $0.value as? Int }
      #expect(values.enumerated().filter { $1 == 7 }.map(\.offset) == [index])
    }
  }

  @Test func numbersAndFieldsAreThoseOfTheInterface() {
    let known = Limits.table.filter { $0.number != 0 }.sorted { $0.number < $1.number }
    #expect(known.map(\.number) == Array(1...8))
    #expect(
      known.map(\.field) == [
        "max_side", "max_pixels", "max_memory", "max_metadata", "max_frames", "max_pages", "max_scans", "max_inflated",
      ])
  }
}
