// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

@Suite struct SQLiteTests {
  @Test func loadsTheSystemsLibrary() {
    #expect(csqlite_load() == 1)
  }
}
