import AsyncLocation

/// Decides which changes of the connection, the source in force, the fix, the accuracy and the
/// permission to print; each is printed once. Pure.
struct ConnectionMessages: Sendable {
  /// The message for locations of reduced accuracy.
  static let reducedAccuracy =
    "accuracy is reduced by the authorization policy: locations are centers of a coarse grid"

  private var phase: ConnectionState.Phase?
  private var problem: LocationError?
  private var lacksFix = false
  private var isReduced = false
  /// Nil before permission was granted.
  private var isPermitted: Bool?
  private let namesSource: Bool
  private var source: String?

  /// - Parameter namesSource: Whether to print which of several sources is in force.
  init(namesSource: Bool = false) { self.namesSource = namesSource }

  /// The message to print; nil when it was already printed, such as for repeated attempts that fail
  /// for the same reason.
  mutating func nextMessage(for state: ConnectionState) -> String? {
    Self.joined(nextPhaseMessage(for: state), nextSourceMessage(for: state))
  }

  private mutating func nextSourceMessage(for state: ConnectionState) -> String? {
    guard namesSource, let next = state.sourceInForce, exchange(&source, with: next) != next
    else { return nil }
    return "locations are from \(next)"
  }

  private mutating func nextPhaseMessage(for state: ConnectionState) -> String? {
    switch state.phase {
    // A command ends with the error of a failure, and prints it then.
    case .idle, .connecting, .failed: return nil
    case .connected, .waiting: break
    @unknown default: return nil
    }
    // While connected, a problem is a warning of the source, which may often end and return:
    // neither its end nor its return is printed.
    guard state.phase != phase || (state.problem != nil && state.problem != problem) else {
      return nil
    }
    (phase, problem) = (state.phase, state.problem)
    let reason = state.problem.map(Reason.text)
    guard state.phase == .connected else {
      return "not connected, trying again" + (reason.map { ": " + $0 } ?? "")
    }
    return reason ?? "connected" + (state.endpoint.map { " to " + $0 } ?? "")
  }

  /// The message for an update when the accuracy changes, or the fix is lost or returns.
  mutating func nextMessage(for update: LocationUpdate) -> String? {
    let isReduced = update.diagnostics.contains(.accuracyLimited)
    // An update with neither a location nor this diagnostic does not show the accuracy: permission
    // may be missing.
    let accuracy =
      isReduced || update.location != nil ? nextAccuracyMessage(isReduced: isReduced) : nil
    return Self.joined(accuracy, nextFixMessage(of: update))
  }

  /// The message when permission is withdrawn or returns, or the accuracy changes. For commands
  /// that receive no ``LocationUpdate``.
  mutating func nextMessage(for authorization: Authorization) -> String? {
    let permission = nextPermissionMessage(of: authorization)
    guard authorization.isAuthorized else { return permission }
    return Self.joined(
      permission, nextAccuracyMessage(isReduced: authorization.accuracy == .reduced))
  }

  /// The message when permission is withdrawn or returns; nil for a refusal at the start, which
  /// ends the command with its reason.
  mutating func nextPermissionMessage(of authorization: Authorization) -> String? {
    if authorization.isAuthorized {
      return exchange(&isPermitted, with: true) == false ? "permission is granted again" : nil
    }
    guard authorization.status.refuses, isPermitted == true else { return nil }
    isPermitted = false
    let change =
      authorization.locationServicesEnabled
      ? "permission was withdrawn" : "location services are switched off"
    return change + (authorization.reason.map { ": " + String(printable: $0, limit: 512) } ?? "")
  }

  private mutating func nextAccuracyMessage(isReduced: Bool) -> String? {
    guard exchange(&self.isReduced, with: isReduced) != isReduced else { return nil }
    return isReduced ? Self.reducedAccuracy : "accuracy is full again"
  }

  private mutating func nextFixMessage(of update: LocationUpdate) -> String? {
    let lacks = update.location == nil
    // A missing receiver is reported with the connection; it states nothing about the fix.
    if lacks,
      !update.diagnostics.contains(.locationUnavailable)
        || update.diagnostics.contains(.deviceUnknown)
    {
      return nil
    }
    guard phase == .connected, lacks != lacksFix else { return nil }
    lacksFix = lacks
    return lacks ? "the receiver has no fix at the moment" : "the receiver has a fix again"
  }

  private static func joined(_ messages: String?...) -> String? {
    let known = messages.compactMap(\.self)
    return known.isEmpty ? nil : known.joined(separator: "; ")
  }
}
