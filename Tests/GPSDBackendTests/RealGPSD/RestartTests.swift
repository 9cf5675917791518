import AsyncLocation
import Foundation
import GPSDBackend
import Glibc
import TestSupport
import Testing

/// Kills and restarts gpsd repeatedly; the variable `ASYNC_LOCATION_RESTARTS` sets the number.
@Suite(.needsGPSD, .inTurn)
struct RestartTests {
  static let count =
    ProcessInfo.processInfo.environment["ASYNC_LOCATION_RESTARTS"].flatMap { Int($0) } ?? 3

  @Test("F2 many restarts of a real gpsd are survived, and no fix is repeated")
  func everyRestartIsSurvived() async throws {
    let epochs = 60
    try #require((1...NMEAFeed.length / epochs - 2).contains(Self.count))
    let gpsd = try RealGPSD()
    let backend = GPSDBackend(.local(gpsd.port))
    let run = BackendRun(backend)
    let clock = FaultRun.clock
    var (recoveries, longestRecovery) = (0, Duration.zero)
    var last = try #require(await gpsd.drive(run, count: 3, epochs: epochs).last).timestamp
    for restart in 1...Self.count {
      await gpsd.stop(SIGKILL)
      #expect(await run.nextState(.waiting)?.problem?.isTransient == true, "\(restart)")
      let startInstant = clock.now
      try gpsd.start()
      let fixes = await gpsd.drive(run, count: 3, epochs: epochs)
      longestRecovery = max(longestRecovery, clock.now - startInstant)
      // gpsd sends several reports for one second. The first fix has no time from the receiver.
      let times = fixes.filter { $0.sourceInformation?.timeSource != .host }.map(\.timestamp)
      #expect(times.allSatisfy { $0 > last }, "\(restart): a fix of before came again")
      #expect(times == times.sorted(), "\(restart)")
      if fixes.count == 3 { recoveries += 1 }
      last = times.last ?? last
    }
    await run.finish()
    print(
      "F2: \(Self.count) restarts of gpsd, \(recoveries) recoveries, the slowest within "
        + "\(longestRecovery) of its start; \(backend.statistics.connections) connections")
    #expect(recoveries == Self.count)
    #expect(backend.statistics.connections == Self.count + 1)
  }
}
