// SPDX-License-Identifier: Apache-2.0

import CInterfaceFakes
import ImageCoderPlugin
import Testing

/// This SDK with hosts of other minor versions.
@Suite struct HostVersionTests {
  /// A session with a fake host.
  final class Session {
    let host = UnsafeMutablePointer<fakes_host>.allocate(capacity: 1)
    private(set) var reader: OpaquePointer?
    let status: imgcoder_status

    init(limits: fakes_struct = Session.limits(), options: fakes_struct = fakes_poisoned(4), bytes: Int = 4) {
      var limits = limits
      var options = options
      let source = UnsafeMutablePointer<UInt8>.allocate(capacity: 4)
      source.initialize(repeating: 1, count: 4)
      fakes_host_make(host, &limits, source, UInt64(bytes))
      status = fakes_open(exported.table, host, &options, &reader)
    }

    deinit {
      if let reader { fakes_close(exported.table, reader) }
      host.pointee.bytes.deallocate()
      host.deallocate()
    }

    /// Limits that a host states in so many bytes.
    static func limits(claiming claimed: Int = MemoryLayout<imgcoder_limits>.size) -> fakes_struct {
      var known = Limits(maxPixels: 100, maxSide: 20, maxMemory: 3_000, maxFrames: 40).raw
      return fakes_holding(UInt32(claimed), &known, UInt32(MemoryLayout<imgcoder_limits>.size))
    }

    func info(claiming claimed: Int) throws -> fakes_struct {
      var memory = fakes_poisoned(UInt32(claimed))
      #expect(fakes_info(exported.table, reader, &memory) == 0)
      return memory
    }
  }

  private func offset<Value>(of path: PartialKeyPath<Value>) -> Int { MemoryLayout<Value>.offset(of: path) ?? 0 }

  private func field<Value>(_ memory: fakes_struct, at offset: Int, as type: Value.Type) -> Value {
    withUnsafeBytes(of: memory) { $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }

  @Test func fillsNoByteBehindAShorterInfo() throws {
    for claimed in [4, 8, 16, offset(of: \imgcoder_info.frame_count), offset(of: \imgcoder_info.format)] {
      var memory = try Session().info(claiming: claimed)
      #expect(fakes_touched_behind(&memory, UInt32(claimed)) == 0, "\(claimed) bytes")
      #expect(field(memory, at: 0, as: UInt32.self) == UInt32(claimed))
      if claimed >= 16 { #expect(field(memory, at: offset(of: \imgcoder_info.width), as: UInt32.self) == 20) }
    }
  }

  @Test func leavesTheTailOfALongerInfoAlone() throws {
    var memory = try Session().info(claiming: 400)
    #expect(fakes_touched_behind(&memory, UInt32(MemoryLayout<imgcoder_info>.size)) == 0)
    #expect(field(memory, at: 0, as: UInt32.self) == 400)
    #expect(field(memory, at: offset(of: \imgcoder_info.frame_count), as: UInt32.self) == 3)
  }

  @Test func fillsNoByteBehindAFrameOrAnOffer() throws {
    let session = Session()
    let known = MemoryLayout<imgcoder_frame_info>.size
    for claimed in [4, 12, offset(of: \imgcoder_frame_info.disposal), known, 300] {
      var memory = fakes_poisoned(UInt32(claimed))
      #expect(fakes_frame_info(exported.table, session.reader, &memory) == 0)
      #expect(fakes_touched_behind(&memory, UInt32(min(claimed, known))) == 0, "\(claimed) bytes")
      if claimed >= 12 { #expect(field(memory, at: offset(of: \imgcoder_frame_info.x), as: UInt32.self) == 1) }
    }
    var request = fakes_holding(4, [UInt32(4)], 4)
    let whole = MemoryLayout<imgcoder_offer>.size
    for claimed in [4, 20, offset(of: \imgcoder_offer.memory), whole, 300] {
      var memory = fakes_poisoned(UInt32(claimed))
      #expect(fakes_negotiate(exported.table, session.reader, &request, &memory) == 0)
      #expect(fakes_touched_behind(&memory, UInt32(min(claimed, whole))) == 0, "\(claimed) bytes")
      if claimed >= 20 { #expect(field(memory, at: offset(of: \imgcoder_offer.width), as: UInt32.self) == 11) }
    }
  }

  @Test func takesWhatARequestDoesNotHoldForZero() throws {
    let session = Session()
    var known = imgcoder_request()
    known.width = 77
    known.height = 66
    known.pixel_format = 6
    let whole = UInt32(MemoryLayout<imgcoder_request>.size)
    for (claimed, width, format) in [
      (offset(of: \imgcoder_request.width), 11, PixelFormat.gray8),
      (offset(of: \imgcoder_request.pixel_format), 77, .gray8),
      (Int(whole), 77, .rgba8), (300, 77, .rgba8),
    ] {
      var request = fakes_holding(UInt32(claimed), &known, whole)
      var memory = fakes_poisoned(UInt32(MemoryLayout<imgcoder_offer>.size))
      #expect(fakes_negotiate(exported.table, session.reader, &request, &memory) == 0)
      #expect(
        field(memory, at: offset(of: \imgcoder_offer.width), as: UInt32.self) == UInt32(width), "\(claimed) bytes")
      let found = field(memory, at: offset(of: \imgcoder_offer.pixel_format), as: UInt32.self)
      #expect(found == format.rawValue, "\(claimed) bytes")
    }
  }

  @Test func takesLimitsThatAHostDoesNotStateForZero() throws {
    let shorter = Session(limits: Session.limits(claiming: 16))
    var memory = try shorter.info(claiming: MemoryLayout<imgcoder_info>.size)
    // What the header shows of the limits: maxSide, maxFrames and maxMemory.
    #expect(field(memory, at: offset(of: \imgcoder_info.width), as: UInt32.self) == 20)
    #expect(field(memory, at: offset(of: \imgcoder_info.height), as: UInt32.self) == 1)
    #expect(field(memory, at: offset(of: \imgcoder_info.gamma), as: Double.self) == 0.5)
    memory = try Session().info(claiming: MemoryLayout<imgcoder_info>.size)
    #expect(field(memory, at: offset(of: \imgcoder_info.height), as: UInt32.self) == 40)
    #expect(field(memory, at: offset(of: \imgcoder_info.gamma), as: Double.self) == 3_000.5)
  }

  @Test func takesOptionsThatAHostDoesNotStateForZero() throws {
    let progressive: UInt32 = 128
    let flags = offset(of: \imgcoder_info.flags)
    let shorter = try Session(options: fakes_poisoned(4)).info(claiming: 88)
    #expect(field(shorter, at: flags, as: UInt32.self) & progressive == 0)
    var known = imgcoder_open_options()
    (known.struct_size, known.flags) = (8, 1)
    let stated = try Session(options: fakes_holding(8, &known, 8)).info(claiming: 88)
    #expect(field(stated, at: flags, as: UInt32.self) & progressive != 0)
    // A later host's options are longer, and their known part counts.
    let size = UInt32(MemoryLayout<imgcoder_open_options>.size)
    let longer = try Session(options: fakes_holding(200, &known, size)).info(claiming: 88)
    #expect(field(longer, at: flags, as: UInt32.self) & progressive != 0)
  }

  @Test func takesValuesThatAHostHasAndChecksThem() throws {
    let place = offset(of: \imgcoder_info.resolution)
    let whole = UInt32(MemoryLayout<imgcoder_open_options>.size)
    func session(_ level: OptionValue, claiming size: UInt32) -> Session {
      OpenOptions(.headerOnly, values: ["level": level]).withRaw(exported.readOptions) { raw in
        var known = raw.pointee
        return Session(options: fakes_holding(size, &known, size))
      }
    }
    func resolution(_ session: Session) throws -> Double {
      field(try session.info(claiming: MemoryLayout<imgcoder_info>.size), at: place, as: Double.self)
    }
    #expect(try resolution(session(7, claiming: whole)) == 7)
    // One of version 1.0 has none.
    #expect(try resolution(session(7, claiming: 8)) == 0)
    let refused = session(10, claiming: whole)
    #expect(refused.status == CoderError.Code.invalidArgument.rawValue && refused.reader == nil)
  }

  @Test func takesWriteOptionsThatAHostDoesNotStateForZero() throws {
    var known = imgcoder_write_options()
    known.flags = 1
    let whole = UInt32(MemoryLayout<imgcoder_write_options>.size)
    for (claimed, says) in [
      (4, "lossless false values 0"), (offset(of: \imgcoder_write_options.format), "lossless true values 0"),
    ] {
      let session = Session()
      var options = fakes_holding(UInt32(claimed), &known, whole)
      if claimed == 4 { options = fakes_poisoned(4) }
      var writer: OpaquePointer?
      #expect(
        fakes_open_writer(exported.table, session.host, &options, &writer) == CoderError.Code.unsupported.rawValue)
      let message = withUnsafeBytes(of: session.host.pointee.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      #expect(message.contains(says), "\(message)")
    }
  }

  @Test func failuresTellTheHostWhy() {
    let session = Session(bytes: 0)
    #expect(session.status == CoderError.Code.truncated.rawValue)
    #expect(session.host.pointee.status == session.status)
    #expect(session.host.pointee.offset == 0)
  }

  @Test func describesItselfInStructsOfItsOwnSize() {
    let coder = exported.table.pointee
    #expect(coder.struct_size == UInt32(MemoryLayout<imgcoder_coder>.size))
    #expect(coder.reader.pointee.struct_size == UInt32(MemoryLayout<imgcoder_reader_table>.size))
    #expect(coder.writer.pointee.struct_size == UInt32(MemoryLayout<imgcoder_writer_table>.size))
    #expect(coder.option_count == 1)
    #expect(String(coder.id) == "org.example.exported")
  }
}
