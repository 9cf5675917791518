import TestSupport
import Testing

@testable import LocationRecording

@Suite(.inTurn) struct TracksPictureTests {
  private static func tracks(_ count: Int, _ points: Int = 50) throws -> [Track] {
    try (0..<count).map { index in
      var track = try TrackPictureTests.walk(points, step: 0.000_1 * Double(index + 1))
      track.name = "jane/\(index)"
      return track
    }
  }

  @Test(.longWork, arguments: [0, 1, 3, 60])
  func aPictureOfTracksIsWellFormed(_ count: Int) throws {
    let picture = TracksPicture(try Self.tracks(count), title: "A fleet")
    let elements = try TrackPictureTests.elements(picture.svg())
    let marks = elements.filter { $0.attributes["class"]?.hasPrefix("here ") == true }
    #expect(marks.count == count)
    let colors = Set(marks.compactMap { $0.attributes["class"] })
    #expect(colors.count == min(count, TracksStyle.light.count))
    let lines = elements.filter { $0.attributes["class"]?.hasPrefix("line ") == true }
    #expect(lines.count == colors.count)
    #expect(TracksStyle.light.count == TracksStyle.dark.count)
  }

  @Test func namesAreText() throws {
    var track = try TrackPictureTests.walk(10)
    track.name = TrackPictureTests.hostileName
    let picture = TracksPicture([track], title: TrackPictureTests.hostileName)
    for text in [picture.svg(), picture.html()] {
      #expect(!text.contains("<script"))
      #expect(!text.contains("\u{1B}"))
    }
    _ = try TrackPictureTests.elements(picture.svg())
  }

  @Test func listsEveryTrackUpToALimit() throws {
    let page = TracksPicture(try Self.tracks(120, 2)).html()
    #expect(page.contains("120 tracks"))
    #expect(page.contains("20 more are not listed."))
    #expect(page.contains("80 more"))
  }

  @Test func leavesOutTracksWithoutLocations() throws {
    let picture = TracksPicture([Track(name: "empty"), try TrackPictureTests.walk(5)])
    #expect(!picture.svg().contains("empty"))
    #expect(TracksPicture([]).svg().contains("No locations"))
  }
}
