// SPDX-License-Identifier: Apache-2.0

/// The frames that are decoded together when an animation is played backwards.
///
/// A frame that depends on others is drawn from the earliest of them on. Going back frame by frame would draw these again for
/// each; so as many frames as there is memory for are decoded forwards and kept, and then shown backwards.
struct BackwardBlock {
  /// The first of them that is not there, or nil when nobody goes backwards from here.
  let first: Int?

  /// - Parameter index: The frame that is needed.
  init(_ store: FrameStore, _ index: Int, _ players: [Int: BufferState.Player]) {
    var first: Int?
    // What is shown, and the frame in front of the block, need room as well.
    let room = store.cost > 0 ? (store.share - store.canvasBytes) / store.cost - store.players.count : .max
    for player in store.players.compactMap({ players[$0] }) {
      guard !store.source.standsAlone(at: index), let place = player.wanted.firstIndex(of: index) else { continue }
      let following = player.wanted[place...].prefix(max(room, 1))
      let block = zip(following, 0...).prefix { $0 == index - $1 }.map(\.0)
      guard block.count > 1, let lowest = block.last(where: { store.frames[$0] == nil }), lowest < index else {
        continue
      }
      first = lowest
    }
    self.first = first
  }
}
