/// A place where a vehicle may stay, in constant memory.
struct TripStay: Sendable {
  /// The limit in metres for the accuracy that widens the place.
  static let worstAccuracy = 100.0
  /// The factor by which the radius for leaving a rest exceeds that for staying.
  static let slack = 1.5

  /// Seconds from 2001-01-01; not later than the first location at the place.
  private(set) var arrival: Double
  /// The first location.
  let first: TripFix
  /// The time of the latest location at the place at which the vehicle may stand.
  private(set) var latest: Double
  /// The mean position.
  private(set) var center: Coordinate
  /// The number of locations.
  private(set) var count = 1
  /// The numbers of the trip up to the first location.
  private(set) var figures: TripFigures
  private var mean: MeanPosition

  init(_ fix: TripFix, arrival: Double, figures: TripFigures) {
    (self.arrival, first, latest) = (arrival, fix, fix.seconds)
    center = fix.coordinate
    mean = MeanPosition(fix.coordinate, accuracy: fix.horizontalAccuracy)
    self.figures = figures
  }

  /// Begins a rest that no known trip precedes.
  init(_ fix: TripFix) {
    self.init(fix, arrival: fix.seconds, figures: TripFigures(at: fix.coordinate))
  }

  /// The typical accuracy of the locations in metres; nil if it is unknown.
  var accuracy: Double? { mean.accuracy }

  /// The seconds from the arrival to the latest location.
  var seconds: Double { latest - arrival }

  /// Whether the vehicle has stayed for some seconds, of which locations show at least the half.
  func isRest(of seconds: Double) -> Bool {
    count > 1 && self.seconds >= seconds && latest - first.seconds >= seconds / 2
  }

  /// The stay with the arrival of a part of it.
  func arriving(with part: Self) -> Self {
    var stay = self
    (stay.arrival, stay.figures) = (part.arrival, part.figures)
    return stay
  }

  func contains(_ fix: TripFix, within radius: Double) -> Bool {
    center.distance(to: fix.coordinate) - min(fix.accuracy, Self.worstAccuracy) <= radius
  }

  /// Adds a location at the place.
  mutating func add(_ fix: TripFix) {
    guard !fix.isMoving else { return }
    latest = fix.seconds
    mean.add(fix.coordinate, accuracy: fix.horizontalAccuracy)
    count += 1
    center = mean.coordinate
  }
}
