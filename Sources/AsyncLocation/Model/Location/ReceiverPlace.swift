/// The place of a location, for the decision whether a later one shows movement.
package struct ReceiverPlace: Sendable, Hashable, BitwiseCopyable {
  package let coordinate: Coordinate
  private let accuracy: Double
  private let device: DeviceID

  package init(_ location: borrowing Location) {
    coordinate = location.coordinate
    accuracy = location.horizontalAccuracy ?? 0
    device = location.sourceInformation.deviceID
  }

  /// Whether the difference may be one between two receivers rather than a movement: the error of
  /// one covers the position of the other with its error.
  package func mayBeSame(as other: Self) -> Bool {
    guard device != other.device else { return false }
    let (larger, smaller) = (max(accuracy, other.accuracy), min(accuracy, other.accuracy))
    guard larger > 0 else { return false }
    return other.coordinate.distance(to: coordinate) + smaller <= larger
  }
}
