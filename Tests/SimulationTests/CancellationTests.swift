import AsyncLocation
import FoundationEssentials
import GPSDBackend
import MockBackend
import TestSupport
import Testing

@testable import Simulation

/// F23: cancels at the k-th suspension, for every k.
@Suite(.inTurn) struct CancellationTests {
  @Test("F23 cancel every call and stream of a manager at every suspension", .longWork)
  func manager() {
    let sweeps = Simulator.sweepCancellations()
    for sweep in sweeps {
      #expect(sweep.failure?.violation == nil, "\(sweep.name): \(sweep.failure?.log ?? [])")
      #expect(sweep.places > 5, "\(sweep.name)")
    }
    #expect(sweeps.count == Operation.Call.allCases.count + Operation.Stream.allCases.count + 2)
  }

  /// Repeats work and cancels it after k jobs, for k = 0, 1, 2, … until the work ends before its
  /// cancellation. After each repetition, `isClean` must be true. Returns the number of places at
  /// which the work was cancelled.
  ///
  /// - Parameter work: Returns what the task runs, what causes the next external event (false if
  ///   there is none), and whether everything was released.
  private func sweep(
    _ work: (SimulatedExecutor) -> (
      body: @Sendable () async throws -> Void, drive: () -> Bool, isClean: () -> Bool
    )
  ) -> Int {
    var places = 0
    while true {
      let executor = SimulatedExecutor()
      let (body, drive, isClean) = work(executor)
      let isOver = Locked(false)
      let task = Task(executorPreference: executor) {
        defer { isOver.withLock { $0 = true } }
        try await body()
      }
      var jobs = 0
      while true {
        if jobs == places { task.cancel() }
        jobs += 1
        if !executor.ready.isEmpty { executor.run(0) } else if !drive() { break }
      }
      #expect(isOver.withLock { $0 }, "hangs when cancelled at place \(places)")
      #expect(isClean(), "leaves something behind when cancelled at place \(places)")
      if jobs <= places { return places }
      places += 1
    }
  }

  @Test(
    "F23 cancel a run of gpsd's backend, and a list of devices, at every suspension",
    arguments: [false, true])
  func gpsd(listsDevices: Bool) {
    let places = sweep { _ in
      let clock = SimulatedClock()
      let network = SimulatedNetwork(clock)
      let backend = GPSDBackend(
        GPSDConfiguration(host: "boat", reconnection: .never),
        generator: { SplitMix64(seed: 1) },
        makeTransport: { network })
      var externalEvents: [() -> Void] = [
        { network.accept() },
        { network.receive("{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3}\r\n") },
        { network.receive("{\"class\":\"DEVICES\",\"devices\":[]}\r\n") },
        { network.hangUp() },
      ]
      return (
        body: {
          if listsDevices {
            _ = try await backend.devices()
          } else {
            try await backend.run(BackendDemand(kinds: .locations)) { _ in }
          }
        },
        drive: {
          if network.isReady {
            network.run()
          } else if !externalEvents.isEmpty {
            network.schedule(externalEvents.removeFirst())
          } else {
            return false
          }
          return true
        },
        isClean: { network.isQuiet }
      )
    }
    #expect(places > 8)
  }

  @Test("F23 cancel a sleep on the manual clock at every suspension")
  func clock() {
    let places = sweep { _ in
      let clock = ManualClock()
      var advances = 3
      return (
        body: { for _ in 0..<3 { try await clock.sleep(for: .seconds(1)) } },
        drive: {
          defer { advances -= 1 }
          if advances > 0 { clock.advance(by: .seconds(1)) }
          return advances > 0
        },
        isClean: { true }
      )
    }
    #expect(places >= 4)
  }

  @Test("F23 cancel withLocationManager at every suspension")
  func closure() {
    let places = sweep { executor in
      let policy = SimulatedPolicy(key: nil) { Issue.record("\($0)") }
      policy.initial = .authorizedAlways
      let backend = SimulatedBackend(capabilities: .all, policy: policy) { Issue.record("\($0)") }
      (backend.startDelay, backend.stopDelay) = (1, 1)
      var reports = 0
      return (
        body: { [backend] in
          let manager = LocationManager(
            backend: backend, configuration: .init(), clock: SimulatedClock(), executor: executor)
          try await withLocationManager(manager) { manager in
            for try await _ in manager.headings { break }
            _ = try await manager.currentLocation()
          }
          #expect(!backend.isRunning)
        },
        drive: {
          guard reports < 20, let emit = backend.emit else { return false }
          reports += 1
          do {
            let time = Timestamps.first.addingTimeInterval(Double(reports))
            emit([
              .heading(try Heading(trueHeading: 10, timestamp: time, source: .compass)),
              .location(try Location(latitude: 1, longitude: 2, timestamp: time)),
            ])
          } catch {
            Issue.record(error)
          }
          return true
        },
        isClean: { !backend.isRunning && !policy.isObserved }
      )
    }
    #expect(places > 10)
  }
}
