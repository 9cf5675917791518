/// Holds on to a level of permission, and tells what is missing from it.
///
/// A session asks for what it requires when it begins, and anew whenever nothing is determined any
/// more. It counts as use: permission for once lasts for as long as a session does. It starts no
/// receiver; streams and calls do that, and take such a session by themselves, for while in use,
/// unless the manager's configuration says not to.
///
/// ```swift
/// let session = ServiceSession(manager, authorization: .always)
/// for await missing in session.diagnostics where missing.contains(.authorizationDenied) {
///   print("Permission is refused.")
/// }
/// ```
///
/// Dropping the last reference ends the session, as ``invalidate()`` and
/// ``LocationManager/shutdown()`` do; a stream of its ``diagnostics`` is one. Until then a session
/// holds its manager's source open, also when the manager is gone.
public final class ServiceSession: Sendable {
  /// What is missing from a session.
  public typealias Diagnostics = LocationUpdate.Diagnostics

  /// A level of permission.
  public enum AuthorizationRequirement: Sendable, Hashable, CaseIterable {
    /// Whatever holds; asks for nothing.
    case none
    /// Permission while in use.
    case whenInUse
    /// Permission always.
    case always
  }

  /// The level that the session holds on to.
  public let requirement: AuthorizationRequirement
  /// The purpose for which it holds on to full accuracy.
  public let fullAccuracyPurposeKey: String?
  /// Nil once the session was invalidated: from then on it holds nothing open.
  private let lifetime: Locked<HubLifetime?>
  private let id: UInt64

  /// Begins a session.
  ///
  /// - Parameters:
  ///   - manager: Whose permission it is about. After its ``LocationManager/shutdown()`` the
  ///     session is over when it begins: it asks for nothing and its ``diagnostics`` are empty.
  ///   - requirement: What to ask for.
  ///   - fullAccuracyPurposeKey: Where accuracy is reduced, asks once for each grant for full
  ///     accuracy for this purpose, 1...255 bytes without control characters; any other is declined
  ///     unasked. nil does not ask.
  public init(
    _ manager: LocationManager, authorization requirement: AuthorizationRequirement = .whenInUse,
    fullAccuracyPurposeKey: String? = nil
  ) {
    self.requirement = requirement
    self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
    lifetime = Locked(manager.lifetime)
    let hub = manager.hub
    id = hub.newID()
    hub.decide { [id] in $0.openSession(id, requirement, purpose: fullAccuracyPurposeKey, &$1) }
  }

  deinit { invalidate() }

  /// Ends the session and, after what they hold, its streams. Calling it again does nothing.
  public func invalidate() {
    // Freed with no lock held: it may be the last that holds the source open.
    guard let lifetime = lifetime.withLock({ $0.take() }) else { return }
    lifetime.hub.decide { $0.endSession(id, &$1) }
  }

  /// What the session lacks: the present state first, then each change; empty when nothing is
  /// missing. Each access is a subscription of its own that keeps the newest 64 elements. It ends
  /// with the session, never throws, and cancelling the loop's task ends it.
  public var diagnostics: AsyncStream<Diagnostics> {
    let channel = BoundedChannel<Diagnostics>(.newest(64))
    guard let hub = lifetime.withLock({ $0?.hub }) else {
      channel.abandon()
      return Subscription(channel) {}.stream()
    }
    let (session, stream) = (id, hub.newID())
    hub.decide { $0.sessions.join(stream, channel, of: session, waking: &$1.wakes) }
    // Keeps the session: who iterates a stream of it does not use it again, and means to hold it.
    return Subscription(channel) { [self] in
      hub.decide { $0.sessions.leave(stream, of: session, waking: &$1.wakes) }
      withExtendedLifetime(self) {}
    }.stream()
  }
}
