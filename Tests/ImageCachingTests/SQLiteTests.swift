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

  @Test(
    arguments: [
      (241, 0x8BEA_DD3A_8874_FE17), (256, 0x3C38_817F_6D79_C0DA), (1024, 0x9B81_661C_641C_72B1),
      (1025, 0x806C_2072_ED71_3576), (1088, 0x2F87_81E0_1841_F0DA), (4096, 0xD742_8746_842B_E37E),
      (100000, 0x0C05_6F6F_CC34_0974),
    ] as [(Int, UInt64)])
  func valuesHaveXXH3(_ count: Int, _ expected: UInt64) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + 3) }
    #expect(bytes.withUnsafeBytes { ValueChecksum.of($0) } == expected)
  }

  @Test(arguments: [0, 1, 240]) func shortValuesHaveXXH64(_ count: Int) {
    let bytes = CacheFixture.bytes(count, seed: 4)
    #expect(bytes.withUnsafeBytes { ValueChecksum.of($0) } == Checksum.of(bytes))
  }

  @Test(arguments: [240, 241, 1024, 1025, 3000]) func partsAndTheWholeAreEqual(_ count: Int) {
    CacheFixture.bytes(count, seed: 3).withUnsafeBytes { bytes in
      for step in [1, 63, 64, 65, 1000] {
        var checksum = ValueChecksum(bytes)
        for filled in stride(from: 0, to: count, by: step) { checksum.read(upTo: filled) }
        #expect(checksum.finish() == ValueChecksum.of(bytes))
      }
    }
  }
}
