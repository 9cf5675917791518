import AsyncLocation
import Foundation
import MockBackend
import TestSupport
import Testing

/// Tests that the device of "Writing a backend" is read by a thread that ends with the run.
@Suite(.inTurn)
struct DeviceLinesTests {
  /// A pipe in place of the device.
  private struct Device {
    let readingEnd: Int32
    let writingEnd: Int32
    var path: String { "/proc/self/fd/\(readingEnd)" }

    init() {
      var ends: [Int32] = [-1, -1]
      precondition(pipe(&ends) == 0)
      (readingEnd, writingEnd) = (ends[0], ends[1])
      signal(SIGPIPE, SIG_IGN)
    }

    func send(_ text: String) {
      let bytes = Array(text.utf8)
      #expect(write(writingEnd, bytes, bytes.count) == bytes.count)
    }

    /// Closes the pipe. Returns when the backend has closed the reading end too.
    func waitUntilClosed() async {
      close(readingEnd)
      await withCheckedContinuation { caller in
        Thread.detachNewThread { [writingEnd] in
          var event = pollfd(fd: writingEnd, events: 0, revents: 0)
          while poll(&event, 1, -1) < 0, errno == EINTR {}
          caller.resume()
        }
      }
      close(writingEnd)
    }
  }

  @Test func aManagerReadsLinesAndReleasesTheBackend() async throws {
    let device = Device()
    let backend = LineBackend(
      endpoint: device.path, clock: ManualClock(), open: { try DeviceLines.open(device.path) })
    let manager = LocationManager(backend: backend)
    let updates = manager.updates
    device.send("60.5 24.25 5\n60.")
    device.send("75 24.5 5\n")
    #expect(try await updates.first(2).map(\.latitude) == [60.5, 60.75])
    await manager.shutdown()
    await device.waitUntilClosed()
  }

  @Test func cancellationEndsTheWait() async throws {
    let device = Device()
    let lines = try DeviceLines.open(device.path)
    let reader = Task { try await lines.first(1) }
    reader.cancel()
    #expect(try await reader.value == [])
    await device.waitUntilClosed()
  }

  @Test func endOfInputEndsTheRun() async throws {
    let device = Device()
    let lines = try DeviceLines.open(device.path)
    device.send("one\ntwo\nthree")
    close(device.writingEnd)
    #expect(try await lines.first(5) == ["one", "two"])
    close(device.readingEnd)
  }

  @Test func aSlowReaderGetsTheNewestLines() async throws {
    let device = Device()
    let lines = try DeviceLines.open(device.path)
    let total = 5_000
    for number in 0..<total { device.send("\(number)\n") }
    close(device.writingEnd)
    // The stream holds 64 lines. More arrive if the thread adds lines while this call reads.
    let kept = try await lines.first(total)
    #expect(kept.last == "\(total - 1)")
    #expect(kept.count >= 64)
    #expect(kept == kept.sorted { Int($0)! < Int($1)! })
    close(device.readingEnd)
  }

  @Test func openingAMissingDeviceThrowsBackendUnavailable() {
    let error = #expect(throws: LocationError.self) { try DeviceLines.open("/nowhere/tty") }
    #expect(error?.code == .backendUnavailable)
    #expect(error?.message.contains("/nowhere/tty") == true)
  }
}
