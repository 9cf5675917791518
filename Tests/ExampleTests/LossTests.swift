import AsyncLocation
import Glibc
import MockBackend
import TestSupport
import Testing

@testable import async_location_example

/// Sends more than the tool buffers while its output is not read.
@Suite(.inTurn) struct LossTests {
  @Test("an unread burst of reports is bounded, counted and fails")
  func burst() async throws {
    let count = 120
    let server = BurstServer(count: count)
    let child = try ChildProcess("reports --class DEVICES --port \(server.port)")
    await server.waitUntilRead()
    // The tool has received all reports, and its output was not read meanwhile. The loop reads what
    // the tool has buffered, up to the newest report.
    var (lines, newest) = (0, "")
    repeat {
      let part = await child.read(atLeast: 1)
      guard !part.isEmpty else { break }
      lines += part.utf8.count { $0 == UInt8(ascii: "\n") }
      newest = String((newest + part).suffix(5_000))
    } while !newest.contains("number \(count)\"")
    child.send(SIGINT)
    let ended = await child.end()
    #expect(ended.status == 1)
    let shown = lines + ended.output.utf8.count { $0 == UInt8(ascii: "\n") }
    let dropped = count - shown
    #expect(dropped > 0)
    #expect(ended.errors.contains("\(dropped) reports were dropped"), "\(shown): \(ended.errors)")
  }

  @Test(
    "dropped elements are counted and fail the command",
    arguments: [
      ("watch --count 1", "locations"), ("sky --count 1", "views of the sky"),
    ])
  func drops(_ line: String, _ name: String) async throws {
    // One batch of 1,000 elements more than the command buffers, so that 1,000 are dropped before
    // its loop reads the first.
    let events: [BackendEvent] =
      if line.hasPrefix("watch") {
        Array(
          repeating: .location(try Samples.location(full: false)),
          count: 1_000 + Losses.bound / MemoryLayout<Location>.stride)
      } else {
        Array(
          repeating: .satellites(try Samples.sky(1)),
          // The command counts a view as 64 satellites.
          count: 1_000 + Losses.bound / (64 * MemoryLayout<Satellite>.stride))
      }
    let bench = try Bench(MockBackend(script: [.emit(events)]))
    #expect(try await bench.run(line) == .failed)
    #expect(await bench.errors.text.contains("1000 \(name) were dropped"))
  }

  @Test func lossesGiveAFailureStatus() async throws {
    let losses = Losses("locations") { 5 }
    let bench = Bench(MockBackend())
    #expect(await losses.note()?.contains("locations") == true)
    #expect(await losses.note() == nil)
    let code = try await losses.conclude(.success(.done), bench.tool.context)
    #expect(code == .failed)
    #expect(await bench.errors.text.contains("5 locations were dropped"))
    await #expect(throws: IncompleteOutput.self) {
      try await losses.conclude(.failure(OutputError.closed), bench.tool.context)
    }
  }

  @Test func twoLossesKeepTheCause() async throws {
    let bench = Bench(MockBackend())
    let events = Losses("events") { 1 }
    let locations = Losses("locations") { 2 }
    let error = await #expect(throws: IncompleteOutput.self) {
      do {
        _ = try await events.conclude(.failure(Samples.refused), bench.tool.context)
      } catch {
        _ = try await locations.conclude(.failure(error), bench.tool.context)
      }
    }
    #expect(error?.cause as? LocationError == Samples.refused)
  }

  @Test func aBrokenPipeBeforeALossIsNoFailure() async throws {
    let losses = Losses("locations") { 5 }
    let bench = Bench(MockBackend())
    await #expect(throws: OutputError.closed) {
      try await losses.conclude(.failure(OutputError.closed), bench.tool.context)
    }
    #expect(await bench.errors.text == "")
  }
}
