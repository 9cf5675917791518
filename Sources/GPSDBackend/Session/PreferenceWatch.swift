import AsyncLocation
import GPSDReports

/// Adds the preferred receiver to connection states and detects its changes.
struct PreferenceWatch: Sendable {
  /// The last connection state.
  private var state: ConnectionState?
  /// The preferred receiver when the state was last reported.
  private(set) var seen: ReceiverSelection.ID?

  /// Stores a connection state and returns it with the preferred receiver.
  mutating func state(
    _ reported: ConnectionState, _ assembler: borrowing EventAssembler
  ) -> ConnectionState {
    state = reported
    seen = assembler.preferred
    return reported.preferring(assembler.preferredReceiver)
  }

  /// Returns the last state with the new preferred receiver if gpsd is connected and the receiver
  /// has changed since it was last reported; otherwise nil.
  @inline(__always)
  mutating func change(_ assembler: borrowing EventAssembler) -> ConnectionState? {
    guard assembler.preferred != seen else { return nil }
    seen = assembler.preferred
    guard let state, state.phase == .connected else { return nil }
    return state.preferring(assembler.preferredReceiver)
  }
}
