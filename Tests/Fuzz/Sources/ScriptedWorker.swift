// SPDX-License-Identifier: Apache-2.0

import CIsolation
import FuzzStructures
import Glibc
import ImageCoders

/// A worker and its server, all of whose messages lie in their sockets before the first question: the same for the same
/// bytes. After the last one both are gone.
final class ScriptedWorker {
  /// What the program gets, and closes.
  let connection: ConnectedWorker
  /// The worker's ends of its server's socket, its own, and of what it prints. They are open while the program sends,
  /// and what it sends is not read.
  private let ends: [Int32]
  /// Messages of the worker that come with its next one.
  private var held: [UInt8] = []

  /// Messages that are sent at most, so that all answers have room in the sockets.
  private static let most = 96
  private static let printed = Array("malloc(): invalid size\n\u{1B}[31m".utf8)

  /// - Returns: Nil if there are no sockets.
  init?(saying bytes: [UInt8], shared: Int32) {
    var pairs: [[Int32]] = []
    for _ in 0..<3 {
      var pair: [Int32] = [-1, -1]
      guard isolation_pair(&pair) == 1 else { break }
      pairs.append(pair)
    }
    guard pairs.count == 3 else {
      for end in pairs.joined() { close(end) }
      return nil
    }
    connection = ConnectedWorker(control: pairs[0][0], socket: pairs[1][0], errors: pairs[2][0], shared: shared)
    ends = pairs.map { $0[1] }
    var call: UInt32 = 0
    for part in ConversationStructure.parts(of: bytes).prefix(Self.most) { say(Array(bytes[part]), &call) }
    send(Self.printed, to: ends[2])
    for end in ends { shutdown(end, Int32(SHUT_WR)) }
  }

  deinit {
    for end in ends { close(end) }
  }

  /// Sends a message. A lie is one about its call, its length, or both; with the bit 4 it comes with the next one.
  private func say(_ part: [UInt8], _ call: inout UInt32) {
    let payload = part[ConversationStructure.headBytes...]
    let lies = UInt32(part[1])
    var message = isolation_message()
    message.kind = UInt32(part[0])
    message.call = lies & 1 == 0 ? call : call &+ lies
    message.length = UInt32(payload.count) &+ (lies & 2 == 0 ? 0 : lies)
    part.withUnsafeBytes { part in
      withUnsafeMutableBytes(of: &message.words) { $0.copyBytes(from: part[4..<24]) }
      withUnsafeMutableBytes(of: &message.longs) { $0.copyBytes(from: part[24..<56]) }
    }
    // Answers have the numbers of calls, one after the other.
    if message.kind == UInt32(ISOLATION_REPLY) { call &+= 1 }
    guard message.kind > UInt32(ISOLATION_EXITED) else { return send(Conversation.raw(message) + payload, to: ends[0]) }
    held += Conversation.raw(message) + payload
    guard lies & 4 == 0 else { return }
    send(held, to: ends[1])
    held = []
  }

  private func send(_ bytes: [UInt8], to end: Int32) {
    _ = Glibc.send(end, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
  }
}
