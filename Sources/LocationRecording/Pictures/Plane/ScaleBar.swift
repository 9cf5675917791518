/// A bar of a round length on the ground. Pure.
struct ScaleBar: Hashable, Sendable {
  let metres: Double
  let pixels: Double

  /// Creates the longest bar of 1, 2 or 5 times a power of ten metres that is at most a number of
  /// pixels long.
  init(metresPerPixel: Double, maximumPixels: Double) {
    let limit = metresPerPixel * maximumPixels
    let power = Double.power(ofTen: Double.commonLogarithm(limit).rounded(.down))
    metres = ([5, 2, 1].first { $0 * power <= limit * (1 + 1e-9) } ?? 1) * power
    pixels = metres / metresPerPixel
  }

  var label: String {
    metres >= 1000
      ? "\(FixedText.decimal(metres / 1000, 0)) km"
      : "\(FixedText.decimal(metres, metres < 1 ? 2 : 0)) m"
  }
}
