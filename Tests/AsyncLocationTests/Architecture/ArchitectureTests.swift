import TestSupport
import Testing

/// The tables of Documentation/Architecture.md are what the sources do.
@Suite(.inTurn) struct ArchitectureTests {
  private static let tree = Result { try SourceTree() }

  @Test(.longWork) func targetsImportWhatTheirRowsList() throws {
    try check { $0.importsOfTargets() }
  }
  @Test(.longWork) func roomsImportWhatTheirRowsList() throws { try check { $0.importsOfRooms() } }
  @Test func pureCodeIsPure() throws { try check { $0.purity() } }
  @Test(.longWork) func roomsNameOnlyTypesOfRoomsBelow() throws { try check { $0.orderOfRooms() } }

  @Test(.longWork) func theTablesAreFound() throws {
    let tree = try Self.tree.get()
    #expect(tree.sources.count > 200 && tree.tests.count > 100)
    #expect(tree.page.targets.count >= 10 && tree.page.rooms.count >= 20)
    #expect(tree.page.rooms.contains { $0.isPure })
  }

  private func check(_ rule: (SourceTree) -> [String]) throws {
    for violation in rule(try Self.tree.get()) { Issue.record("\(violation)") }
  }
}
