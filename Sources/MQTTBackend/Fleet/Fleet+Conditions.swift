public import AsyncLocation
public import LocationFleet

extension Fleet {
  /// Adds a condition, or replaces the one with its identifier. One that equals it changes nothing. Events of a replaced one that wait to be read are still delivered;
  /// ``/LocationFleet/FleetEvent/revision`` distinguishes them.
  ///
  /// Changes arrive in ``events``. A condition is unknown to a device until the device's next
  /// location; that a device does not meet it then is not reported. Time conditions are judged by
  /// the times of a device's locations, so locations that it stored while it was offline count as
  /// if they had arrived in time.
  ///
  /// With a storage, conditions and their states go on after a restart, so adding them again changes
  /// nothing. Without one, they are kept in memory.
  ///
  /// - Parameters:
  ///   - condition: The condition, which is stored once for all devices. After its
  ///     ``/AsyncLocation/Condition/expiry`` it is removed.
  ///   - identifier: 1...1,024 bytes without NUL.
  ///   - audience: The devices that the condition is for. If only the audience differs from that of a
  ///     condition that there is, it goes on for the devices in both. If devices are added, those outside
  ///     are unknown until their next location.
  /// - Returns: The revision of the condition, which its events have.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for another identifier, and with
  ///   ``/AsyncLocation/LocationError/Code/unsupported`` for a beacon.
  @discardableResult
  public func add(
    _ condition: Condition, identifier: String, for audience: FleetCondition.Audience = .all
  ) throws(LocationError) -> UInt32 {
    try hub.changeConditions { state throws(LocationError) in
      try state.add(
        FleetCondition(identifier: identifier, condition: condition, audience: audience))
    }
  }

  /// Lets the conditions be those of a list, such as a file that has changed. Conditions that are in it
  /// already stay as they are, with their states.
  ///
  /// - Parameter conditions: All conditions, with distinct identifiers.
  /// - Returns: What is different.
  /// - Throws: As ``add(_:identifier:for:)`` does, also for an identifier that is there twice. Nothing is
  ///   changed then.
  @discardableResult
  public func replaceConditions(
    with conditions: [FleetCondition]
  ) throws(LocationError) -> FleetConditionDifference {
    try hub.changeConditions { state throws(LocationError) in
      try state.replaceConditions(with: conditions)
    }
  }

  /// Removes a condition. No change is reported.
  ///
  /// - Returns: The condition; nil if there is none.
  @discardableResult
  public func remove(_ identifier: String) -> Condition? {
    hub.changeConditions { $0.remove(identifier) }
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
