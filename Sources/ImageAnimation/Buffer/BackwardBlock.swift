// SPDX-License-Identifier: Apache-2.0

/// The frames that are decoded together when an animation is played backwards.
///
/// A frame that depends on others is drawn from the earliest of them on. Going back frame by frame would draw these again for
/// each. A source that keeps canvases sees to that itself; if all frames are going to be kept, none is skipped on the way; of
/// other sources, as many frames as there is memory for are decoded forwards and kept, and then shown backwards. Those that
/// had to go again before they were shown are left out.
struct BackwardBlock {
  /// The first of them that is to be decoded, or nil when nobody goes backwards from here.
  let first: Int?

  /// - Parameter index: The frame that is needed.
  init(_ store: FrameStore, _ index: Int, _ players: [Int: BufferState.Player]) {
    var first: Int?
    for player in store.players.compactMap({ players[$0] }) {
      guard store.keepsAll || store.checkpointBytes == 0, !store.source.isKeyFrame(at: index),
        let place = player.wanted.firstIndex(of: index), player.wanted.dropFirst(place + 1).first == index - 1
      else { continue }
      var lowest: Int?
      if store.keepsAll, let start = (0...index).last(where: { store.source.isKeyFrame(at: $0) }) {
        lowest = (start...index).first { store.frames[$0] == nil && !player.begun.contains($0) }
      } else {
        // What is shown, and what is there for the time until then, needs room as well. A block that has been begun has its
        // first frames already.
        let ready = player.wanted[..<place].count { store.frames[$0] != nil }
        let room = store.cost > 0 ? store.share / store.cost - store.players.count - ready : .max
        let block = zip(player.wanted[place...].prefix(max(room, 1)), 0...).prefix {
          $0 == index - $1 && store.frames[$0] == nil && ($1 == 0 || !player.begun.contains($0))
        }
        lowest = block.last?.0
      }
      if let lowest, lowest < index { first = lowest }
    }
    self.first = first
  }
}
