import Foundation
import TestSupport
import Testing

@testable import SampleDrive

@Suite(.inTurn) struct DriveTests {
  static let drive = Drive()
  var epochs: [Epoch] { Self.drive.epochs }

  @Test func lastsMinutesAtOneHertz() {
    #expect((360...600).contains(epochs.count))
    #expect(epochs.map(\.offset) == (0..<epochs.count).map { .seconds($0) })
    #expect(epochs[0].timestamp == Date(timeIntervalSince1970: 1_777_863_600))
    for (earlier, later) in zip(epochs, epochs.dropFirst()) {
      #expect(later.timestamp.timeIntervalSince(earlier.timestamp) == 1)
    }
  }

  @Test func startsAndEndsParkedAtOnePlace() throws {
    let (first, last) = try (#require(epochs.first).truth, #require(epochs.last).truth)
    #expect(first.speed == 0)
    #expect(last.speed == 0)
    #expect(separation(first, last) < 0.01)
    #expect(abs(first.altitude - last.altitude) < 0.01)
  }

  @Test func movementMatchesTheSpeed() {
    for (earlier, later) in zip(epochs, epochs.dropFirst()) {
      let (from, to) = (earlier.truth, later.truth)
      let expected = (from.speed + to.speed) / 2
      #expect(abs(to.distance - from.distance - expected) < 0.5, "at \(later.offset)")
      // The chord across a corner is never longer than the path.
      let chord = separation(from, to)
      #expect(chord <= to.distance - from.distance + 0.05, "at \(later.offset)")
      #expect(chord >= (to.distance - from.distance) * 0.9, "at \(later.offset)")
      #expect(abs(to.speed - from.speed) < 4, "at \(later.offset)")
      #expect(abs(to.altitude - from.altitude - (from.climb + to.climb) / 2) < 0.2)
    }
  }

  @Test(.longWork) func courseMatchesTheMovement() {
    for (earlier, later) in zip(epochs, epochs.dropFirst())
    where earlier.truth.speed > 2 && later.truth.speed > 2 {
      let east =
        (later.truth.longitude - earlier.truth.longitude)
        * cos(earlier.truth.latitude * .pi / 180)
      let north = later.truth.latitude - earlier.truth.latitude
      let bearing = atan2(east, north) * 180 / .pi
      #expect(angle(from: earlier.truth.course, to: bearing) < 35, "at \(later.offset)")
      #expect(angle(from: earlier.truth.course, to: later.truth.course) < 45, "at \(later.offset)")
    }
  }

  @Test func stopsTurnsAndClimbs() {
    var stops = 0
    for (earlier, later) in zip(epochs, epochs.dropFirst())
    where earlier.truth.speed > 0 && later.truth.speed == 0 {
      stops += 1
    }
    #expect(stops == 4)
    let quadrants = Set(epochs.map { Int($0.truth.course / 90) })
    #expect(quadrants == [0, 1, 2, 3])
    let altitudes = epochs.map(\.truth.altitude)
    #expect((altitudes.max() ?? 0) - (altitudes.min() ?? 0) > 30)
    #expect((epochs.map(\.truth.speed).max() ?? 0) > 20)
  }

  @Test func tunnelBlocksSatellitesAndDegradesTheNextFix() throws {
    let tunnelEpochs = epochs.filter(\.truth.isInTunnel)
    #expect((35...45).contains(tunnelEpochs.count))
    for epoch in tunnelEpochs {
      #expect(epoch.fix == nil)
      #expect(epoch.satellites.allSatisfy { !$0.isUsed && $0.signalStrength == nil })
    }
    #expect(tunnelEpochs.last?.satellites.isEmpty == true)
    let outside = epochs.drop { !$0.truth.isInTunnel }.drop { $0.truth.isInTunnel }
    let firstFix = try #require(outside.first { $0.fix != nil }?.fix)
    #expect(!firstFix.isThreeDimensional)
    let laterFix = try #require(outside.dropFirst(60).first?.fix)
    #expect(firstFix.errorEast > 5 * laterFix.errorEast)
    #expect(laterFix.isThreeDimensional)
    // Few epochs outside the tunnel have no fix.
    #expect(epochs.filter { $0.fix == nil }.count < tunnelEpochs.count + 8)
    #expect(epochs[0].fix != nil)
  }

  @Test func errorsAreWithinTheAccuracy() {
    let frame = Route().frame
    var countWithin = 0
    var count = 0
    for epoch in epochs {
      guard let fix = epoch.fix else { continue }
      let error = frame.point(latitude: fix.latitude, longitude: fix.longitude).distance(
        to: frame.point(latitude: epoch.truth.latitude, longitude: epoch.truth.longitude))
      // The horizontal accuracy that the events of the drive report.
      let radius =
        2
        * (fix.errorEast * fix.errorEast + fix.errorNorth * fix.errorNorth)
        .squareRoot()
      count += 1
      if error <= radius { countWithin += 1 }
      #expect(error <= 2.5 * radius, "at \(epoch.offset)")
      #expect(error > 0)
    }
    #expect(Double(countWithin) > 0.85 * Double(count))
  }

  @Test func satellitesChange() {
    let systems = Set(epochs[0].satellites.filter(\.isUsed).map(\.system))
    #expect(systems == [.gps, .glonass, .galileo])
    let fixed = epochs.filter { $0.fix != nil }
    #expect(Set(fixed.map { Set($0.satellites.map(\.prn)) }).count > 3, "they rise and set")
    #expect(Set(fixed.map { Set($0.satellites.filter(\.isUsed).map(\.prn)) }).count > 20)
    #expect(Set(epochs.compactMap { $0.satellites.first?.signalStrength }).count > 4)
    for epoch in epochs {
      #expect(Set(epoch.satellites.map(\.prn)).count == epoch.satellites.count)
      #expect(epoch.satellites.filter(\.isUsed).count == epoch.fix?.satellitesUsed ?? 0)
    }
  }

  @Test(.longWork) func theSeedDeterminesTheDrive() {
    #expect(Drive(seed: 7).epochs == Drive(seed: 7).epochs)
    #expect(Drive(seed: 7).epochs != Drive(seed: 8).epochs)
    #expect(Drive(seed: 7).epochs.map(\.truth) == Drive(seed: 8).epochs.map(\.truth))
  }

  /// Returns the distance between two positions in metres.
  private func separation(_ from: Epoch.Motion, _ to: Epoch.Motion) -> Double {
    let frame = Route().frame
    return frame.point(latitude: from.latitude, longitude: from.longitude).distance(
      to: frame.point(latitude: to.latitude, longitude: to.longitude))
  }

  /// Returns the angle between two directions in degrees, at most 180.
  private func angle(from: Double, to: Double) -> Double {
    let change = (to - from).truncatingRemainder(dividingBy: 360).magnitude
    return min(change, 360 - change)
  }
}
