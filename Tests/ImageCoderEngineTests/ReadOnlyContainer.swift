// SPDX-License-Identifier: Apache-2.0

import ImageCoderEngine
import ImageCoderModel

/// A container of the tests: it reads one format, named like the container, and writes none.
protocol ReadOnlyContainer: Container {}

extension ReadOnlyContainer {
  var formats: [ImageFormat] { [ImageFormat(rawValue: id)] }
  var options: [OptionDescription] { [] }
  var canRead: Bool { true }
  var canWrite: Bool { false }
  var writesPages: Bool { false }
  var writerFeatures: WriterFeatures { [] }

  func openWriter(
    _ session: HostSession, output: ByteOutput, options: WriteOptions
  ) throws(CoderError) -> any WriterSession { throw .unsupported("no writer") }
}
