/// The criteria of a trip; see ``LocationManager/trips(_:)``.
///
/// All durations are measured by the timestamps of the locations.
public struct TripOptions: Sendable, Hashable {
  /// The shortest rest that ends a trip; a shorter one is a stop of the trip. The default of ten
  /// minutes is longer than most deliveries, and shorter than a rest of which a receiver that
  /// reports every ten minutes notices the half.
  public var minimumRest: Duration
  /// The radius of a place in metres, at least 10; the default if it is not finite. A vehicle rests
  /// while it stays within this distance of its mean position, widened by the accuracy of the
  /// location, and departs beyond one and a half times this distance. The default of 75 m contains
  /// most parking areas; most traffic jams leave it within ten minutes.
  public var radius: Double
  /// The distance in metres from the place of departure that makes a drive a trip, at least 0; the
  /// default if it is not finite. Two locations in a row must be beyond it. The default of 300 m
  /// excludes a vehicle that is parked again, and most errors of positions.
  public var minimumDistance: Double
  /// The shortest wait that is listed in ``Trip/stops``. The default is one minute.
  public var minimumStop: Duration
  /// The longest time without a location after which a trip continues although the vehicle was
  /// driven or carried elsewhere meanwhile: by more than 500 m, and faster than 1 m/s in the mean.
  /// Otherwise a gap of ``minimumRest`` ends the trip at the last location before it. The default
  /// of four hours is longer than most ferries take.
  public var maximumGap: Duration
  /// The time for which locations must be elsewhere, after a distance that no vehicle drives in the
  /// time, before they count as the new place of a resting vehicle. The default of five minutes is
  /// longer than most errors that reflected signals cause. They are no trip either.
  public var jumpConfirmation: Duration
  /// The only receiver to use, as in ``UpdateOptions/device``.
  public var device: String?

  /// Creates options.
  public init(
    minimumRest: Duration = .seconds(600), radius: Double = 75, minimumDistance: Double = 300,
    minimumStop: Duration = .seconds(60), maximumGap: Duration = .seconds(14_400),
    jumpConfirmation: Duration = .seconds(300), device: String? = nil
  ) {
    self.minimumRest = minimumRest
    self.radius = radius
    self.minimumDistance = minimumDistance
    self.minimumStop = minimumStop
    self.maximumGap = maximumGap
    self.jumpConfirmation = jumpConfirmation
    self.device = device
  }
}

/// A missing member gets its default. Durations are numbers of seconds with nanosecond precision.
extension TripOptions: TabulatedValue {
  package static let standard = Self()
  package static let table: [TabulatedMember<Self>] = [
    TabulatedMember("minimumRest", \.minimumRest),
    TabulatedMember("radius", \.radius, "m"),
    TabulatedMember("minimumDistance", \.minimumDistance, "m"),
    TabulatedMember("minimumStop", \.minimumStop),
    TabulatedMember("maximumGap", \.maximumGap),
    TabulatedMember("jumpConfirmation", \.jumpConfirmation),
    TabulatedMember("device", \.device),
  ]
}

/// The limits of ``TripOptions`` in metres and seconds, without values that are not finite.
struct TripLimits: Sendable {
  let radius, minimumDistance: Double
  let minimumRest, minimumStop, maximumGap, jumpConfirmation: Double

  init(_ options: TripOptions) {
    let standard = TripOptions.standard
    radius = max(10, options.radius.isFinite ? options.radius : standard.radius)
    minimumDistance = max(
      0, options.minimumDistance.isFinite ? options.minimumDistance : standard.minimumDistance)
    minimumRest = max(0, ExactSeconds.number(options.minimumRest))
    minimumStop = max(0, ExactSeconds.number(options.minimumStop))
    maximumGap = ExactSeconds.number(options.maximumGap)
    jumpConfirmation = ExactSeconds.number(options.jumpConfirmation)
  }
}
