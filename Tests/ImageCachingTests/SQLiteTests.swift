// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Testing

import ImageCaching

@Suite struct SQLiteTests {
  @Test func loadsTheSystemsLibrary() throws {
    #expect(csqlite_load() >= Int32(CSQLITE_MINIMUM_VERSION))
    #expect(try SQLiteConnection.version() == Int(csqlite_load()))
  }
}

/// Vectors of xxHash's reference implementation, `xxhsum -H1`.
@Suite struct ChecksumTests {
  @Test func isXXH64() {
    #expect(Checksum.of([]) == 0xEF46_DB37_51D8_E999)
    #expect(Checksum.of(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(Checksum.of(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
  }

  @Test func partsAndTheWholeAreEqual() {
    let bytes = CacheFixture.bytes(1000, seed: 3)
    bytes.withUnsafeBytes { bytes in
      for cut in stride(from: 0, through: 992, by: 32) {
        var checksum = Checksum(seed: 9)
        checksum.append(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
        checksum.append(UnsafeRawBufferPointer(rebasing: bytes[cut..<992]))
        #expect(checksum.finish(UnsafeRawBufferPointer(rebasing: bytes[992...])) == Checksum.of(bytes, seed: 9))
      }
    }
  }
}
