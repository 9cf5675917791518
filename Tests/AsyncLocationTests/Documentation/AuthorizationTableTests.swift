import FoundationEssentials
import TestSupport
import Testing

/// Checks that the permission tables in the documentation match the code. Writes the page first if
/// `ASYNC_LOCATION_WRITE_TABLES` is set.
@Suite(.inTurn) struct AuthorizationTableTests {
  private static let root = String(
    #filePath.dropLast(
      "Tests/AsyncLocationTests/Documentation/AuthorizationTableTests.swift".count))
  private static let file = root + "Documentation/AuthorizationTable.md"
  private static let article =
    root + "Sources/AsyncLocation/AsyncLocation.docc/Permission.md"

  private static let page = """
    # The state machine of permission, as a table

    Made by asking `AuthorizationStateMachine` itself, and checked against it by
    `AuthorizationTableTests`; `ASYNC_LOCATION_WRITE_TABLES=1 swift test --filter
    AuthorizationTableTests` writes it anew. What is not listed changes nothing and does nothing.

    ## Permission

    States that can be reached with location services on, a willing source and the application in
    use.

    \(AuthorizationTable.permission)
    ## What stands above it

    Location services that are off deny everything, a source can refuse by itself, and out of use
    only permission always delivers. Each is lifted by its opposite; what was granted then holds
    again.

    \(AuthorizationTable.conditions)
    ## Accuracy

    Under permission with reduced accuracy, for two purposes *p* and *q*.

    \(AuthorizationTable.accuracy)
    """

  private static func text(of path: String) -> String? {
    FileManager.default.contents(atPath: path).flatMap { String(bytes: $0, encoding: .utf8) }
  }

  @Test func theDocumentedTableMatchesTheCode() throws {
    if ProcessInfo.processInfo.environment["ASYNC_LOCATION_WRITE_TABLES"] != nil {
      try Data(Self.page.utf8).write(to: URL(filePath: Self.file))
    }
    let written = try #require(Self.text(of: Self.file), "there is no \(Self.file)")
    let (old, new) = (written.split(separator: "\n"), Self.page.split(separator: "\n"))
    let differences = new.difference(from: old).prefix(6).map { "\($0)" }
    #expect(
      differences.isEmpty, "write it anew, as it says: \(differences.joined(separator: "\n"))")
  }

  @Test func theArticleContainsTheTable() throws {
    let article = try #require(Self.text(of: Self.article))
    #expect(
      article.contains(AuthorizationTable.requests),
      "it should hold:\n\(AuthorizationTable.requests)")
  }
}
