public import AsyncLocation

/// A trip of one device of a fleet.
public struct FleetTrip: Sendable, Hashable {
  /// The device.
  public let device: FleetDevice.ID
  /// The trip; without an end while it lasts.
  public let trip: Trip

  /// Creates a trip, for tests.
  public init(device: FleetDevice.ID, trip: Trip) {
    (self.device, self.trip) = (device, trip)
  }
}

/// The members of the trip, and `device`.
extension FleetTrip: Codable {
  private enum CodingKeys: String, CodingKey { case device }

  public init(from decoder: any Decoder) throws {
    trip = try Trip(from: decoder)
    device = try decoder.container(keyedBy: CodingKeys.self).decode(
      FleetDevice.ID.self, forKey: .device)
  }

  public func encode(to encoder: any Encoder) throws {
    try trip.encode(to: encoder)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(device, forKey: .device)
  }
}

extension FleetTrip: Described {
  package var members: [DescribedMember] {
    [DescribedMember("device", device), DescribedMember("trip", trip)]
  }
}
