// SPDX-License-Identifier: Apache-2.0

import ImageCodersBuiltIn
import ImageLoading
import Testing

@Suite struct LoadingErrorTests {
  @Test func codesHaveTheirNames() {
    #expect(LoadingError(.tooLarge, "a body of 70 bytes").code.description == "tooLarge")
  }
}
