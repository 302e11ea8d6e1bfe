// SPDX-License-Identifier: Apache-2.0

import CSQLite
import ImageCaching
import Testing

@Suite struct SQLiteTests {
  @Test func loadsTheSystemsLibrary() throws {
    #expect(csqlite_load() >= Int32(CSQLITE_MINIMUM_VERSION))
    #expect(try SQLiteConnection.version() == Int(csqlite_load()))
  }
}

/// Vectors of xxHash's reference implementation, by the Python package xxhash.
@Suite struct ChecksumTests {
  @Test func isXXH64() {
    #expect(Checksum.of([]) == 0xEF46_DB37_51D8_E999)
    #expect(Checksum.of(Array("a".utf8)) == 0xD24E_C4F1_A98C_6E5B)
    #expect(Checksum.of(Array("abc".utf8)) == 0x44BC_2CF5_AD77_0999)
  }

  /// The bytes are 7 i + 3, modulo 256; without a seed, and with 0x9E3779B97F4A7C15.
  @Test(
    arguments: [
      (1, 0x1F25_C8D0_BC1F_4BB6, 0x7982_6BCD_749D_267A), (4, 0x9BB6_4B7D_66EE_9FDA, 0x6F0A_6C97_D68B_F353),
      (31, 0xA2AA_5F33_CC4A_6119, 0x7554_3727_1D1D_0A84), (32, 0x23C3_C17E_F790_FD97, 0xBF62_4B93_2C09_0428),
      (33, 0x50A7_CFC7_BA58_8784, 0x7ACE_AF1E_9D34_EA35), (64, 0x0EB6_4B3E_F6EE_B01F, 0x4AF3_41F1_4E3A_6FC9),
      (100, 0xA61F_8D4C_170F_E531, 0xF6D8_F65C_625A_BB4F), (1000, 0x5F23_5FA0_33F1_A3FB, 0x442A_CD0A_822E_86F6),
    ] as [(Int, UInt64, UInt64)])
  func hasTheReferencesDigests(_ count: Int, _ plain: UInt64, _ seeded: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) }
    #expect(Checksum.of(bytes) == plain)
    #expect(Checksum.of(bytes, seed: 0x9E37_79B9_7F4A_7C15) == seeded)
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
