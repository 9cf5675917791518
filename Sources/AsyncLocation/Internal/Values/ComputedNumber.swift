/// Rounds computed numbers to remove digits that are artifacts of the computation, as in
/// 86404.00000000001. Pure.
///
/// A number from a recording is written unchanged, with the fewest digits that read back as the
/// same number. A computed number, such as degrees from minutes, metres from feet or a sum, is
/// rounded to nine decimal places: no receiver measures billionths of degrees, metres or seconds. A
/// sum over a whole track is rounded to three.
package enum ComputedNumber {
  /// Returns the nearest number with a number of decimal places, at most nine. A number too large
  /// for that many places is unchanged.
  package static func rounded(_ number: Double, places: Int = 9) -> Double {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (number * scale).rounded()
    // A double represents both integers exactly, so the division gives the nearest double. Adding 0
    // removes the sign of a negative zero.
    return scaled.magnitude <= 0x1p53 ? scaled / scale + 0 : number
  }
}
