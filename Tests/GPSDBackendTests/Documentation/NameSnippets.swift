import GPSDBackend
import TestSupport
import Testing

/// The code of the section "Names" of Reports.md.
@Suite(.inTurn) @MainActor
struct NameSnippets {
  /// A report type of the program.
  struct ErrorReport { var text: String }

  func translate(_ report: GPSDBackend::ErrorReport) -> ErrorReport {
    ErrorReport(text: report.message ?? "")
  }

  @Test func aModuleSelectorDistinguishesReports() throws {
    let line = Array(#"{"class":"ERROR","message":"Unrecognized request"}"#.utf8)
    guard case .error(let report) = try GPSDReport(line: line) else {
      Issue.record("no ERROR")
      return
    }
    #expect(translate(report).text == "Unrecognized request")
  }
}
