import AsyncLocation
import MQTTBackend
import TestSupport
import Testing

/// The code of the fleet's documentation comments, to compile.
enum FleetSnippets {
  static func updates(of fleet: Fleet) async throws {
    for try await update in fleet.updates {
      print(update.device, update.location.coordinate)
    }
  }
}

@Suite(.inTurn) struct FleetSnippetTests {
  private static let folder = String(#filePath.dropLast("/FleetSnippets.swift".count))

  @Test func everyBlockCompiles() throws {
    let file = "\(Self.folder)/../../../Sources/MQTTBackend/Fleet/Fleet.swift"
    let blocks = try CodeBlocks(in: [file], knownFrom: [Self.folder])
    for (article, code) in blocks.unknown {
      Issue.record("\(article) has code of its own:\n\(code)")
    }
    #expect(blocks.count > 0)
  }
}
