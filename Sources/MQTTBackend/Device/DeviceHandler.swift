import AsyncLocation
import FoundationEssentials
import OwnTracks

/// Converts the messages of one device to backend events, on the thread of the transport.
final class DeviceHandler: BrokerHandler {
  private let emit: @Sendable ([BackendEvent]) -> Void
  private let source: SourceInformation
  private let futureTolerance: Duration
  private let now: () -> Date
  private var events: [BackendEvent] = []
  /// The time of the last location that was not dropped. Later locations must be newer.
  private var newest: Date?
  /// Whether the last will has arrived since the last location. The same location is then delivered
  /// once more, since the device publishes it again when it reconnects.
  private var isGone = false
  /// The arrival time of the first location that was dropped because it is older than `newest`.
  private var staleSince: Date?
  /// Whether a drop has been reported since the last location.
  private var hasReportedDrops = false

  /// - Parameter now: The host's wall clock.
  init(
    device: String, futureTolerance: Duration, now: @escaping () -> Date = { Date() },
    emit: @escaping @Sendable ([BackendEvent]) -> Void
  ) {
    self.emit = emit
    (self.futureTolerance, self.now) = (futureTolerance, now)
    source = SourceInformation(device: device)
  }

  func received(topic: Span<UInt8>, payload: Span<UInt8>, isRetained: Bool) {
    // An empty message removes the location that the broker retains.
    guard !payload.isEmpty else { return }
    switch LocationDecoder.decode(payload) {
    case .location(let location, let request):
      let isBack = isGone && !isRetained && location.timestamp == newest
      guard isBack || newest.map({ location.timestamp > $0 }) ?? true else {
        // A device that requests confirmations sends locations again, so they do not indicate a
        // wrong clock.
        if !isRetained, request == nil { dropStale(location) }
        return
      }
      let ahead = Duration.seconds(location.timestamp.timeIntervalSince(now()))
      guard ahead <= futureTolerance else {
        return reportDrop(.future(location, atMost: futureTolerance))
      }
      (newest, isGone, hasReportedDrops, staleSince) = (location.timestamp, false, false, nil)
      let source = source
      guard let named = try? location.with({ $0.sourceInformation = source }) else { return }
      events.append(.location(named))
    case .lastWill:
      isGone = true
      events.append(
        .unavailable(
          LocationError(.locationUnknown, "The device has no connection to the broker.")))
    case .malformed: reportDrop(.malformed)
    case .encrypted: reportDrop(.encrypted)
    case .other: break
    }
  }

  /// Drops a location that is not newer than the last one. A repeated location is not reported. If
  /// only older locations arrive for longer than the tolerance, the device's clock was probably set
  /// back, and the drop is reported.
  private func dropStale(_ location: Location) {
    guard let newest, location.timestamp < newest else { return }
    let start = staleSince ?? now()
    staleSince = start
    guard Duration.seconds(now().timeIntervalSince(start)) > futureTolerance else { return }
    reportDrop(.stale(location, after: newest))
  }

  private func reportDrop(_ error: LocationError) {
    guard !exchange(&hasReportedDrops, with: true) else { return }
    events.append(.unavailable(error))
  }

  func changed(_ state: ConnectionState) {
    events.append(.connection(state))
    flush()
  }

  func flush() {
    guard !events.isEmpty else { return }
    emit(events)
    events.removeAll(keepingCapacity: true)
  }

  func connected(_ channel: any BrokerChannel, resumesSession: Bool) {}
  func disconnected() { flush() }
  func acknowledged(_ publication: PublicationID, refusal: PublicationRefusal?) {}
}

extension LocationError {
  fileprivate static let malformed = Self(
    .locationUnknown,
    "A message of the device is dropped: it is not one of OwnTracks, or has values out of range. "
      + "Check what publishes to its topic.")

  fileprivate static var encrypted: Self {
    Self(
      .locationUnknown,
      "The messages of the device are encrypted; a Fleet decrypts them with the keys of its "
        + "FleetConfiguration.")
  }

  fileprivate static func stale(_ location: Location, after newest: Date) -> Self {
    Self(
      .locationUnknown,
      "The locations of the device are dropped: the time of the last, \(location.timestamp), is "
        + "before that of an earlier one, \(newest). Check the device's clock.")
  }

  fileprivate static func future(_ location: Location, atMost tolerance: Duration) -> Self {
    Self(
      .locationUnknown,
      "A location of the device is dropped: its time, \(location.timestamp), is more than "
        + "\(tolerance) in the future. Check the device's clock, and that of this machine.")
  }
}
