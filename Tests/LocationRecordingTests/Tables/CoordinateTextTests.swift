import TestSupport
import Testing

@testable import LocationRecording

/// F83: coordinates of two axes in one text.
@Suite(.inTurn) struct CoordinateTextTests {
  @Test(
    arguments: [
      "48.25N 11.5E", "48.25 N, 11.5 E", "N 48.25 E 11.5", "N48.25,E11.5", "48.25N,11.5E",
      "11.5E 48.25N", "48°15'N 11°30'E", "48° 15' 0\" N 11° 30' 0\" E", "48 15 0 N 11 30 0 E",
      "48°15' 11°30'", "48.25°, 11.5°", "48º15 11º30", "N 48.25,11.5 E", "48,25N 11,5E",
      "48 deg 15' 0.00\" N, 11 deg 30' 0.00\" E",
    ])
  func readsAPoint(_ text: String) throws {
    let point = try #require(CoordinateText.point(text))
    #expect(point.latitude == 48.25)
    #expect(point.longitude == 11.5)
  }

  @Test func readsSouthAndWest() throws {
    let point = try #require(CoordinateText.point("S 33 51 36 W 151 12 0"))
    #expect(point.latitude == -33.86)
    #expect(point.longitude == -151.2)
  }

  @Test(
    arguments: [
      "", "N", "N E", "48.25 11.5", "48.25N", "48.25N 11.5", "48.25N 11.5N", "Paris", "Paris 11E",
      "St. Louis", "200 S 300 E", "95N 10E", "48°60'N 11°E", "N 5th St E", "10115 Berlin",
      String(repeating: "1 ", count: 1000) + "N 1 E",
    ])
  func refuses(_ text: String) { #expect(CoordinateText.point(text) == nil) }
}
