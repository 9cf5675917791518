/// The accuracy that a caller requests.
public struct DesiredAccuracy: Sendable, Hashable {
  /// The largest acceptable ``Location/horizontalAccuracy`` in metres; nil accepts any fix,
  /// including a fix of unknown accuracy.
  public let meters: Double?

  private init(meters: Double?) { self.meters = meters }

  /// The best accuracy of the receiver. Accepts any fix.
  public static var best: Self { Self(meters: nil) }
  /// Ten metres.
  public static var nearestTenMeters: Self { Self(meters: 10) }
  /// A hundred metres.
  public static var hundredMeters: Self { Self(meters: 100) }
  /// A thousand metres.
  public static var kilometer: Self { Self(meters: 1_000) }
  /// Three thousand metres.
  public static var threeKilometers: Self { Self(meters: 3_000) }

  /// A radius in metres. A value that is not positive and finite is the same as ``best``.
  public static func meters(_ radius: Double) -> Self {
    Self(meters: radius > 0 && radius.isFinite ? radius : nil)
  }

  /// True when a location is at least as accurate as requested.
  public func isMet(by location: Location) -> Bool {
    guard let meters else { return true }
    guard let accuracy = location.horizontalAccuracy else { return false }
    return accuracy <= meters
  }

  /// The stricter of two accuracies; ``best`` is the strictest.
  func stricter(_ other: Self) -> Self {
    guard let meters, let theirs = other.meters else { return .best }
    return meters <= theirs ? self : other
  }
}

/// Encoded as an object with ``meters``, empty for ``best``.
extension DesiredAccuracy: Codable {
  private enum CodingKeys: String, CodingKey { case meters }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let meters = try values.decodeIfPresent(Double.self, forKey: .meters)
    if let meters, !(meters > 0 && meters.isFinite) {
      throw DecodingError.dataCorruptedError(
        forKey: .meters, in: values, debugDescription: "meters must be above 0; got \(meters).")
    }
    self.init(meters: meters)
  }
}
