extension LocationManager {
  /// Requests when-in-use permission.
  ///
  /// Asks the backend's policy only while permission is not determined; otherwise returns the
  /// current authorization. Concurrent calls share one question and its answer.
  ///
  /// - Returns: The resulting authorization, whether or not permission was granted.
  /// - Throws: `CancellationError` when the caller's task is cancelled, which does not affect the
  ///   question or other callers; ``LocationError`` with ``LocationError/Code/shutDown``.
  public func requestWhenInUseAuthorization() async throws -> Authorization {
    try await hub.call(.requestWhenInUseAuthorization) {
      try await hub.authorization(for: .permission(.whenInUse))
    }
  }

  /// Requests always permission.
  ///
  /// Asks the backend's policy while permission is not determined, and once more while when-in-use
  /// is granted; otherwise returns the current authorization. If a when-in-use question is open,
  /// this question follows it. If the policy declines to raise when-in-use to always, when-in-use
  /// stays granted.
  ///
  /// - Returns: The resulting authorization, whether or not permission was granted.
  /// - Throws: As ``requestWhenInUseAuthorization()`` does.
  public func requestAlwaysAuthorization() async throws -> Authorization {
    try await hub.call(.requestAlwaysAuthorization) {
      try await hub.authorization(for: .permission(.always))
    }
  }

  /// Requests full accuracy while it is reduced, for a purpose that the policy defines. Full
  /// accuracy lasts for the duration that the policy returns, or until permission changes.
  ///
  /// Returns immediately when accuracy is already full. Concurrent calls for one purpose share one
  /// question. Requests for another purpose are made afterwards, unless the first is granted.
  ///
  /// - Parameter purposeKey: 1...255 bytes without control characters.
  /// - Returns: The resulting authorization.
  /// - Throws: ``LocationError`` with ``LocationError/Code/promptDeclined`` when the request is
  ///   declined or there is no permission for locations; ``LocationError/Code/invalidValue`` for a
  ///   purpose key that is out of bounds; ``LocationError/Code/shutDown``. `CancellationError` when
  ///   the caller's task is cancelled, which does not affect the question or other callers.
  public func requestTemporaryFullAccuracyAuthorization(
    purposeKey: String
  ) async throws -> Authorization {
    try await hub.call(.requestTemporaryFullAccuracyAuthorization) {
      guard Question.isPurpose(purposeKey) else {
        throw LocationError(
          .invalidValue, "A purpose key must have 1 to 255 bytes and no control characters.")
      }
      return try await hub.authorization(for: .fullAccuracy(purposeKey: purposeKey))
    }
  }

  /// Waits for one new location of any accuracy, for at most 60 seconds.
  ///
  /// - Throws: As ``currentLocation(desiredAccuracy:maximumAge:timeout:)`` does.
  public nonisolated func currentLocation() async throws -> Location {
    try await currentLocation(desiredAccuracy: .best)
  }

  /// Waits for one location.
  ///
  /// Uses the running backend, or runs the backend until the call is answered. Requests when-in-use
  /// permission if it is not determined, unless the configuration disables implicit requests.
  ///
  /// Permission is checked when the caller resumes: an answer is not returned if permission was
  /// withdrawn or accuracy was reduced while the answer waited for the caller's actor.
  ///
  /// - Parameters:
  ///   - desiredAccuracy: The accuracy to wait for. At the deadline the most accurate location so
  ///     far is returned, if there is one.
  ///   - maximumAge: The maximum age of a known location that is returned at once. Nil waits for a
  ///     new location.
  ///   - timeout: The maximum wait, including the wait for permission. A cold receiver can need
  ///     minutes. Zero does not wait: only a known location is returned, of any age if `maximumAge`
  ///     is nil.
  /// - Throws: ``LocationError`` with ``LocationError/Code/timedOut`` when no location arrived in
  ///   time; its cause is the missing permission or the problem of the source.
  ///   ``LocationError/Code/denied`` or ``LocationError/Code/restricted`` when permission is
  ///   refused or withdrawn; ``LocationError/Code/locationServicesDisabled`` when location services
  ///   are off; ``LocationError/Code/locationUnknown`` when the source ends without an error;
  ///   ``LocationError/Code/shutDown``; the backend's error when it fails permanently.
  ///   `CancellationError` when the caller's task is cancelled, which does not affect other
  ///   callers.
  public nonisolated func currentLocation(
    desiredAccuracy: DesiredAccuracy = .best, maximumAge: Duration? = nil,
    timeout: Duration = .seconds(60)
  ) async throws -> Location {
    try await hub.location(
      accuracy: desiredAccuracy, maximumAge: maximumAge, timeout: timeout, for: .currentLocation)
  }

  /// Waits for one location as ``currentLocation(desiredAccuracy:maximumAge:timeout:)`` does, with
  /// a typed error. Returns nil if the caller's task is cancelled, as a loop over ``updates(_:)``
  /// then ends without an error.
  ///
  /// - Throws: As ``currentLocation(desiredAccuracy:maximumAge:timeout:)`` does, but no
  ///   `CancellationError`.
  public nonisolated func nextLocation(
    desiredAccuracy: DesiredAccuracy = .best, maximumAge: Duration? = nil,
    timeout: Duration = .seconds(60)
  ) async throws(LocationError) -> Location? {
    do {
      return try await hub.location(
        accuracy: desiredAccuracy, maximumAge: maximumAge, timeout: timeout, for: .nextLocation)
    } catch let error as LocationError {
      throw error
    } catch {
      return nil  // Cancelled: a call has no other errors.
    }
  }
}
