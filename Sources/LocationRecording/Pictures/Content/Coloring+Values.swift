extension TrackPicture.Coloring {
  /// The value of a sample in ``unit``.
  func value(of sample: TrackSample) -> Double? {
    switch self {
    case .speed: sample.speed.map { $0 * 3.6 }
    case .altitude: sample.altitude
    }
  }

  var unit: String {
    switch self {
    case .speed: "km/h"
    case .altitude: "m"
    }
  }

  var caption: String {
    switch self {
    case .speed: "Speed"
    case .altitude: "Altitude"
    }
  }

  /// The least span of a scale, in ``unit``: smaller differences are noise.
  var leastSpan: Double {
    switch self {
    case .speed: 5
    case .altitude: 20
    }
  }
}
