import AsyncLocation
import GPSDReports

/// Decoders and arrays that all connections to gpsd on a transport use in turn.
///
// SAFETY: sessions pass it on; only the transport's thread uses its contents.
final class GPSDWorkspace: @unchecked Sendable {
  // Dynamic exclusivity checks are disabled: one thread reads, and no callback reads another chunk.
  @safe @exclusivity(unchecked) var decoder = ReportDecoder()
  /// For connections that deliver complete reports, with their unknown members.
  @safe @exclusivity(unchecked) var wholeDecoder = ReportDecoder(keepsUnknownMembers: true)
  private var spareEvents: [BackendEvent] = []

  /// Returns an empty array, with reserved memory unless that memory is in use.
  func takeEvents() -> [BackendEvent] {
    var events: [BackendEvent] = []
    swap(&events, &spareEvents)
    return events
  }

  /// Removes the array's elements and keeps its memory for reuse.
  func recycle(_ events: inout [BackendEvent]) {
    events.removeAll(keepingCapacity: true)
    if events.capacity > spareEvents.capacity { swap(&events, &spareEvents) }
    events = []
  }
}
