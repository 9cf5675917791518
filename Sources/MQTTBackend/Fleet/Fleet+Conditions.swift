public import AsyncLocation

extension Fleet {
  /// Adds a condition for all devices, or replaces the one with its identifier. One that equals it
  /// changes nothing. Events of a replaced one that wait to be read are still delivered;
  /// ``FleetEvent/revision`` distinguishes them.
  ///
  /// Changes arrive in ``events``. A condition is unknown to a device until the device's next
  /// location; that a device does not meet it then is not reported. Time conditions are judged by
  /// the times of a device's locations, so locations that it stored while it was offline count as
  /// if they had arrived in time. Conditions are kept in memory only.
  ///
  /// - Parameters:
  ///   - condition: The condition, which is stored once for all devices. After its
  ///     ``/AsyncLocation/Condition/expiry`` it is removed.
  ///   - identifier: 1...1,024 bytes without NUL.
  /// - Returns: The revision of the condition, which its events have.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for another identifier, and with
  ///   ``/AsyncLocation/LocationError/Code/unsupported`` for a beacon.
  @discardableResult
  public func add(
    _ condition: Condition, identifier: String
  ) throws(LocationError) -> UInt32 {
    try hub.withTracker { tracker throws(LocationError) in
      try tracker.add(condition, identifier: identifier)
    }
  }

  /// Removes a condition. No change is reported.
  ///
  /// - Returns: The condition; nil if there is none.
  @discardableResult
  public func remove(_ identifier: String) -> Condition? {
    hub.withTracker { $0.remove(identifier) }
  }

  /// The condition of an identifier; nil if there is none.
  public func condition(for identifier: String) -> Condition? {
    hub.withTracker { $0.condition(for: identifier) }
  }

  /// The number of conditions.
  public var conditionCount: Int { hub.withTracker { $0.count } }

  /// The identifiers of the conditions that a device meets, sorted.
  public func conditions(satisfiedBy device: FleetDevice.ID) -> [String] {
    hub.conditions(satisfiedBy: device)
  }
}
