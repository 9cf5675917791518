import Glibc
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn)
struct ManualPageTests {
  private static let pages: [Command?] = [nil] + Command.allCases

  @Test func aPageDescribesTheOptionsOfItsCommand() {
    let page = ManualPage(command: .place).text
    #expect(page.hasPrefix(#".TH "ASYNC\-LOCATION\-EXAMPLE\-PLACE" 1 ""#))
    #expect(page.contains("\n.TP\n\\fB\\-\\-limit\\fR \\fINUMBER\\fR\nAt most this many places"))
    #expect(!page.contains("broker"))
  }

  @Test func thePageOfTheToolNamesThoseOfAllCommands() {
    let page = ManualPage(command: nil).text
    for command in Command.allCases {
      #expect(page.contains(".BR async\\-location\\-example\\-\(command.name) (1)\n"))
    }
  }

  @Test func textWithAMeaningForTroffIsEscaped() {
    for command in Command.allCases {
      let lines = ManualPage(command: command).text.split(separator: "\n")
      let macros = ["TH", "SH", "TP", "B", "BR", "PP", "nf", "fi"]
      for line in lines where line.hasPrefix(".") || line.hasPrefix("'") {
        #expect(macros.contains { line.hasPrefix(".\($0) ") || line == ".\($0)" }, "\(line)")
      }
    }
  }

  @Test(
    .enabled(if: access("/usr/bin/mandoc", X_OK) == 0, "install mandoc"), arguments: pages)
  func mandocAcceptsPages(_ command: Command?) async throws {
    let folder = try RecordingFolder()
    try folder.write(ManualPage(command: command).text, to: "page.1")
    let ended = try await ChildProcess(
      words: ["/usr/bin/mandoc", "-T", "lint", "-W", "warning", "\(folder.path)/page.1"]
    ).end()
    // A date would have to be changed with each change of the page.
    let complaints = ended.output.split(separator: "\n").filter { !$0.contains("missing date") }
    #expect(complaints == [])
  }
}
