// SPDX-License-Identifier: Apache-2.0

import CImageCoder
import ImageCoderModel

extension CoderHost {
  /// Runs what a call of the interface asks for, and turns what it throws into a status.
  func run(_ body: () throws(CoderError) -> Void) -> imgcoder_status {
    do throws(CoderError) {
      try body()
      return InterfaceStatus.ok
    } catch {
      return fail(error)
    }
  }
}
