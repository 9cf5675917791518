public import AsyncLocation

/// Operations with which a test acts as the source and the policy, as with a
/// ``MockBackend/MockBackend``.
extension FailingBackend {
  /// Ends the run with an error; see ``MockBackend/MockBackend/fail(_:)``.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func fail(_ error: LocationError) throws(LocationError) { try source.fail(error) }

  /// Ends the run normally; see ``MockBackend/MockBackend/end()``.
  ///
  /// - Throws: As ``emit(_:)-(BackendEvent...)`` does.
  public func end() throws(LocationError) { try source.end() }

  /// Grants, denies or revokes permission without a request; see
  /// ``MockBackend/MockBackend/setAuthorization(_:)``.
  public func setAuthorization(_ decision: AuthorizationDecision) {
    source.setAuthorization(decision)
  }

  /// Enables or disables location services for all clients.
  public func setLocationServices(enabled: Bool) { source.setLocationServices(enabled: enabled) }

  /// The pending requests for permission, of endpoints that are supplied with ``Supply/later``,
  /// oldest first.
  public var pendingAuthorizationRequests: [AuthorizationRequest] {
    source.pendingAuthorizationRequests
  }

  /// Answers the oldest pending request of a kind, or of any kind.
  ///
  /// - Returns: False when no request is pending.
  @discardableResult
  public func answerAuthorization(
    _ decision: AuthorizationDecision, to request: AuthorizationRequest? = nil
  ) -> Bool {
    source.answerAuthorization(decision, to: request)
  }

  /// The purpose keys of pending requests for full accuracy that are supplied with
  /// ``Supply/later``, oldest first.
  public var pendingFullAccuracyRequests: [String] { source.pendingFullAccuracyRequests }

  /// Answers the oldest pending request for full accuracy with the duration of the grant, or nil to
  /// decline.
  ///
  /// - Returns: False when no request is pending.
  @discardableResult
  public func answerFullAccuracy(_ duration: Duration?) -> Bool {
    source.answerFullAccuracy(duration)
  }

  /// Waits until an uncancelled run is in progress, or until the calling task is cancelled. Runs of
  /// the closure `run` do not count.
  public func waitUntilRunning() async { await source.waitUntilRunning() }

  /// Waits until at least `count` tasks read streams of an endpoint, or until the calling task is
  /// cancelled; see ``MockBackend/MockBackend/waitForReaders(of:count:)``.
  public func waitForReaders(of endpoint: LocationManager.Endpoint, count: Int = 1) async {
    await source.waitForReaders(of: endpoint, count: count)
  }
}
