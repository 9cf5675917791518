import AsyncLocation

/// The subscribers of one stream.
struct Subscribers<Element: Sendable>: Sendable {
  typealias ID = UInt64

  private var channels: [(id: ID, channel: BoundedChannel<Element>)] = []
  private var lastID: ID = 0

  var isEmpty: Bool { channels.isEmpty }
  var count: Int { channels.count }

  mutating func join(_ channel: BoundedChannel<Element>) -> ID {
    lastID += 1
    channels.append((lastID, channel))
    return lastID
  }

  /// Removes a subscriber and ends its channel. The subscriber can still read its buffered
  /// elements.
  mutating func leave(_ id: ID, waking wakes: inout Wakes) {
    // The channels are sorted by ID.
    let index = channels.indices.partition { channels[$0].id >= id }
    guard index < channels.count, channels[index].id == id else { return }
    channels.remove(at: index).channel.finish(waking: &wakes)
  }

  /// Delivers elements, in one array that all subscribers share.
  func push(_ elements: [Element], waking wakes: inout Wakes) {
    guard !elements.isEmpty else { return }
    for (_, channel) in channels { _ = channel.push(elements, waking: &wakes) }
  }

  /// Ends all channels after their buffered elements.
  mutating func finish(_ error: LocationError?, waking wakes: inout Wakes) {
    for (_, channel) in channels { channel.finish(error, waking: &wakes) }
    channels = []
  }
}
