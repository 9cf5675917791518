import AsyncLocation
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

@Suite(.inTurn) struct ReportsCommandTests {
  struct Fix: Encodable, Sendable {
    let lat: Double
    let device: String
  }

  static let fix = report("TPV", #"{"class":"TPV","lat":48.13}"#, Fix(lat: 48.13, device: "/dev/a"))

  static func report(
    _ name: String?, device: String? = "/dev/a", _ line: String,
    _ value: (any Encodable & Sendable)? = nil
  ) -> ShownReport {
    ShownReport(className: name, device: device, line: Array(line.utf8), value: value)
  }

  func bench(
    _ reports: CannedReports, _ shape: Presentation.Shape = .lines,
    output: TestOutput = TestOutput()
  ) -> Bench {
    Bench(MockBackend(), shape: shape, output: output, reports: reports)
  }

  @Test func textShowsClassReceiverAndLine() async throws {
    let bench = bench(
      CannedReports(reports: [Self.fix, Self.report("VERSION", device: nil, "{}"), Self.fix]))
    #expect(try await bench.run("reports --count 2") == .done)
    #expect(
      await bench.output.lines
        == [#"TPV /dev/a {"class":"TPV","lat":48.13}"#, "VERSION - {}"])
    #expect(await bench.errors.text == "")
  }

  @Test func jsonOutputIsTheReport() async throws {
    let bench = bench(CannedReports(reports: [Self.fix]), .json)
    #expect(try await bench.run("reports --format json --count 1") == .done)
    #expect(await bench.output.text == #"{"device":"/dev/a","lat":48.13}"# + "\n")
  }

  @Test(
    "F41 text from gpsd is escaped for the terminal", arguments: [Presentation.Shape.lines, .json])
  func escapes(_ shape: Presentation.Shape) async throws {
    let name = "/dev/\u{1B}[31m\u{202E}\u{9B}x"
    let bench = bench(
      CannedReports(reports: [Self.report(name, device: name, name, Fix(lat: 1, device: name))]),
      shape)
    #expect(try await bench.run("reports --count 1") == .done)
    let text = await bench.output.text
    #expect(text.hasSuffix("\n"))
    let scalars = text.dropLast().unicodeScalars
    #expect(scalars.allSatisfy { $0.value >= 0x20 && $0.value < 0x7F })
  }

  @Test func refusalHasThePermissionStatus() async throws {
    let bench = bench(CannedReports(error: LocationError(.denied, "Permission is denied.")))
    #expect(try await bench.run("reports") == .permission)
    #expect(await bench.errors.text.contains("Permission is denied."))
  }

  @Test func endingBeforeTheCountIsAFailure() async throws {
    let bench = bench(CannedReports(reports: [Self.fix], dropped: 3))
    #expect(try await bench.run("reports --count 2") == .failed)
    let errorText = await bench.errors.text
    #expect(errorText.contains("ended after 1 of 2"))
    #expect(errorText.contains("3 reports were dropped"))
  }

  @Test(
    "dropped reports are counted and give status 1",
    arguments: [
      ("reports --count 1", false), ("reports", false), ("reports", true),
    ])
  func drops(_ line: String, _ isInterrupted: Bool) async throws {
    let bench = bench(CannedReports(reports: [Self.fix], dropped: 7, isEndless: isInterrupted))
    let run = Task { try await bench.run(line) }
    await bench.output.wait(for: "TPV")
    if isInterrupted { run.cancel() }
    #expect(try await run.value == .failed)
    let errorLines = await bench.errors.lines
    #expect(errorLines.first?.contains("faster than they are read") == true)
    #expect(errorLines.last?.contains("7 reports were dropped") == true)
  }

  @Test func droppedReportsDoNotReplaceOtherStatuses() async throws {
    let refused = bench(
      CannedReports(
        reports: [Self.fix], error: LocationError(.denied, "Permission is denied."), dropped: 7))
    #expect(try await refused.run("reports") == .permission)
    #expect(await refused.errors.text.contains("7 reports were dropped"))
    let interrupted = bench(CannedReports(reports: [Self.fix], dropped: 7, isEndless: true))
    let run = Task { try await interrupted.run("reports --count 2") }
    await interrupted.output.wait(for: "TPV")
    run.cancel()
    #expect(try await run.value == nil)  // The status of a signal.
  }

  @Test func silenceTimesOutWithTheReason() async throws {
    let bench = bench(
      CannedReports(
        states: [ConnectionState(.waiting, problem: Samples.refused)], isEndless: true))
    let run = Task { try await bench.run("reports --timeout 5") }
    await bench.errors.wait(for: "not connected")
    await bench.clock.waitForSleepers()
    bench.clock.advance(by: .seconds(5))
    #expect(try await run.value == .timedOut)
    #expect(await bench.errors.lines.last?.contains("Connection refused.") == true)
  }

  @Test func anInterruptIsNoFailure() async throws {
    let bench = bench(CannedReports(reports: [Self.fix], isEndless: true))
    let run = Task { try await bench.run("reports") }
    await bench.output.wait(for: "TPV")
    run.cancel()
    #expect(try await run.value == .done)
  }

  @Test func aBrokenPipeIsNoFailure() async throws {
    let bench = bench(
      CannedReports(reports: [Self.fix, Self.fix]), output: TestOutput(limit: 1))
    #expect(try await bench.run("reports --count 2") == .done)
  }

  static let classes: [(String, Set<String>?)] = [
    ("--class TPV,SKY", ["TPV", "SKY"]), ("--class=tpv", ["TPV"]), ("--class RTCM2", ["RTCM2"]),
    ("--class NEW_1", ["NEW_1"]), ("--class 1TPV", nil), ("--class _TPV", nil),
    ("--class TPV,", nil), ("--class ,", nil), ("--class T-V", nil), ("--class É", nil),
  ]

  @Test(arguments: classes)
  func classNamesAreChecked(_ words: String, _ expected: Set<String>?) {
    let words = ["reports"] + words.split(separator: " ").map(String.init)
    guard case .run(let arguments)? = try? Invocation.parse(words) else {
      #expect(expected == nil)
      return
    }
    #expect(arguments.classes == expected)
  }
}
