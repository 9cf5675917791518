/// Decides which locations one subscriber gets.
struct UpdateFilter: Sendable {
  private let options: UpdateOptions
  private let admitsAll: Bool
  private var last: (coordinate: Coordinate, instant: Duration)?

  init(_ options: UpdateOptions) {
    self.options = options
    admitsAll =
      options.distanceFilter <= 0 && options.minimumInterval <= .zero
      && options.desiredAccuracy == .best && options.device == nil
  }

  /// True when a location that arrived at an instant is to be delivered; it then counts as the
  /// one delivered last.
  ///
  /// - Parameter accuracyCounts: False for locations of reduced accuracy, which no desired accuracy
  ///   holds back.
  mutating func admits(
    _ location: borrowing Location, at instant: Duration, accuracyCounts: Bool = true
  ) -> Bool {
    if admitsAll { return location.sourceInformation.isPreferred }
    if let device = options.device {
      guard location.sourceInformation?.device == device else { return false }
    } else if !location.sourceInformation.isPreferred {
      return false
    }
    guard !accuracyCounts || options.desiredAccuracy.isMet(by: location) else { return false }
    if let last {
      guard instant - last.instant >= options.minimumInterval else { return false }
      if options.distanceFilter > 0,
        location.coordinate.distance(to: last.coordinate) < options.distanceFilter
      {
        return false
      }
    }
    last = (location.coordinate, instant)
    return true
  }
}
