import AsyncLocation
import FoundationEssentials
import Glibc
import LocationStorage
import MQTTBackend
import PostgreSQLStorage
import Tally

/// Reads a given number of a fleet's updates, and prints their cost.
@main
struct Loop {
  static func main() async throws {
    let arguments = CommandLine.arguments.dropFirst()
    guard arguments.count >= 2, let port = Int(arguments.first!),
      let count = Int(arguments.dropFirst().first!)
    else {
      print("usage: fleet-loop PORT COUNT [GROUP | --storage FILE|URI]")
      return
    }
    let file = arguments.count == 4 ? arguments.last : nil
    // The feeder is faster than any device.
    let limits = FleetLimits(
      devices: 1_000_000, messagesPerSecond: 100_000, burst: 1_000_000,
      buffering: .newest(1_000_000))
    let configuration = FleetConfiguration(
      MQTTConfiguration(host: "127.0.0.1", port: port, sessionExpiry: .zero),
      group: file == nil ? arguments.dropFirst(2).first : nil, limits: limits)
    let fleet =
      if let file, file.hasPrefix("postgresql:") {
        try await Fleet(configuration, storage: PostgreSQLFleetStorage(file))
      } else if let file {
        try await Fleet(configuration, storage: SQLiteFleetStorage(file: file))
      } else {
        try Fleet(configuration)
      }
    let batches = fleet.batches
    for await state in fleet.connectionStates {
      if state.phase == .connected { break }
    }
    say("ready")
    // The members of a group end when standard input has a line or ends, because no member can
    // determine its share of the updates.
    let terminated = Task.detached {
      _ = readLine()
      await fleet.shutdown()
    }
    var received = 0
    var begin: (wall: ContinuousClock.Instant, cpu: Double)?
    var memory: Int64 = 0
    var sum = 0.0
    reading: for try await batch in batches {
      if begin == nil {
        begin = (.now, cpu())
        memory = tally_resident()
      }
      for update in batch {
        sum += update.location.latitude
        received += 1
        if received == count { break reading }
      }
    }
    if file != nil { try await fleet.waitUntilStored() }
    terminated.cancel()
    let (wall, used) = begin.map { (ContinuousClock.now - $0.wall, cpu() - $0.cpu) } ?? (.zero, 0)
    let statistics = fleet.statistics
    say(
      "received \(received) dropped \(batches.dropped) "
        + "skipped \(statistics.messages - statistics.delivered) "
        + "seconds \(wall / .seconds(1)) cpu \(used) devices \(fleet.deviceCount) "
        + "bytes \(tally_resident() - memory) allocated \(tally_allocated()) sum \(sum.rounded())")
    _exit(0)
  }

  /// Writes a line without the C library's streams: flushing them waits for `readLine`, as `exit`
  /// does.
  static func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = write(STDOUT_FILENO, line, line.count)
  }

  /// The CPU time of this process in seconds.
  static func cpu() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
