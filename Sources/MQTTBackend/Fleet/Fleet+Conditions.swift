public import AsyncLocation
public import LocationFleet

extension Fleet {
  /// Adds a condition, or replaces the condition with the same identifier.
  ///
  /// An equal condition for the same audience changes nothing. Buffered events of a replaced
  /// condition are still delivered; ``/LocationFleet/FleetEvent/revision`` distinguishes them.
  ///
  /// Changes are delivered by ``events``. The state of a condition for a device is unknown until
  /// the device's next location; if the device does not meet the condition then, no event is
  /// delivered. Time conditions are evaluated with the times of a device's locations. So locations
  /// that the device stored while it was offline count as if they had arrived on time.
  ///
  /// With a storage, conditions and their states are restored after a restart, so adding them again
  /// changes nothing. Without a storage, they exist only in memory.
  ///
  /// - Parameters:
  ///   - condition: The condition, which is stored once for all devices. It is removed after its
  ///     ``/AsyncLocation/Condition/expiry``.
  ///   - identifier: 1...1,024 bytes without NUL.
  ///   - audience: The devices that the condition applies to. If only the audience of an existing
  ///     condition changes, devices in both audiences keep their states. If devices are added, the
  ///     states of all other devices are unknown until their next location.
  /// - Returns: The revision of the condition, as in its events.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for an invalid identifier or audience,
  ///   and with ``/AsyncLocation/LocationError/Code/unsupported`` for a beacon.
  @discardableResult
  public func add(
    _ condition: Condition, identifier: String, for audience: FleetCondition.Audience = .all
  ) throws(LocationError) -> UInt32 {
    try hub.changeConditions { state throws(LocationError) in
      try state.add(
        FleetCondition(identifier: identifier, condition: condition, audience: audience))
    }
  }

  /// Replaces all conditions with those of a list, such as a file that has changed. Conditions that
  /// are equal to existing ones keep their states.
  ///
  /// - Parameter conditions: All conditions, with distinct identifiers.
  /// - Returns: The differences.
  /// - Throws: As ``add(_:identifier:for:)`` does, and for an identifier that occurs twice. Nothing
  ///   is changed then.
  @discardableResult
  public func replaceConditions(
    with conditions: [FleetCondition]
  ) throws(LocationError) -> FleetConditionDifference {
    try hub.changeConditions { state throws(LocationError) in
      try state.replaceConditions(with: conditions)
    }
  }

  /// Removes a condition. No event is delivered.
  ///
  /// - Returns: The removed condition; nil if there is none with the identifier.
  @discardableResult
  public func remove(_ identifier: String) -> Condition? {
    hub.changeConditions { $0.remove(identifier) }
  }

  /// The condition with an identifier; nil if there is none.
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
