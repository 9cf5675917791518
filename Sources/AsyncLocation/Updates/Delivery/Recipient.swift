/// A member of a subscriber table that receives elements through a channel.
protocol Recipient: Sendable {
  associatedtype Element: Sendable

  var channel: BoundedChannel<Element> { get }
}

extension BoundedChannel: Recipient {
  var channel: BoundedChannel { self }
}

// These methods do not use `visit`, which would copy the members while a delivery shares them.
extension SubscriberTable where Member: Recipient {
  /// The largest number of elements buffered for any member.
  var longestQueue: Int { members.reduce(0) { max($0, $1.channel.count) } }

  /// Appends elements to the channels of all members.
  func push(_ elements: [Member.Element], waking wakes: inout Wakes) -> Tally {
    var total = Tally()
    for member in members { total += member.channel.push(elements, waking: &wakes) }
    return total
  }

  /// Discards unread elements that permission no longer covers.
  func discardWithdrawn() -> Tally {
    var total = Tally()
    for member in members { total += member.channel.discardWithdrawn() }
    return total
  }

  /// Removes a member and ends its channel after its buffered elements. Returns false if there is
  /// none with that ID.
  @discardableResult
  mutating func end(_ id: UInt64, waking wakes: inout Wakes) -> Bool {
    guard let member = remove(id) else { return false }
    member.channel.finish(waking: &wakes)
    return true
  }

  /// Removes all members, ends their channels after their buffered elements, and returns their IDs.
  @discardableResult
  mutating func endAll(_ error: LocationError? = nil, waking wakes: inout Wakes) -> [UInt64] {
    let ids = ids
    for member in removeAll() { member.channel.finish(error, waking: &wakes) }
    return ids
  }
}
