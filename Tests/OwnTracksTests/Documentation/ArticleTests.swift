import AsyncLocation
import OwnTracks
import TestSupport
import Testing

/// Checks that the code in the articles compiles: each block occurs in a file of this folder.
@Suite(.inTurn) struct ArticleTests {
  private static let folder = String(#filePath.dropLast("/ArticleTests.swift".count))

  @Test func everyBlockCompiles() throws {
    let blocks = try CodeBlocks(
      in: [Self.folder + "/../../../Sources/OwnTracks/OwnTracks.docc"], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count == 2)
  }

  /// The code of the overview.
  private func decode(_ payload: [UInt8]) throws {
    let message = try OwnTracksMessage(json: payload)
    if case .location(let report) = message {
      print(report.location, report.batteryLevel ?? 0)
    }
  }

  private func encode(_ location: Location, publish: ([UInt8], String) -> Void) throws {
    let topic = try OwnTracksTopic(user: "jane", device: "boat")
    let message = OwnTracksMessage.location(LocationMessage(location, trackerID: "jB"))
    publish(message.json, "\(topic)")
  }
}
