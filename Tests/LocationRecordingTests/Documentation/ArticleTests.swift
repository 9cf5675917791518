import TestSupport
import Testing

/// Checks that the code in the articles and doc comments compiles: each block occurs in a file of
/// this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))
  private static let sources = folder + "/../../../Sources/LocationRecording"

  @Test(arguments: [
    ("LocationRecording.docc", 18), ("Recording.swift", 1), ("RecordingReader.swift", 1),
    ("Track/Track.swift", 1), ("Track/TrackSegmentation.swift", 1),
    ("Track/TrackStatistics.swift", 1), ("Writing/RecordingWriter.swift", 1),
    ("Pictures/TrackPicture.swift", 1),
    ("Pictures/Basemap.swift", 1), ("Pictures/SkyPicture.swift", 1),
    ("Recorder/TrackRecorder.swift", 1), ("GeoJSON/GeoJSONConditions.swift", 1),
  ])
  func everyBlockCompiles(_ name: String, _ count: Int) throws {
    let blocks = try CodeBlocks(in: ["\(Self.sources)/\(name)"], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count == count)
  }
}
