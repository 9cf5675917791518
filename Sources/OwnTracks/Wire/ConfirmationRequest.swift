/// The request of a device, in the message of a location, that a server confirms once it has stored
/// the location.
///
/// It extends OwnTracks' format; other programs ignore its members.
package struct ConfirmationRequest: Hashable, Sendable {
  /// The names of its members.
  package static let startMember = "confirm"
  package static let previousMember = "after"

  /// The time of the device's oldest location that is not confirmed yet.
  package var start: LocationTime
  /// The time of the location that the device sent before this one, if it is not confirmed yet. A
  /// server that has not received it can wait for it, so that the device's order is kept.
  package var previous: LocationTime?

  package init(from start: LocationTime, after previous: LocationTime? = nil) {
    (self.start, self.previous) = (start, previous)
  }

  /// Adds the request to the message of a location, which is a JSON object. Returns bytes that do
  /// not end with a brace unchanged.
  package func added(to message: [UInt8]) -> [UInt8] {
    guard message.last == UInt8(ascii: "}") else { return message }
    var members = ",\"\(Self.startMember)\":\(start.json)"
    if let previous { members += ",\"\(Self.previousMember)\":\(previous.json)" }
    return message.dropLast() + Array((members + "}").utf8)
  }
}
