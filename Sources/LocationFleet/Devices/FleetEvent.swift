public import AsyncLocation

/// A change of a condition for one device of a fleet.
public struct FleetEvent: Sendable, Hashable {
  /// The device.
  public let device: FleetDevice.ID
  /// The condition's identifier.
  public let identifier: String
  /// The state before: unknown, satisfied or unsatisfied.
  public let previousState: Monitor.State
  /// The new state: satisfied or unsatisfied.
  public let state: Monitor.State
  /// The location that caused the change.
  public let location: Location
  /// Whether the location came from a message that the broker had retained. The change may then
  /// have happened long ago.
  public let isRetained: Bool
  /// The condition's revision, as `Fleet.add` returned it. A buffered event may belong to a
  /// condition that was replaced since.
  public let revision: UInt32
  /// The number of the event in the fleet's storage, in increasing order; 0 without a storage.
  public let number: UInt64
  /// Whether a consumer may have received the event before, for example in a process that was
  /// killed.
  public let isRepeated: Bool

  /// Creates an event, for tests.
  public init(
    device: FleetDevice.ID, identifier: String, previousState: Monitor.State,
    state: Monitor.State, location: Location, isRetained: Bool = false, revision: UInt32 = 0,
    number: UInt64 = 0, isRepeated: Bool = false
  ) {
    (self.device, self.identifier) = (device, identifier)
    (self.previousState, self.state) = (previousState, state)
    (self.location, self.isRetained, self.revision) = (location, isRetained, revision)
    (self.number, self.isRepeated) = (number, isRepeated)
  }

  /// A copy of this event with `isRepeated` set.
  package var repeated: Self {
    Self(
      device: device, identifier: identifier, previousState: previousState, state: state,
      location: location, isRetained: isRetained, revision: revision, number: number,
      isRepeated: true)
  }
}

extension FleetEvent: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("device", device), DescribedMember("identifier", identifier),
      DescribedMember("previousState", previousState), DescribedMember("state", state),
      DescribedMember("location", location),
      DescribedMember("isRetained", isRetained ? true : nil),
      DescribedMember("revision", revision),
      DescribedMember("number", number > 0 ? number : nil),
      DescribedMember("isRepeated", isRepeated ? true : nil),
    ]
  }
}
