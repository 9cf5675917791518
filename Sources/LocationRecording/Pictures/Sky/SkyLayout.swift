import AsyncLocation

/// The places of satellites in a picture of the sky. Pure.
///
/// The zenith is in the middle, north at the top and east at the right, as on a map. Satellites
/// without a direction, or below the horizon, have no mark.
struct SkyLayout: Hashable, Sendable {
  struct Mark: Hashable, Sendable {
    let satellite: Satellite
    let name: String
    let place: PlanePoint
    /// The place of the name; nil if there is no room.
    let label: LabelSpace.Option?
    /// The radius in pixels, larger for a stronger signal.
    let size: Double
  }

  /// The radius of the horizon in pixels.
  static let radius = 200.0
  static let center = PlanePoint(250, 250)
  private static let textSize = 13.0

  /// A circle of an elevation, and the place of its label.
  struct Ring: Hashable, Sendable {
    let elevation: Double
    let label: PlanePoint
  }

  let rings: [Ring]
  /// Used satellites and strong signals come first, so that they have names if there is little
  /// room.
  let marks: [Mark]
  /// The satellites without a direction, or below the horizon.
  let unplaced: [Satellite]

  init(_ view: SatelliteView) {
    let placed = view.satellites.filter { Self.place($0) != nil }
    unplaced = view.satellites.filter { Self.place($0) == nil }
    let sorted = placed.sorted { left, right in
      if left.isUsed != right.isUsed { return left.isUsed }
      let (leftSignal, rightSignal) = (left.signalStrength ?? -1, right.signalStrength ?? -1)
      return leftSignal != rightSignal ? leftSignal > rightSignal : left.prn < right.prn
    }
    var space = LabelSpace(
      within: PlaneBox(left: 0, top: 0, right: 2 * Self.center.x, bottom: 2 * Self.center.y),
      textSize: Self.textSize)
    let places = sorted.map { Self.place($0) ?? Self.center }
    for (satellite, place) in zip(sorted, places) {
      space.occupy(place, radius: Self.size(satellite))
    }
    // The labels of the azimuths are outside the horizon.
    for azimuth in stride(from: 0.0, to: 360, by: 30) {
      space.occupy(Self.place(elevation: -10, azimuth: azimuth), radius: Self.textSize * 0.6)
    }
    rings = [30.0, 60].compactMap { elevation in
      let options = stride(from: 75.0, to: 435, by: 30).map { azimuth in
        let place = Self.place(elevation: elevation, azimuth: azimuth)
        return LabelSpace.Option(place.x, place.y + 4, .middle)
      }
      return space.reserve("00°", options).map { Ring(elevation: elevation, label: $0.point) }
    }
    marks = zip(sorted, places).map { satellite, place in
      let (name, size) = (SatelliteName.short(satellite), Self.size(satellite))
      let options: [LabelSpace.Option] = [
        .init(place.x, place.y + size + 14, .middle), .init(place.x, place.y - size - 5, .middle),
        .init(place.x + size + 4, place.y + 4, .start),
        .init(place.x - size - 4, place.y + 4, .end),
      ]
      return Mark(
        satellite: satellite, name: name, place: place, label: space.reserve(name, options),
        size: size
      )
    }
  }

  /// The pixel of a direction; nil for a direction that is unknown or below the horizon.
  static func place(_ satellite: Satellite) -> PlanePoint? {
    guard let elevation = satellite.elevation, let azimuth = satellite.azimuth, elevation >= 0
    else { return nil }
    return place(elevation: elevation, azimuth: azimuth)
  }

  /// The pixel of a direction. Its distance from the middle is proportional to the angle from the
  /// zenith.
  static func place(elevation: Double, azimuth: Double) -> PlanePoint {
    let distance = radius * (90 - elevation) / 90
    return PlanePoint(
      center.x + distance * .sine(azimuth.radians), center.y - distance * .cosine(azimuth.radians))
  }

  /// The radius of a mark in pixels, which grows from 10 dB-Hz, hardly a signal, to 50 dB-Hz, a
  /// strong signal.
  static func size(_ satellite: Satellite) -> Double {
    guard let strength = satellite.signalStrength else { return 4 }
    return 4 + 7 * max(0, min(1, (strength - 10) / 40))
  }
}

/// The names of satellites. Pure.
enum SatelliteName {
  /// The name as in RINEX: the letter of the constellation and the number in it.
  static func short(_ satellite: Satellite) -> String {
    let number = satellite.vehicle ?? satellite.prn
    return (satellite.constellation.map(letter) ?? "") + (number < 10 ? "0" : "") + String(number)
  }

  /// The name, the direction, the signal and the use, for the text alternative.
  static func long(_ satellite: Satellite) -> String {
    let name = satellite.constellation?.displayName ?? "PRN"
    let place =
      satellite.elevation.flatMap { elevation in
        satellite.azimuth.map { azimuth in
          "elevation \(FixedText.decimal(elevation, 0))°, azimuth \(FixedText.decimal(azimuth, 0))°"
        }
      } ?? "no direction"
    let signal =
      satellite.signalStrength.map { "\(FixedText.decimal($0, 0)) dB-Hz" } ?? "no signal"
    let use = satellite.isUsed ? "used" : "not used"
    return "\(name) \(satellite.vehicle ?? satellite.prn): \(place), \(signal), \(use)"
  }

  private static func letter(_ constellation: Satellite.Constellation) -> String {
    switch constellation {
    case .gps: "G"
    case .sbas: "S"
    case .galileo: "E"
    case .beidou: "C"
    case .imes: "M"
    case .qzss: "J"
    case .glonass: "R"
    case .navic: "I"
    @unknown default: ""
    }
  }
}
