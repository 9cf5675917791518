import AsyncLocation
import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import async_location_example

/// The built tool as a script runs it. Replay needs no daemon; nothing listens on port 1.
@Suite(.inTurn) struct ProcessTests {
  @Test func replaysAsJSON() async throws {
    let ended = try await ChildProcess(
      "watch --backend replay --rate 50 --count 5 --format json"
    ).end()
    #expect(ended.status == 0)
    let lines = ended.output.split(separator: "\n")
    #expect(lines.count == 5)
    let locations = try lines.map {
      try JSONDecoder().decode(Location.self, from: Data($0.utf8))
    }
    #expect(locations.map(\.timestamp) == locations.map(\.timestamp).sorted())
    #expect(locations.allSatisfy { $0.sourceInformation?.isSimulated == true })
  }

  @Test(
    arguments: [
      ("--help", 0), ("--version", 0), ("help watch", 0), ("", 2), ("wacth", 2),
      ("watch --port 0", 2), ("devices --port 1", 1), ("once --port 1 --timeout 0.05", 4),
      ("watch --port 1 --timeout 0.05", 4), ("once --backend replay --rate 100", 0),
    ] as [(String, Int32)])
  func commandsHaveTheirExitStatus(line: String, status: Int32) async throws {
    let ended = try await ChildProcess(line).end()
    #expect(ended.status == status)
    #expect(ended.output.isEmpty == (status != 0))
    #expect(status == 0 || !ended.errors.isEmpty)
  }

  /// The later positions are 2 km from the first, some of them in other cells of the grid but
  /// within the margin of the first cell.
  @Test("F63: a new process reports the reduced location of the previous one")
  func reducedLocationsOutliveTheProcess() async throws {
    let folder = try PolicyFolder(
      #"{"version":1,"default":{"status":"authorizedWhenInUse","accuracy":"reduced"}}"#)
    chmod(folder.policy, 0o600)
    var coordinates: [Coordinate] = []
    let moves = [(0.0, 0.0), (0.018, 0), (-0.018, 0), (0, 0.027), (0, -0.027)]
    for (index, (north, east)) in moves.enumerated() {
      let file = folder.path + "/fix.csv"
      try folder.write(
        "time,latitude,longitude\n2026-05-04T0\(index):00:00Z,\(50 + north),\(13 + east)\n",
        to: file)
      let line = "once --backend replay --file \(file) --policy \(folder.policy) --format json"
      let ended = try await ChildProcess(line).end()
      #expect(ended.status == 0, "\(ended.errors)")
      let location = try JSONDecoder().decode(Location.self, from: Data(ended.output.utf8))
      coordinates.append(location.coordinate)
      unlink(file)
    }
    #expect(Set(coordinates).count == 1)
  }

  @Test func theToolReportsWhyItIsNotConnected() async throws {
    let child = try ChildProcess("once --port 1 --timeout 600")
    await child.waitForError("localhost:1")
    child.send(SIGINT)
    #expect(await child.end().status == 128 + SIGINT)
  }

  @Test(
    arguments: [
      (SIGINT, "watch --backend replay", 0), (SIGTERM, "watch --backend replay", 0),
      (SIGINT, "watch --backend replay --count 100000", 130),
      (SIGTERM, "watch --backend replay --count 100000", 143),
    ] as [(Int32, String, Int32)])
  func stopsOnSignals(signal: Int32, line: String, status: Int32) async throws {
    let child = try ChildProcess(line + " --rate 5")
    _ = await child.read(atLeast: 1)
    child.send(signal)
    #expect(await child.end().status == status)
  }

  /// Locations that arrive while the tool stops are no longer requested, so they do not count as
  /// lost.
  @Test func stopsOnSignalsWithoutAReader() async throws {
    let child = try ChildProcess("watch --backend replay --rate 1000000 --format json")
    _ = await child.read(atLeast: 1)  // The pipe fills up after this.
    child.send(SIGINT)
    let ended = await child.end(reading: false)
    child.stopReading()
    #expect(ended.status == 0, "\(ended.errors)")
  }

  @Test func endsQuietlyOnABrokenPipe() async throws {
    let child = try ChildProcess("watch --backend replay --rate 20")
    _ = await child.read(atLeast: 1)
    child.stopReading()
    let ended = await child.end(reading: false)
    #expect(ended.status == 0)
    // No message is about the pipe.
    for line in ended.errors.split(separator: "\n") {
      #expect(line.hasSuffix("connected to sample-drive") || line.contains("the receiver has"))
    }
  }

  @Test func reportsAFullDisk() async throws {
    let child = try ChildProcess("once --backend replay --rate 100", outputPath: "/dev/full")
    let ended = await child.end()
    #expect(ended.status == 1)
    #expect(ended.errors.contains("cannot be written"))
  }

  @Test(
    arguments: [
      ("--help", STDOUT_FILENO, 1), ("once --backend replay --rate 100", STDOUT_FILENO, 1),
      ("once --backend replay --rate 100", STDERR_FILENO, 0),
      ("once --backend replay --rate 100", STDIN_FILENO, 0), ("wacth", STDERR_FILENO, 2),
    ] as [(String, Int32, Int32)])
  func theToolRunsWithAClosedDescriptor(line: String, closing: Int32, status: Int32) async throws {
    #expect(try await ChildProcess(line, closing: closing).end().status == status)
  }

  @Test func writesNoEscapeSequencesToAPipe() async throws {
    let child = try ChildProcess(
      "watch --backend replay --rate 50 --count 3", environment: ["TERM=xterm"])
    let ended = await child.end()
    #expect(ended.output.split(separator: "\n").count == 3)
    #expect(!ended.output.contains("\u{1B}"))
    #expect(!ended.errors.contains("\u{1B}"))
  }
}
