import AsyncLocation
import FoundationEssentials
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct NumberTextTests {
  @Test(
    arguments: [
      (0, 0, "0"), (0, 2, "0.00"), (-0.001, 2, "0.00"), (-0.006, 2, "-0.01"), (1.5, 0, "2"),
      (9.9999, 3, "10.000"), (48.1371540, 7, "48.1371540"), (-179.99999999, 7, "-180.0000000"),
      (0.05, 1, "0.1"), (123_456_789, 1, "123456789.0"), (1e300, 1, "1e+300"),
    ] as [(Double, Int, String)])
  func numbersAreFormattedWithFixedDigits(value: Double, digits: Int, text: String) {
    #expect(NumberText.fixed(value, digits) == text)
  }

  @Test(
    arguments: [
      (0, "0.0"), (13.94, "13.9"), (9999.94, "9999.9"), (99_999.94, "100000"),
      (123_456.7, "123457"), (999_999.4, "999999"), (999_999.9, "1e+6"), (1_234_567, "1e+6"),
      (9_600_000, "1e+7"), (1e18, "1e+18"), (1.7e308, "2e+308"), (.infinity, "inf"),
      (-1_234_567, "-1e+6"),
    ] as [(Double, String)])
  func largeNumbersFitTheirWidth(value: Double, text: String) {
    #expect(NumberText.fixed(value, 1, width: 6) == text)
  }

  @Test(
    arguments: [
      (.zero, "0.0 s"), (.milliseconds(1250), "1.3 s"), (.milliseconds(9990), "10.0 s"),
      (.seconds(10), "10 s"), (.seconds(59), "59 s"), (.seconds(61), "1 min 1 s"),
      (.seconds(3725), "1 h 2 min"), (.seconds(90_000), "1 d 1 h"), (.seconds(-5), "0.0 s"),
      (.seconds(Int64.max), "11574074074 d 1 h"),
    ] as [(Duration, String)])
  func durationsAreFormatted(duration: Duration, text: String) {
    #expect(NumberText.span(duration) == text)
  }

  @Test(
    arguments: [
      (0, "1970-01-01T00:00:00.000Z"), (1_777_863_721.250, "2026-05-04T03:02:01.250Z"),
      (1_777_863_721.9996, "2026-05-04T03:02:02.000Z"),
      (1_777_863_721.001, "2026-05-04T03:02:01.001Z"),
    ] as [(Double, String)])
  func datesAreFormatted(seconds: Double, text: String) {
    #expect(NumberText.time(Date(timeIntervalSince1970: seconds)) == text)
  }

  @Test func everyMillisecondRoundTrips() {
    for millisecond in 0..<1000 {
      let date = Date(timeIntervalSince1970: 1_777_863_721 + Double(millisecond) / 1000)
      #expect(
        NumberText.time(date) == "2026-05-04T03:02:01.\(millisecond.padded(to: 3))Z")
    }
  }
}

@Suite(.inTurn) struct AnglesTests {
  @Test(arguments: [
    (0, "0°00′00.00″ N"), (48.137154, "48°08′13.75″ N"), (-33.856784, "33°51′24.42″ S"),
    (59.99999999, "60°00′00.00″ N"), (-0.5, "0°30′00.00″ S"), (90, "90°00′00.00″ N"),
  ])
  func sexagesimalAnglesAreFormatted(degrees: Double, text: String) {
    #expect(Angles.sexagesimal(degrees, ("N", "S"), glyphs: .unicode) == text)
  }

  @Test(
    arguments: [
      (359.97, 1, "0.0"), (359.94, 1, "359.9"), (359.5, 0, "0"), (0.04, 1, "0.0"),
      (360, 1, "0.0"), (359.999, 2, "0.00"), (36, 1, "36.0"),
    ] as [(Double, Int, String)])
  func directionsWrapAt360(degrees: Double, digits: Int, text: String) {
    #expect(Angles.direction(degrees, digits) == text)
  }

  @Test("directions are never shown as 360")
  func directions() throws {
    let source = SourceInformation(device: "/dev/a")
    let location = try Location(
      latitude: 1, longitude: 2, timestamp: Samples.time, course: 359.97,
      sourceInformation: source)
    let heading = try Heading(
      trueHeading: 359.97, magneticHeading: 359.99, timestamp: Samples.time, source: .compass)
    let sky = try SatelliteView(
      satellites: [Satellite(prn: 1, azimuth: 359.7, isUsed: true)], sourceInformation: source)
    let shown =
      [
        LocationLine.line(location), HeadingLine.line(heading),
        LocationText(glyphs: .unicode).course(location) ?? "",
      ]
      + SkyTable(glyphs: .unicode).lines(sky, width: 80, height: 10).map { $0.text(color: false) }
    for text in shown { #expect(!text.contains("360"), "\(text)") }
    #expect(shown[2] == "0.0° N")
  }

  @Test func decimalAnglesAreFormatted() {
    #expect(Angles.decimal(-0.1278, ("E", "W"), sign: "°") == "0.1278000° W")
  }

  @Test(arguments: [
    (0, "N"), (11.2, "N"), (11.3, "NNE"), (90, "E"), (180, "S"), (270, "W"), (348.8, "N"),
    (359.9, "N"), (337.5, "NNW"),
  ])
  func coursesHaveCompassPoints(course: Double, name: String) {
    #expect(Angles.compassPoint(course) == name)
  }
}
