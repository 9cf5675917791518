/// The criteria of a visit; see ``LocationManager/visits(_:)``.
///
/// All durations are measured on the manager's monotonic clock.
public struct VisitOptions: Sendable, Hashable {
  /// The shortest time at a place that counts as a visit. The default of five minutes is longer
  /// than the wait at a traffic light or a level crossing.
  public var minimumStay: Duration
  /// The radius of a place in metres, at least 10; the default if it is not finite. The default of
  /// 100 m contains a shop with its parking, and the error of a receiver indoors.
  ///
  /// A stay is established within this distance of its first location, and ends beyond one and a
  /// half times this distance from its mean position, so that neither noise nor a boat that swings
  /// at anchor ends it. Locations less accurate than this radius are ignored.
  public var radius: Double
  /// The longest time without a location that still counts towards ``minimumStay``. After a longer
  /// gap, the receiver may have left the place and only pass it again. The default of 15 minutes is
  /// longer than the drive through a garage or a tunnel. An established stay continues after a gap
  /// of any length if the receiver is still there.
  public var maximumGap: Duration
  /// The time for which locations must be elsewhere before a stay ends. At least two locations are
  /// required. The default is 30 seconds.
  public var departureConfirmation: Duration
  /// The corresponding time for locations elsewhere that begin with a jump: the first is farther
  /// from the previous location than a car could have moved. The default of five minutes is longer
  /// than the errors that reflected signals cause, and no longer than the default ``minimumStay``
  /// of a visit elsewhere. <doc:Movement> shows the simulation.
  public var jumpConfirmation: Duration
  /// The only receiver to use, as in ``UpdateOptions/device``.
  public var device: String?

  /// Creates options.
  public init(
    minimumStay: Duration = .seconds(300), radius: Double = 100,
    maximumGap: Duration = .seconds(900), departureConfirmation: Duration = .seconds(30),
    jumpConfirmation: Duration = .seconds(300), device: String? = nil
  ) {
    self.minimumStay = minimumStay
    self.radius = radius
    self.maximumGap = maximumGap
    self.departureConfirmation = departureConfirmation
    self.jumpConfirmation = jumpConfirmation
    self.device = device
  }
}

/// A missing member gets its default. Durations are numbers of seconds with nanosecond precision.
extension VisitOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("minimumStay", \.minimumStay),
    TabulatedMember("radius", \.radius, "m"),
    TabulatedMember("maximumGap", \.maximumGap),
    TabulatedMember("departureConfirmation", \.departureConfirmation),
    TabulatedMember("jumpConfirmation", \.jumpConfirmation),
    TabulatedMember("device", \.device),
  ]
}
