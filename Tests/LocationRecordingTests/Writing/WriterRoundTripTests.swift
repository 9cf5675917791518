import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

@testable import LocationRecording

/// The readers return the content that the writers wrote.
@Suite(.inTurn) struct WriterRoundTripTests {
  /// A format and the values that it holds, according to the table of the article.
  struct Case: CustomTestStringConvertible, Sendable {
    var testDescription: String { format.description }
    let format: RecordingWriter.Format
    let recognized: RecordingFormat
    var holdsSegments = true
    /// Reduces a location to the values that the format holds.
    let held: @Sendable (inout Location.Values) -> Void
  }

  static let cases = [
    Case(format: .gpx, recognized: .gpx) { value in
      value.coordinate = value.coordinate.withoutEasternAntimeridian
      value.gnss = value.gnss?.common
    },
    Case(format: .geoJSON, recognized: .geoJSON) { $0.gnss = $0.gnss?.common },
    Case(format: .geoJSONSequence, recognized: .geoJSON) { $0.gnss = $0.gnss?.common },
    Case(format: .geoJSONLines, recognized: .geoJSON) { $0.gnss = $0.gnss?.common },
    Case(format: .csv, recognized: .csv) { value in
      value.gnss = value.gnss?.common
      value.sourceInformation = value.sourceInformation?.withoutControls
    },
    Case(format: .locationJSON, recognized: .locationJSON, holdsSegments: false) { _ in },
    Case(format: .geoJSONTrack, recognized: .geoJSON) { value in
      value = value.positionOnly
    },
    Case(format: .kml, recognized: .kml) { $0 = $0.positionOnly },
  ]

  @Test(arguments: cases)
  func everyFormatRoundTripsExactly(_ test: Case) async throws {
    try await withTaskExecutorPreference(LongWork.shared) {
      for seed in 0..<40 {
        var random = RandomLocations(seed: UInt64(seed))
        let track = try random.track()
        let bytes = track.encoded(as: test.format)
        let recording = try Recording(bytes)
        #expect(recording.format == test.recognized)
        #expect(recording.skipped.isEmpty, "\(recording.skipped)")
        #expect(recording.omitted.isEmpty)
        let expected = try track.segments.map { segment in
          try segment.locations.map { try $0.recorded.with(test.held) }
        }
        if test.holdsSegments {
          let found = Track(recording, options: .recordedGapsOnly).segments
          try Self.compare(found.flatMap(\.locations), expected.flatMap { $0 })
          #expect(found.map(\.locations.count) == expected.map(\.count))
        } else {
          try Self.compare(recording.locations, expected.flatMap { $0 })
        }
      }
    }
  }

  private static func compare(_ found: [Location], _ expected: [Location]) throws {
    try #require(found.count == expected.count)
    for (found, expected) in zip(found, expected) {
      let isEqual = found == expected
      #expect(isEqual, "found \(found)\nexpected \(expected)")
      guard isEqual else { return }
    }
  }

  /// gpsd's reports are read as those of a connection.
  @Test(.longWork) func gpsdReportsRoundTrip() throws {
    for seed in 0..<40 {
      var random = RandomLocations(seed: UInt64(seed))
      let track = try random.receiverTrack()
      let recording = try Recording(track.encoded(as: .gpsd))
      #expect(recording.format == .gpsd)
      #expect(recording.skipped.isEmpty, "\(recording.skipped)")
      let found = Track(recording, options: .recordedGapsOnly).segments
      #expect(found.map(\.locations.count) == track.segments.map(\.locations.count))
      for (found, written) in zip(found.flatMap(\.locations), track.points.map(\.location)) {
        #expect(found.coordinate == written.coordinate)
        #expect(found.timestamp == written.timestamp)
        #expect(found.speed == written.speed)
        // Below walking speed, a course is noise.
        if found.course != nil || (written.speed ?? 1) > 1 {
          #expect(found.course == written.course)
        }
        #expect(found.climb == written.climb)
        #expect(found.horizontalAccuracy == written.horizontalAccuracy)
        #expect(found.speedAccuracy == written.speedAccuracy)
        #expect(found.courseAccuracy == written.courseAccuracy)
        #expect(found.sourceInformation?.device == written.sourceInformation?.device)
        #expect(found.gnss?.status == written.gnss?.status)
        if written.gnss?.mode == .threeDimensional {
          #expect(found.altitude == written.altitude)
          #expect(found.ellipsoidalAltitude == written.ellipsoidalAltitude)
          #expect(found.verticalAccuracy == written.verticalAccuracy)
        }
      }
    }
  }
}

extension TrackOptions {
  /// Divides tracks only where the recording states an interruption.
  static var recordedGapsOnly: Self { Self(maximumInterval: .seconds(1 << 40)) }
}

extension Coordinate {
  fileprivate var withoutEasternAntimeridian: Self {
    longitude == 180 ? Self(checkedLatitude: latitude, longitude: -180) : self
  }
}

extension Location {
  /// The location as a reader marks it.
  fileprivate var recorded: Location {
    get throws {
      try with {
        $0.sourceInformation = SourceInformation(
          isSimulated: true, device: sourceInformation?.device,
          timeSource: sourceInformation?.timeSource ?? .receiver)
      }
    }
  }
}

extension Location.Values {
  fileprivate var positionOnly: Self {
    var value = self
    (value.ellipsoidalAltitude, value.horizontalAccuracy, value.verticalAccuracy) = (nil, nil, nil)
    (value.speed, value.speedAccuracy, value.course, value.courseAccuracy) = (nil, nil, nil, nil)
    (value.climb, value.floor, value.gnss) = (nil, nil, nil)
    value.sourceInformation = SourceInformation(isSimulated: true)
    return value
  }
}

extension SourceInformation {
  /// CSV has no escape for control characters.
  fileprivate var withoutControls: Self {
    let isControl = device == RandomLocations.names.last
    return Self(
      isSimulated: isSimulated, device: isControl ? "\u{FFFD}x\u{FFFD}\u{FFFD}\u{FFFD}" : device,
      timeSource: timeSource)
  }
}

extension GNSSFix {
  /// The fix without the values that only location JSON holds.
  fileprivate var common: Self? {
    let dilution = dilutionOfPrecision
    let common = try? DilutionOfPrecision(
      horizontal: dilution?.horizontal, vertical: dilution?.vertical, position: dilution?.position)
    let isEmpty =
      dilution?.horizontal == nil && dilution?.vertical == nil && dilution?.position == nil
    return try? GNSSFix(
      mode: mode, status: status, dilutionOfPrecision: isEmpty ? nil : common,
      satellitesUsed: satellitesUsed, satellitesVisible: satellitesVisible,
      magneticVariation: magneticVariation, geoidSeparation: geoidSeparation,
      differentialAge: differentialAge, differentialStation: differentialStation)
  }
}

/// Locations with random content, including numbers of many digits and hostile names.
struct RandomLocations {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A track of one receiver, with dates that a receiver can report.
  mutating func receiverTrack() throws -> Track {
    let device = Self.names[0]
    let seconds = Double.random(in: 4e8...7e8, using: &random)
    return try track(from: seconds) { value in
      value.sourceInformation = SourceInformation(device: device)
    }
  }

  mutating func track() throws -> Track {
    try track(from: Double.random(in: -1e9...1e9, using: &random)) { _ in }
  }

  private mutating func track(
    from start: Double, _ change: (inout Location.Values) -> Void
  ) throws -> Track {
    var track = Track(name: Self.names.randomElement(using: &random))
    var seconds = start
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      // Another receiver at the same place would begin a segment.
      let device = Bool.random(using: &random) ? Self.names.randomElement(using: &random) : nil
      for index in 0..<Int.random(in: 1...8, using: &random) {
        seconds += Bool.random(using: &random) ? 1 : Double.random(in: 0.001...2000, using: &random)
        track.append(
          TrackPoint(
            try location(at: seconds, device: device).with(change),
            beginning: index == 0 ? .loss : nil))
      }
    }
    return track
  }

  static let names = [
    "/dev/ttyACM0", "a \"b\", 'c' & <d> ]]>", "é\u{301}\u{1F6F0}", "\u{202E}x\u{7F}\u{9B}\u{2028}",
  ]

  /// Returns the least number of a range, a tiny one, one with few digits, or any other.
  private mutating func number(_ range: ClosedRange<Double>) -> Double {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: range.lowerBound
    case 1: Double.random(in: range, using: &random)
    case 2: min(max(1.25e-7, range.lowerBound), range.upperBound)
    case 3: (Double.random(in: range, using: &random) * 10).rounded() / 10
    default:
      min(
        max(Double.random(in: range, using: &random).rounded(), range.lowerBound), range.upperBound)
    }
  }

  private mutating func optionalNumber(_ range: ClosedRange<Double>) -> Double? {
    Bool.random(using: &random) ? number(range) : nil
  }

  private mutating func optionalCount(_ range: ClosedRange<Int>) -> Int? {
    Bool.random(using: &random) ? Int.random(in: range, using: &random) : nil
  }

  private mutating func location(at seconds: Double, device: String?) throws -> Location {
    let gnss = Bool.random(using: &random) ? try fix() : nil
    return try Location(
      latitude: number(-90...90), longitude: number(-180...180),
      timestamp: Date(timeIntervalSinceReferenceDate: seconds),
      altitude: optionalNumber(-400...9000),
      ellipsoidalAltitude: optionalNumber(-400...9000), horizontalAccuracy: optionalNumber(0...100),
      verticalAccuracy: optionalNumber(0...100), speed: optionalNumber(0...300),
      speedAccuracy: optionalNumber(0...10),
      course: optionalNumber(0...359), courseAccuracy: optionalNumber(0...180),
      climb: optionalNumber(-50...50),
      floor: optionalCount(-3...200),
      sourceInformation: device.map { SourceInformation(device: $0) }, gnss: gnss)
  }

  private mutating func fix() throws -> GNSSFix {
    try GNSSFix(
      mode: Bool.random(using: &random) ? .twoDimensional : .threeDimensional,
      status: Bool.random(using: &random)
        ? GNSSFix.Status.allCases.randomElement(using: &random) : nil,
      dilutionOfPrecision: DilutionOfPrecision(
        horizontal: number(0...50), vertical: optionalNumber(0...50),
        position: optionalNumber(0...50),
        time: optionalNumber(0...9)),
      satellitesUsed: optionalCount(0...40), satellitesVisible: optionalCount(0...60),
      magneticVariation: optionalNumber(-180...180), geoidSeparation: optionalNumber(-100...100),
      differentialAge: optionalNumber(0...60), differentialStation: optionalCount(0...4095))
  }
}
