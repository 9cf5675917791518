import AsyncLocation

/// Decides what is worth saying of a connection: what changed, once. Pure.
struct Commentary: Sendable {
  private var phase: ConnectionState.Phase?
  private var problem: LocationError?
  private var lacksFix = false

  /// What to say; nil when it was said, as during attempts that fail for one and the same reason.
  mutating func take(_ state: ConnectionState) -> String? {
    switch state.phase {
    case .idle, .connecting: return nil
    case .connected, .waiting, .failed: break
    @unknown default: return nil
    }
    // A problem that ends while connected was a complaint of the source, which often repeats it.
    guard state.phase != phase || (state.problem != nil && state.problem != problem) else {
      return nil
    }
    (phase, problem) = (state.phase, state.problem)
    let reason = state.problem.map(Reason.text)
    switch state.phase {
    case .connected: return reason ?? "connected" + (state.endpoint.map { " to " + $0 } ?? "")
    case .waiting: return "not connected, trying again" + (reason.map { ": " + $0 } ?? "")
    default: return "given up" + (reason.map { ": " + $0 } ?? "")
    }
  }

  /// What to say of an update: that a fix is missing, or is back.
  mutating func take(_ update: LocationUpdate) -> String? {
    let lacks = update.location == nil && update.diagnostics.contains(.locationUnavailable)
    // A receiver that somebody names and the source lacks says nothing of a fix.
    guard update.location != nil || update.diagnostics != .deviceUnknown else { return nil }
    guard phase == .connected, lacks != lacksFix else { return nil }
    lacksFix = lacks
    return lacks ? "the receiver has no fix at the moment" : "the receiver has a fix again"
  }
}
