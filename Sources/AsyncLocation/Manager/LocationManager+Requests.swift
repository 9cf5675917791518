extension LocationManager {
  /// Asks for permission while the application is in use.
  ///
  /// Asks the backend's policy only when nothing is determined yet; else returns what holds.
  /// Concurrent calls share one question and its answer.
  ///
  /// - Returns: What holds then, whether or not it was granted.
  /// - Throws: `CancellationError` when the caller's task is cancelled, which leaves the question
  ///   and other callers alone; ``LocationError`` with ``LocationError/Code/shutDown``.
  public func requestWhenInUseAuthorization() async throws -> Authorization {
    try await hub.authorization(for: .permission(.whenInUse))
  }

  /// Asks for permission always.
  ///
  /// Asks the backend's policy when nothing is determined yet, and once more from when-in-use;
  /// else returns what holds. Asked while when-in-use is being asked, it is asked next. Declining the
  /// step from when-in-use keeps when-in-use.
  ///
  /// - Returns: What holds then, whether or not it was granted.
  /// - Throws: As ``requestWhenInUseAuthorization()`` does.
  public func requestAlwaysAuthorization() async throws -> Authorization {
    try await hub.authorization(for: .permission(.always))
  }

  /// Asks for full accuracy where it is reduced, for a purpose that the policy knows. It holds for
  /// as long as the policy says, or until permission changes.
  ///
  /// Returns at once when accuracy is full already. Concurrent calls for one purpose share one
  /// question; those for another are asked next, unless the first is granted.
  ///
  /// - Parameter purposeKey: 1...255 bytes without control characters.
  /// - Returns: What holds then.
  /// - Throws: ``LocationError`` with ``LocationError/Code/promptDeclined`` when it is declined, or
  ///   when permission for locations does not hold; ``LocationError/Code/invalidValue`` for a purpose
  ///   out of its bounds; ``LocationError/Code/shutDown``. `CancellationError` when the caller's task
  ///   is cancelled, which leaves the question and other callers alone.
  public func requestTemporaryFullAccuracyAuthorization(
    purposeKey: String
  ) async throws -> Authorization {
    guard Question.isPurpose(purposeKey) else {
      throw LocationError(
        .invalidValue, "A purpose key is 1 to 255 bytes of text without control characters.")
    }
    return try await hub.authorization(for: .fullAccuracy(purposeKey: purposeKey))
  }

  /// Waits for one new location of whatever accuracy, for at most a minute.
  ///
  /// - Throws: As ``currentLocation(desiredAccuracy:maximumAge:timeout:)`` does.
  public func currentLocation() async throws -> Location {
    try await currentLocation(desiredAccuracy: .best)
  }

  /// Waits for one location.
  ///
  /// Joins what is running, or runs the backend for as long as it takes. Asks for when-in-use
  /// permission if nobody has, unless the configuration says not to.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: What is waited for. At the deadline the best of the less accurate
  ///     locations is returned, when there was one.
  ///   - maximumAge: How old a known location may be to serve at once. Nil waits for a new one.
  ///   - timeout: How long to wait, permission included. A cold receiver can need minutes. Zero
  ///     waits for nothing: only what is known now is returned, of any age if `maximumAge` is nil.
  /// - Throws: ``LocationError`` with ``LocationError/Code/timedOut`` when there was no location by
  ///   then, its cause being what permission waits for or what is wrong with the source; ``LocationError/Code/denied`` or
  ///   ``LocationError/Code/restricted`` when permission is refused or withdrawn;
  ///   ``LocationError/Code/locationServicesDisabled`` when location services are off;
  ///   ``LocationError/Code/shutDown``; what the backend failed with for good. `CancellationError`
  ///   when the caller's task is cancelled, which touches no other caller.
  public func currentLocation(
    desiredAccuracy: DesiredAccuracy = .best, maximumAge: Duration? = nil,
    timeout: Duration = .seconds(60)
  ) async throws -> Location {
    try await hub.location(accuracy: desiredAccuracy, maximumAge: maximumAge, timeout: timeout)
  }
}
