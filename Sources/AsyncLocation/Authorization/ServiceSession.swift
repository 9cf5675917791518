/// Maintains a level of permission and reports missing requirements.
///
/// A session requests its level when it begins, and again whenever the status returns to not
/// determined. It counts as demand: while it is open, one-time permission does not lapse for lack
/// of demand. A session does not start the receiver. Streams and calls do, and they request
/// when-in-use permission themselves unless the manager's configuration disables that.
///
/// ```swift
/// let session = ServiceSession(manager, authorization: .always)
/// for await missing in session.diagnostics where missing.contains(.authorizationDenied) {
///   print("Permission is refused.")
/// }
/// ```
///
/// Releasing the last reference ends the session, as do ``invalidate()`` and
/// ``LocationManager/shutdown()``. A stream of its ``diagnostics`` counts as a reference. Until
/// the session ends, it keeps its manager's source open, even after the manager is released.
public final class ServiceSession: Sendable {
  /// The reasons why a session's requirement is not met.
  public typealias Diagnostics = LocationUpdate.Diagnostics

  /// A level of permission that a session can require.
  public enum AuthorizationRequirement: Sendable, Hashable, CaseIterable {
    /// No requirement; requests nothing.
    case none
    /// When-in-use permission.
    case whenInUse
    /// Always permission.
    case always
  }

  /// The level that the session requires.
  public let requirement: AuthorizationRequirement
  /// The purpose for which the session requests full accuracy.
  public let fullAccuracyPurposeKey: String?
  /// Keeps the manager's source open; nil once the session is invalidated.
  private let lifetime: Locked<HubLifetime?>
  private let id: UInt64

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - manager: The manager whose permission is requested. After its
  ///     ``LocationManager/shutdown()`` a new session has already ended: it requests nothing and
  ///     its ``diagnostics`` are empty.
  ///   - requirement: The level to request.
  ///   - fullAccuracyPurposeKey: The purpose for which full accuracy is requested while accuracy is
  ///     reduced, once per grant. 1...255 bytes without control characters; any other key is
  ///     declined without calling the policy. Nil requests no full accuracy.
  public init(
    _ manager: LocationManager, authorization requirement: AuthorizationRequirement = .whenInUse,
    fullAccuracyPurposeKey: String? = nil
  ) {
    self.requirement = requirement
    self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
    let hub = manager.hub
    id = hub.newID()
    guard hub.use(.serviceSession) == nil else {
      lifetime = Locked(nil)
      return
    }
    lifetime = Locked(manager.lifetime)
    hub.decide { [id] in $0.openSession(id, requirement, purpose: fullAccuracyPurposeKey, &$1) }
  }

  deinit { invalidate() }

  /// Ends the session, and its streams after their buffered elements. Further calls do nothing.
  public func invalidate() {
    // Released outside the lock: this may be the last reference that keeps the source open.
    guard let lifetime = lifetime.withLock({ $0.take() }) else { return }
    lifetime.hub.decide { $0.endSession(id, &$1) }
  }

  /// The missing requirements of the session: the current ones first, then each change. An element
  /// is empty when no requirement is missing. Each access creates a new subscription that buffers
  /// the newest 64 elements. The subscription ends with the session or when the loop's task is
  /// cancelled, and never throws.
  public var diagnostics: AsyncStream<Diagnostics> {
    let channel = BoundedChannel<Diagnostics>(.newest(64))
    guard let hub = lifetime.withLock({ $0?.hub }) else {
      channel.abandon()
      return Subscription(channel) {}.stream()
    }
    let probe = hub.activity?.openStream(.serviceSession)
    if let probe { channel.observe(probe) }
    let (session, stream) = (id, hub.newID())
    hub.decide { $0.sessions.join(stream, channel, of: session, waking: &$1.wakes) }
    // The stream retains the session: a caller that only iterates the stream holds no other
    // reference.
    return Subscription(channel, probe) { [self] in
      hub.decide { $0.sessions.leave(stream, of: session, waking: &$1.wakes) }
      withExtendedLifetime(self) {}
    }.stream()
  }
}
