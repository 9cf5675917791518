import AsyncLocation
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import SampleDrive

@Suite(.inTurn)
struct FeedServerTests {
  @Test func aDisconnectingClientDoesNotAffectOthers() async throws {
    let (ports, portSource) = AsyncStream<UInt16>.makeStream()
    let clientsConnected = DispatchSemaphore(value: 0)
    async let served: Void = onThread {
      let server = try FeedServer()
      portSource.yield(server.port)
      clientsConnected.wait()
      server.serve(FeedSchedule(), rate: 500)
    }
    let port = try #require(await ports.first { _ in true })
    let lines = try await onThread {
      // The drive begins with the first client.
      let reader = try FileDescriptorLines(connectingTo: port)
      let leavingReader = try FileDescriptorLines(connectingTo: port)
      try leavingReader.send("a probe that nobody asked for\r\n")
      leavingReader.disconnect()
      clientsConnected.signal()
      var lines: [String] = []
      while let line = try reader.next() { lines.append(line) }
      return lines
    }
    try await served
    let expected = Drive().epochs.flatMap(\.sentences).map { $0 + "\r" }
    #expect(lines == expected)
  }

  @Test func stopsWhenCancelled() async throws {
    try await onThread {
      let server = try FeedServer()
      var checkCount = 0
      server.serve(
        FeedSchedule(loops: true),
        until: {
          checkCount += 1
          return checkCount > 1
        })
      #expect(checkCount == 2)
    }
  }

  @Test(arguments: ["localhost", "", "127.0.0.1.2", "::1"])
  func refusesTheHost(_ host: String) {
    let error = #expect(throws: LocationError.self) { _ = try FeedServer(host: host).port }
    #expect(error?.code == .invalidValue)
  }

  @Test func reportsAPortInUse() throws {
    let server = try FeedServer()
    let port = server.port
    let error = #expect(throws: LocationError.self) { _ = try FeedServer(port: port).port }
    #expect(error?.message.contains("127.0.0.1:\(port)") == true)
    #expect(server.port == port)
  }
}

@Suite(.inTurn) struct FeedScheduleTests {
  @Test(.longWork) func endsWithTheDrive() {
    var schedule = FeedSchedule()
    var offsets: [Duration] = []
    while let due = schedule.next() { offsets.append(due.offset) }
    #expect(offsets == Drive().epochs.map(\.offset))
    let after = schedule.next()
    #expect(after?.offset == nil)
  }

  @Test(.longWork) func timeIncreasesAcrossLoops() throws {
    var schedule = FeedSchedule(loops: true)
    let count = Drive().epochs.count
    for _ in 0..<count { _ = schedule.next() }
    let next = schedule.next()
    let due = try #require(next)
    #expect(due.offset == .seconds(count))
    let later = Drive(start: Drive.standardStart + Double(count))
    #expect(due.bytes == Array(later.epochs[0].nmea.utf8))
  }
}
