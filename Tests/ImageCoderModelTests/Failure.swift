// SPDX-License-Identifier: Apache-2.0

import ImageCoderModel

/// The error that a piece of work ends with, or nil. Macros of the test library take no value that cannot escape.
func failure(_ body: () throws(CoderError) -> Void) -> CoderError? {
  do throws(CoderError) {
    try body()
    return nil
  } catch {
    return error
  }
}
