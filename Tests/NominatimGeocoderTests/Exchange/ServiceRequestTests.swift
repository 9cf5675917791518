import AsyncLocation
import TestSupport
import Testing

@testable import NominatimGeocoder

@Suite(.inTurn) struct ServiceRequestTests {
  @Test(
    arguments: [
      (0, "0.0000000"), (-0.0, "0.0000000"), (1e-7, "0.0000001"), (-1e-9, "0.0000000"),
      (-9.5209999, "-9.5209999"), (179.99999999, "180.0000000"), (90, "90.0000000"),
      (1e-300, "0.0000000"),
    ] as [(Double, String)])
  func degreesHaveSevenDecimalPlaces(_ value: Double, _ text: String) {
    #expect(ServiceRequest.degrees(value) == text)
  }

  @Test(arguments: [
    ("", ""), ("aZ09-._~", "aZ09-._~"), ("a b", "a%20b"), ("+&=#%?/", "%2B%26%3D%23%25%3F%2F"),
    ("\r\n\u{0}", "%0D%0A%00"), ("ü", "%C3%BC"), ("🏔", "%F0%9F%8F%94"),
  ])
  func queryTextIsPercentEncoded(_ text: String, _ encoded: String) {
    #expect(ServiceRequest.encoded(text) == encoded)
  }

  @Test(arguments: [
    "", " ", "\u{3000}\u{A0}", String(repeating: "x", count: 257), "a\nb", "a\u{0}",
  ])
  func invalidNamesAreRejected(_ name: String) {
    #expect { try ServiceRequest.search(name, near: nil, nil, .nominatim, limit: 1) } throws: {
      ($0 as? LocationError)?.code == .invalidValue
    }
  }

  /// A text is the west, south, east and north of the preferred area.
  @Test(
    arguments: [
      (0, 0, "-0.4491576%2C-0.4500000%2C0.4491576%2C0.4500000"),
      (90, 0, "-180.0000000%2C89.5500000%2C180.0000000%2C90.0000000"),
      (0, 180, "179.5508424%2C-0.4500000%2C180.0000000%2C0.4500000"),
      (0, -179.9, "-180.0000000%2C-0.4500000%2C-179.4508424%2C0.4500000"),
    ] as [(Double, Double, String)])
  func viewboxesSurroundThePoint(latitude: Double, longitude: Double, text: String) throws {
    let point = try Coordinate(latitude: latitude, longitude: longitude)
    let request = try ServiceRequest.search("x", near: point, nil, .nominatim, limit: 1)
    let viewbox = request.target.split(separator: "viewbox=").last.map(String.init)
    if latitude < 90 {
      #expect(viewbox == text)
    } else {
      // At a pole, every direction is south: only the latitude is checked.
      #expect(viewbox?.contains("89.55") == true)
    }
  }
}
