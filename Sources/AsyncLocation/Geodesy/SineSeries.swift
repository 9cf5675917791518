/// The sum c₁ sin 2σ + … + c₆ sin 12σ.
struct SineSeries: Sendable {
  var c1 = 0.0
  var c2 = 0.0
  var c3 = 0.0
  var c4 = 0.0
  var c5 = 0.0
  var c6 = 0.0

  /// The sum at an angle, by Clenshaw's recurrence (Math. Tables Aids Comp. 9, 1955).
  func sum(at angle: Angle) -> Double {
    let twice = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)  // 2 cos 2σ
    let b5 = twice * c6 + c5
    let b4 = twice * b5 - c6 + c4
    let b3 = twice * b4 - b5 + c3
    let b2 = twice * b3 - b4 + c2
    let b1 = twice * b2 - b3 + c1
    return 2 * angle.sine * angle.cosine * b1
  }

  /// The sum at one angle minus the sum at another.
  func difference(_ end: Angle, _ start: Angle) -> Double { sum(at: end) - sum(at: start) }
}
