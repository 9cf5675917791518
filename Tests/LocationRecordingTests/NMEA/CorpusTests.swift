import AsyncLocation
import Foundation
import TestSupport
import Testing

@testable import LocationRecording

/// Compares the locations of recorded sentences with gpsd 3.22's reports of the same sentences.
@Suite(.inTurn) struct CorpusTests {
  /// gpsd's report for a time: the last value of each member.
  struct Epoch {
    var latitude: Double?
    var longitude: Double?
    var altitude: Double?
    var speed: Double?
    var track: Double?
    var mode: Int?
  }

  /// The members that may differ, and the reason, by recording.
  static let explained: [String: (Set<String>, String)] = [
    "april6_2019.log": (
      ["time"],
      "the receiver says 1999-08-22; gpsd adds 1,024 weeks, the reader gives no time"
    ),
    "garmin48.log": (
      ["speed"], "gpsd computes the speed of GLL sentences, which have a time of their own"
    ),
    "hemi.log": (["speed"], "gpsd reports GGA before VTG, with a speed that it computes"),
    "rst39.log": (["speed"], "gpsd computes the speed between the positions of GGA"),
  ]

  @Test(.longWork, .needsCorpus) func locationsOfTheCorpusMatchGPSD() throws {
    var compared = 0
    // Both round to nine decimal places.
    let lastDigit = 1.5e-9
    for (name, log, reports) in try Corpus.recordings() {
      guard let recording = try? Recording(log), recording.format == .nmea else { continue }
      let epochs = try epochs(reports)
      let (known, _) = Self.explained[name] ?? ([], "")
      var found: [Int: Location] = [:]
      for location in recording.locations
      where location.sourceInformation?.timeSource == .receiver {
        found[Self.key(location.timestamp)] = location
      }
      for (key, epoch) in epochs {
        guard let location = found[key] else {
          #expect(known.contains("time"), "\(name): nothing at \(key)")
          continue
        }
        compared += 1
        func compare(_ member: String, _ ours: Double?, _ theirs: Double?, within tolerance: Double)
        {
          guard let theirs, !known.contains(member) else { return }
          #expect(
            ours.map { abs($0 - theirs) <= tolerance } == true,
            "\(name) at \(key): \(member) is \(ours as Any), gpsd says \(theirs)")
        }
        compare("latitude", location.latitude, epoch.latitude, within: lastDigit)
        compare("longitude", location.longitude, epoch.longitude, within: lastDigit)
        compare("speed", location.speed, epoch.speed, within: 0.001)
        compare("track", location.course, epoch.track, within: 0.001)
        if location.gnss?.mode == .threeDimensional {
          compare("altitude", location.altitude, epoch.altitude, within: 0.001)
        }
        #expect(
          location.gnss?.mode == (epoch.mode == 3 ? .threeDimensional : .twoDimensional),
          "\(name) at \(key)")
      }
    }
    #expect(compared > 400)
  }

  /// The milliseconds since the beginning of an era of 1,024 weeks. The era itself is left out,
  /// because gpsd moves old dates to a later one.
  private static func key(_ date: Date) -> Int {
    let era = 1024 * 7 * 86_400_000
    return Int((date.timeIntervalSince1970 * 1000).rounded()) % era
  }

  private func epochs(_ reports: [UInt8]) throws -> [Int: Epoch] {
    var epochs: [Int: Epoch] = [:]
    for line in reports.split(separator: 10) where line.first == UInt8(ascii: "{") {
      guard let report = try? JSONSerialization.jsonObject(with: Data(line)) as? [String: Any],
        report["class"] as? String == "TPV", let text = report["time"] as? String,
        let date = CalendarTime.parse(text), let latitude = report["lat"] as? Double
      else { continue }
      var epoch = epochs[Self.key(date)] ?? Epoch()
      epoch.latitude = latitude
      epoch.longitude = report["lon"] as? Double
      epoch.altitude = report["altMSL"] as? Double ?? epoch.altitude
      epoch.speed = report["speed"] as? Double ?? epoch.speed
      epoch.track = report["track"] as? Double ?? epoch.track
      epoch.mode = report["mode"] as? Int
      epochs[Self.key(date)] = epoch
    }
    return epochs
  }
}
