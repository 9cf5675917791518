import TestSupport
import Testing

/// The sources follow the order of the tables of Documentation/Architecture.md.
@Suite(.inTurn) struct ArchitectureTests {
  private static let tree = Result { try SourceTree() }

  @Test(.longWork) func targetsDependOnTargetsBelow() throws { try check { $0.orderOfTargets() } }
  @Test func pureCodeHasNoSideEffects() throws { try check { $0.purity() } }
  @Test(.longWork) func roomsNameOnlyTypesOfRoomsBelow() throws { try check { $0.orderOfRooms() } }

  @Test(.longWork) func theArchitectureTablesAreRead() throws {
    let tree = try Self.tree.get()
    #expect(tree.sources.count > 200)
    #expect(tree.page.targets.count >= 10)
    #expect(tree.page.rooms.count >= 20)
    #expect(tree.page.rooms.contains { $0.isPure })
  }

  private func check(_ rule: (SourceTree) -> [String]) throws {
    for violation in rule(try Self.tree.get()) { Issue.record("\(violation)") }
  }
}
