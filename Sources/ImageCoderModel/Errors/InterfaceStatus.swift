// SPDX-License-Identifier: Apache-2.0

package import CImageCoder

/// Statuses of the plugin interface that are no errors of a file.
package enum InterfaceStatus {
  package static let ok: imgcoder_status = 0
  package static let needMore: imgcoder_status = 1
  package static let notPresent: imgcoder_status = 2
  package static let invalidArgument: imgcoder_status = CoderError.Code.invalidArgument.rawValue
}
