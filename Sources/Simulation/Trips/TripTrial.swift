package import AsyncLocation
import FoundationEssentials

/// Searches labelled days for trips.
package struct TripTrial: Sendable {
  package let name: String
  /// Seconds between the locations of a moving vehicle.
  package let interval: Double
  private let reporting: TripReceiver.Reporting

  package static let all: [Self] =
    [1, 10, 30, 60, 120, 300, 600].map {
      Self(name: "\(Int($0)) s", interval: $0, reporting: .every($0))
    } + [
      Self(name: "10 s, at rest 600 s", interval: 10, reporting: .moving(rest: 600)),
      Self(name: "10 s, at rest nothing", interval: 10, reporting: .moving(rest: nil)),
    ]

  /// The locations of a day in the order in which they arrive.
  package func locations(day seed: UInt64) -> [Location] {
    var receiver = receiver(seed)
    return receiver.locations(of: LabelledDay(seed: seed))
  }

  private func receiver(_ seed: UInt64) -> TripReceiver {
    TripReceiver(reporting, seed: seed ^ 0x7472_6970_7320_6f66)
  }

  /// A day in CSV: a line "trip" for each planned trip, with its start and end, and a line
  /// "location" for each location, with its time, latitude, longitude and interval. Times are
  /// seconds from 2001-01-01.
  package func lines(day seed: UInt64) -> [String] {
    var lines: [String] = []
    for trip in LabelledDay(seed: seed).trips.map(Self.span) {
      lines.append("trip,\(seed),\(trip.start),\(trip.end ?? trip.start)")
    }
    for location in locations(day: seed) {
      let place = "\(location.latitude),\(location.longitude)"
      lines.append("location,\(seed),\(location.timestampSeconds),\(place),\(interval)")
    }
    return lines
  }

  private static func span(_ trip: LabelledDay.Trip) -> TripScore.Span {
    TripScore.Span(
      start: 800_000_000 + trip.start, end: 800_000_000 + trip.end, distance: trip.distance)
  }

  /// Finds the trips of consecutive days, each with its own vehicle and tracker.
  ///
  /// - Parameter report: Receives the seed of a day, the trips that were not found, and those that
  ///   were not planned.
  package func score(
    days: Int, seed: UInt64, options: TripOptions = TripOptions(),
    _ report: (UInt64, [TripScore.Span], [TripScore.Span]) -> Void = { _, _, _ in }
  ) -> TripScore {
    var score = TripScore()
    for index in 0..<UInt64(days) {
      let day = LabelledDay(seed: seed &+ index)
      var receiver = receiver(seed &+ index)
      let found = Self.trips(receiver.locations(of: day), options)
      let (missed, wrong) = score.add(
        planned: day.trips.map(Self.span), found: found, interval: interval)
      if !missed.isEmpty || !wrong.isEmpty { report(seed &+ index, missed, wrong) }
    }
    return score
  }

  private static func trips(_ locations: [Location], _ options: TripOptions) -> [TripScore.Span] {
    var machine = TripStateMachine(options)
    let ended = locations.compactMap { machine.located($0) }.filter { $0.end != nil }
    return (ended + [machine.currentTrip].compactMap(\.self)).map { trip in
      TripScore.Span(
        start: trip.start.timeIntervalSinceReferenceDate,
        end: trip.end?.timeIntervalSinceReferenceDate, distance: trip.distance)
    }
  }
}
