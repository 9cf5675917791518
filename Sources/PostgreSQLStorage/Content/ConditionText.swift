import AsyncLocation
import FoundationEssentials
import LocationFleet

/// A condition of a fleet and its audience as JSON.
struct ConditionText: Codable {
  private let condition: Condition
  /// Seconds since 2001; exact, unlike the expiry in the JSON of a condition.
  private let expiry: Double?
  /// The audience; `users` and `devices` are nil for all devices.
  private let users: [String]?
  private let devices: [FleetDevice.ID]?

  private init(_ condition: FleetCondition) {
    self.condition = condition.condition
    expiry = condition.condition.expiry?.timeIntervalSinceReferenceDate
    switch condition.audience {
    case .users(let names): (users, devices) = (names.sorted(), nil)
    case .devices(let names): (users, devices) = (nil, names.sorted())
    default: (users, devices) = (nil, nil)
    }
  }

  static func encode(_ condition: FleetCondition) throws(PostgreSQLFailure) -> String {
    do {
      return String(decoding: try JSONEncoder().encode(Self(condition)), as: UTF8.self)
    } catch {
      throw .malformed("a condition cannot be encoded")
    }
  }

  static func decode(
    _ text: [UInt8], identifier: String
  ) throws(PostgreSQLFailure) -> FleetCondition {
    do {
      let decoded = try JSONDecoder().decode(Self.self, from: Data(text))
      let audience: FleetCondition.Audience =
        if let users = decoded.users {
          .users(Set(users))
        } else if let devices = decoded.devices {
          .devices(Set(devices))
        } else {
          .all
        }
      return FleetCondition(
        identifier: identifier,
        condition: try decoded.condition.expiring(
          at: decoded.expiry.map(Date.init(timeIntervalSinceReferenceDate:))), audience: audience)
    } catch {
      throw .malformed("a condition")
    }
  }
}
