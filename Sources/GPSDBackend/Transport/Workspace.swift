import AsyncLocation

/// Memory that all connections of a transport use in turn, so that none keeps its own. Touched on the
/// transport's thread alone.
package final class Workspace {
  // Not checked at every access: one thread reads, and calls nobody back who would read another chunk.
  @exclusivity(unchecked) var decoder = ReportDecoder()
  /// Of the connections whose reports are kept.
  @exclusivity(unchecked) var wholeDecoder = ReportDecoder(keepsUnknownMembers: true)
  private var spareEvents: [BackendEvent] = []

  package init() {}

  /// An empty array, with memory unless somebody else has that at the moment.
  func takeEvents() -> [BackendEvent] {
    var events: [BackendEvent] = []
    swap(&events, &spareEvents)
    return events
  }

  /// Takes an array's memory back, and what is in it away.
  func takeBack(_ events: inout [BackendEvent]) {
    events.removeAll(keepingCapacity: true)
    if events.capacity > spareEvents.capacity { swap(&events, &spareEvents) }
    events = []
  }
}
