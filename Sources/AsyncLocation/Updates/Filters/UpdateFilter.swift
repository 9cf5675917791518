/// Decides which locations a subscriber receives.
struct UpdateFilter: Sendable {
  private let options: UpdateOptions
  /// The receiver that the options name.
  private let device: DeviceID?
  /// True when every location of a preferred receiver is admitted.
  let admitsAll: Bool
  /// Nil without an interval.
  private var pace: UpdatePace?
  /// The place of the last delivered location; only set with a distance filter.
  private var last: ReceiverPlace?

  init(_ options: UpdateOptions) {
    self.options = options
    device = options.device.map { DeviceID($0) }
    admitsAll =
      options.distanceFilter <= 0 && options.minimumInterval <= .zero
      && options.desiredAccuracy == .best && options.device == nil
      && !options.omitsSuspectLocations
    if options.minimumInterval > .zero { pace = UpdatePace(interval: options.minimumInterval) }
  }

  /// True when a location that arrived at `instant` is to be delivered. Later locations are then
  /// compared with this one.
  ///
  /// - Parameter accuracyCounts: False for locations of reduced accuracy, to which
  ///   `desiredAccuracy` is not applied.
  mutating func admits(
    _ location: borrowing Location, at instant: Duration, accuracyCounts: Bool = true
  ) -> Bool {
    if admitsAll { return location.sourceInformation.isPreferred }
    if let device {
      guard location.sourceInformation.isOf(device) else { return false }
    } else if !location.sourceInformation.isPreferred {
      return false
    }
    // Also called for locations that another condition rejects, because they show the interval at
    // which the receiver reports.
    let isDue = pace?.observe(location, at: instant, isCoarse: !accuracyCounts) ?? true
    guard isDue else { return false }
    if options.omitsSuspectLocations, location.isSuspect { return false }
    if accuracyCounts, !options.desiredAccuracy.isMet(by: location) { return false }
    if options.distanceFilter > 0 {
      let place = ReceiverPlace(location)
      if let last {
        guard place.coordinate.distance(to: last.coordinate) >= options.distanceFilter,
          !place.mayBeSame(as: last)
        else { return false }
      }
      last = place
    }
    pace?.deliver()
    return true
  }
}
