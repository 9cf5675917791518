import AsyncLocation

/// Decides which changes of the connection, the fix and the accuracy to print; each is printed once.
/// Pure.
struct ConnectionMessages: Sendable {
  private var phase: ConnectionState.Phase?
  private var problem: LocationError?
  private var lacksFix = false
  private var isReduced = false

  /// The message to print; nil when it was already printed, such as for repeated attempts that fail
  /// for the same reason.
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
    default: return "failed" + (reason.map { ": " + $0 } ?? "")
    }
  }

  /// The message for an update when the accuracy changes, or the fix is lost or returns.
  mutating func take(_ update: LocationUpdate) -> String? {
    let isReduced = update.diagnostics.contains(.accuracyLimited)
    // Without either, permission may be missing.
    if isReduced != self.isReduced, isReduced || update.location != nil {
      self.isReduced = isReduced
      return isReduced
        ? "accuracy is reduced by the authorization policy: locations are centers of a coarse grid"
        : "accuracy is full again"
    }
    let lacks = update.location == nil && update.diagnostics.contains(.locationUnavailable)
    // A missing receiver is reported with the connection; it says nothing about the fix.
    guard update.location != nil || !update.diagnostics.contains(.deviceUnknown) else { return nil }
    guard phase == .connected, lacks != lacksFix else { return nil }
    lacksFix = lacks
    return lacks ? "the receiver has no fix at the moment" : "the receiver has a fix again"
  }
}
