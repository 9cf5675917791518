import AsyncLocation
import FoundationEssentials

/// The members of a message besides its location.
///
/// A member of the wrong type or out of range is absent. The payload was checked before, so that no
/// two decoders can disagree whether it is valid.
struct MessageMembers: Decodable {
  private let container: KeyedDecodingContainer<MemberKey>

  init(from decoder: any Decoder) throws {
    container = try decoder.container(keyedBy: MemberKey.self)
  }

  /// - Parameter payload: Valid JSON, as ``PayloadScanner`` has found.
  init(_ payload: [UInt8]) throws(OwnTracksError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(payload))
    } catch {
      throw OwnTracksError(.syntax)
    }
  }

  private func value<Value: Decodable>(_ type: Value.Type, _ name: String) -> Value? {
    // No error is thrown for an absent member, which would be slow.
    (try? container.decodeIfPresent(type, forKey: MemberKey(name))) ?? nil
  }

  /// A text.
  func text(_ name: String) -> String? { value(String.self, name) }

  /// The texts of a list; empty if an element is of another type.
  func texts(_ name: String) -> [String] { value([String].self, name) ?? [] }

  /// An object inside of this one.
  func object(_ name: String) -> MessageMembers? { value(MessageMembers.self, name) }

  /// The name of a failure, which a later version may have added; nil for a text that cannot be
  /// printed as it is.
  func code(_ name: String) -> LocationError.Code? {
    guard let code = value(LocationError.Code.self, name), code.description == text(name) else {
      return nil
    }
    return code
  }

  /// A number.
  func number(_ name: String, in range: ClosedRange<Double>) -> Double? {
    value(Double.self, name).flatMap { range.contains($0) ? $0 : nil }
  }

  /// A number, rounded to an integer.
  func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
    guard let number = value(Double.self, name), let integer = Int(exactly: number.rounded()),
      range.contains(integer)
    else { return nil }
    return integer
  }

  /// A time in seconds since 1970.
  func time(_ name: String, nanoseconds: String? = nil) -> Date? {
    guard let seconds = value(Double.self, name) else { return nil }
    return PayloadTime.date(
      seconds: seconds, nanoseconds: nanoseconds.flatMap { value(Double.self, $0) })
  }

  /// The time of a message.
  func requiredTime() throws(OwnTracksError) -> Date {
    guard let time = time("tst", nanoseconds: "tst_ns") else { throw .invalidTime }
    return time
  }

  /// A position; nil unless both parts are right.
  func coordinate() -> Coordinate? {
    guard let latitude = number("lat", in: -90...90),
      let longitude = number("lon", in: -180...180)
    else { return nil }
    return Coordinate(checkedLatitude: latitude, longitude: longitude)
  }

  /// The first waypoints of a list; none if one of these elements is not an object. Objects that are
  /// not valid waypoints are skipped.
  func waypoints() -> [WaypointMessage] {
    let key = MemberKey("waypoints")
    guard container.contains(key), var list = try? container.nestedUnkeyedContainer(forKey: key)
    else { return [] }
    var waypoints: [WaypointMessage] = []
    for _ in 0..<WaypointsMessage.maximumCount where !list.isAtEnd {
      guard let members = try? list.decode(MessageMembers.self) else { return [] }
      if let waypoint = try? WaypointMessage(members) { waypoints.append(waypoint) }
    }
    return waypoints
  }

  /// The waypoints of a command. Apps send a message of the type `waypoints`, which was called
  /// `payload` before, or the list alone.
  func nestedWaypoints() -> [WaypointMessage] {
    for name in ["waypoints", "payload"] {
      if let message = object(name) { return message.waypoints() }
    }
    return waypoints()
  }
}
