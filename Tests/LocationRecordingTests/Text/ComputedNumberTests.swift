import AsyncLocation
import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct ComputedNumberTests {
  static let numbers: [(Double, String)] = [
    (86404.00000000001, "86404"), (499.6 + 48.1, "547.7"), (0.1 + 0.2, "0.3"),
    (47 + 17.114 / 60, "47.285233333"), (3.3 * 1852 / 3600, "1.697666667"), (-1e-12, "0"),
    (1e30, "1e+30"), (123_456.123456789, "123456.123456789"),
    (9_007_199.254740993, "9007199.254740993"),
  ]

  @Test(arguments: numbers)
  func roundedNumbersHaveNoNoise(_ number: Double, _ text: String) {
    #expect(NumberText.shortest(ComputedNumber.rounded(number)) == text)
  }

  @Test func numbersAreRoundedToDecimalPlaces() {
    #expect(ComputedNumber.rounded(1234.56789, places: 3) == 1234.568)
    #expect(ComputedNumber.rounded(-0.0004, places: 3) == 0)
    #expect(ComputedNumber.rounded(1.5, places: 0) == 2)
    #expect(ComputedNumber.rounded(.infinity) == .infinity)
  }

  @Test func keepsNineDecimalPlaces() {
    for number in stride(from: 0, to: 180_000_000_000, by: 123_456_789) {
      let degrees = Double(number) / 1e9
      #expect(ComputedNumber.rounded(degrees) == degrees)
    }
  }

  struct Source: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let content: [UInt8]
    /// The numbers that each format writes for the content.
    let texts: [String]
  }

  static let sources = [
    Source(
      testDescription: "minutes, knots and a sum of altitudes",
      content: sentences([
        "GPGGA,120000.10,4717.1140,N,00833.9150,E,1,08,0.9,499.6,M,48.1,M,,",
        "GPRMC,120000.10,A,4717.1140,N,00833.9150,E,3.3,84.4,040526,,,A",
      ]),
      texts: ["47.285233333", "8.56525", "1.697666667", "547.7", "17.1", "12:00:00.100Z"]),
    Source(
      testDescription: "feet and kilometres per hour",
      content: Array(
        "lat,lon,altitude (ft),speed (km/h),time\n1.1,2.2,1000.1,10,1777896000.123\n".utf8),
      texts: ["1.1", "2.2", "304.83048", "2.777777778", "12:00:00.123Z"]),
    Source(
      testDescription: "milliseconds and minutes",
      content: Array("lat,lon,time\n47 17.114,8 33.915,1777896000123\n".utf8),
      texts: ["47.285233333", "8.56525", "12:00:00.123Z"]),
  ]

  /// GPX writes the magnetic variation as an angle from 0° to 360°, and as given in an extension.
  @Test("F83 a point of GPX has no more digits than its receiver gave")
  func aPointHasItsDigits() throws {
    let reports = [
      #"{"class":"SKY","device":"/dev/ttyACM0","time":"2026-05-04T12:00:00.200Z","#
        + #""hdop":0.81,"vdop":1.2,"pdop":1.45,"satellites":["#
        + (1...12).map { #"{"PRN":\#($0),"el":45,"az":90,"ss":40,"used":true}"# }
        .joined(separator: ",") + "]}",
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"status":2,"#
        + #""time":"2026-05-04T12:00:00.200Z","ept":0.005,"lat":47.141234567,"lon":9.521234567,"#
        + #""altHAE":505.301,"altMSL":457.201,"epx":3.216,"epy":4.012,"epv":8.51,"#
        + #""track":123.4567,"magvar":-3.1,"speed":13.412,"climb":0.05,"eps":0.82,"#
        + #""epc":17.02,"geoidSep":48.1,"eph":5.13,"epd":2.1}"#,
    ]
    let found = try recording(reports.joined(separator: "\n") + "\n")
    let text = String(decoding: Track(found).encoded(as: .gpx), as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.hasPrefix("<trkpt") }
    let line = try #require(lines.first)
    #expect(lines.count == 1, "\(line)")
    #expect(line.contains("<magvar>356.9</magvar>"), "\(line)")
    #expect(line.contains("<al:magneticVariation>-3.1</al:magneticVariation>"))
    let numbers = line.matches(of: /[>"](-?[0-9.]+)[<"]/).map { String($0.output.1) }
    #expect(numbers.count > 15)
    for number in numbers {
      // The angle and the number of satellites are computed.
      let isGiven = reports.contains { $0.contains(number) }
      #expect(isGiven || ["356.9", "12"].contains(number), "\(number)")
    }
    #expect(line.utf8.count <= 900, "\(line.utf8.count)")
    let read = try recording(text)
    #expect(read.locations.map(\.gnss?.magneticVariation) == [-3.1])
    // Without the extension, the angle has one decimal place too.
    let bare = try recording(text.replacing("al:magneticVariation", with: "al:other"))
    #expect(bare.locations.map(\.gnss?.magneticVariation) == [-3.1])
  }

  @Test("written numbers have no digits of a computation", arguments: sources)
  func writesNoNoise(_ source: Source) throws {
    let locations = try recording(source.content).locations
    var segmentation = TrackSegmentation(TrackOptions())
    let points = locations.map { segmentation.point(for: $0) }
    #expect(points.count == 1)
    for format in [RecordingWriter.Format.geoJSON, .csv, .gpsd, .gpx, .locationJSON] {
      var writer = RecordingWriter(format: format)
      var bytes: [UInt8] = []
      for point in points { bytes += writer.write(point) }
      let text = String(decoding: bytes + writer.finish(), as: UTF8.self)
      for part in source.texts { #expect(text.contains(part), "\(format): \(text)") }
      #expect(text.firstRange(of: /\d\.\d{10}/) == nil, "\(format): \(text)")
    }
  }
}
