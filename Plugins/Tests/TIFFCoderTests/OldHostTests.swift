// SPDX-License-Identifier: Apache-2.0

import CoderTestSupport
import ImageCoderPlugin
import Testing

@testable import TIFFCoder

/// A host from before `view_available`: whoever calls it goes through a null pointer.
@Suite struct OldHostTests {
  @Test(
    arguments: [ByteOrder.littleEndian, .bigEndian],
    [MemorySource.Kind.complete, .incremental, .ofOldHost, .incrementalOfOldHost])
  func decodes(_ order: ByteOrder, _ kind: MemorySource.Kind) throws {
    var file = SmallFile(width: 4, height: 2)
    file.set(273, [UInt32(file.bytes(order).count)])
    let source = MemorySource(file.bytes(order) + [1, 2, 3, 4, 5, 6, 7, 8], kind)
    let memory = MemoryHost()
    let reader = try TIFFReader(source.view, host: memory.host, options: [.incremental])
    let offer = try reader.offer(for: DecodeRequest())
    let sink = MemorySink(offer)
    try reader.decode(offer, into: sink.sink)
    #expect(sink.pixels == [1, 2, 3, 4, 5, 6, 7, 8])
  }
}
