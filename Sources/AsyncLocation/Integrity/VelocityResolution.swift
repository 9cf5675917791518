/// The resolution with which a receiver reports its velocity.
///
/// A rounded velocity can have the same error for minutes. Resolutions are recognized by their
/// values: all are multiples of a unit until the first one that is not.
struct VelocityResolution: Sendable {
  private var hasWholeDegrees = true
  /// Whether all speeds are whole kilometres per hour, knots, or metres per second.
  private var hasWholeKilometres = true
  private var hasWholeKnots = true
  private var hasWholeMetres = true
  private var hasMoved = false
  /// The number of consecutive speeds that are exactly zero.
  private var zeros = 0

  mutating func observe(_ location: borrowing Location) {
    if hasWholeDegrees, let course = location.course { hasWholeDegrees = Self.isWhole(course) }
    guard let speed = Vector.speed(location) else { return }
    guard speed > 0 else {
      zeros = min(zeros + 1, 5)
      return
    }
    zeros = 0
    hasMoved = true
    if hasWholeKilometres { hasWholeKilometres = Self.isWhole(speed * 3.6) }
    if hasWholeKnots { hasWholeKnots = Self.isWhole(speed * 3600 / 1852) }
    if hasWholeMetres { hasWholeMetres = Self.isWhole(speed) }
  }

  /// The variance in square metres by which the error of a velocity makes the path uncertain in each
  /// second, with errors that persist for a minute.
  func variance(atSpeed speed: Double) -> Double {
    // The root mean square of a rounding error is 0.29 units. Some receivers report zero below
    // walking speed.
    var error = 0.05
    if hasWholeKilometres { error = 0.09 }
    if hasWholeKnots { error = 0.15 }
    if hasWholeMetres { error = 0.29 }
    if zeros >= 5 { error = 0.4 }
    // Radians.
    let direction = (hasWholeDegrees ? 0.005 : 0.001) * speed
    return 60 * (error * error + direction * direction)
  }

  /// Metres per second by which a speed may be wrong for as long as it is constant: a unit, since some
  /// receivers truncate. Zero while the unit is unknown.
  var largestError: Double {
    guard hasMoved else { return 0 }
    if hasWholeMetres { return 1 }
    if hasWholeKnots { return 1_852.0 / 3_600 }
    return hasWholeKilometres ? 1 / 3.6 : 0
  }

  private static func isWhole(_ number: Double) -> Bool {
    abs(number - number.rounded()) < 0.02
  }
}
