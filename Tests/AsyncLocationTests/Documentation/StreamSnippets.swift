import AsyncLocation
import MockBackend
import TestSupport
import Testing

/// Stands for a prompt that the user declines: no question is empty.
private func confirmed(_ question: String) async -> Bool { question.isEmpty }

/// The code of "Choosing a stream", "Permission" and "Locations that can be trusted".
@Suite(.inTurn) @MainActor
struct StreamSnippets {
  private let backend = MockBackend(
    script: MockScript([
      .connection(ConnectionState(.connected)),
      .unavailable(LocationError(.locationUnknown, "No satellites yet.")),
      .emit(.location(fix(1)), .heading(heading(90)), .satellites(view(7))), .end,
    ]), clock: ManualClock())

  @Test func updates() async throws {
    let manager = LocationManager(backend: backend)
    do {
      for try await location in manager.updates { print(location) }
    } catch let error as LocationError {
      print("The stream is over:", error.message)
    }
  }

  @Test func integrity() async throws {
    let manager = LocationManager(backend: backend)
    for try await location in manager.updates {
      if let integrity = location.integrity, integrity.isSuspect {
        print("Do not rely on this position: \(integrity.reasons)")
      }
    }
  }

  @Test func typedUpdates() async {
    let manager = LocationManager(backend: backend)
    do throws(LocationError) {
      for try await location in manager.updates(UpdateOptions(distanceFilter: 10)) {
        print(location)
      }
    } catch {
      print("The stream is over:", error.message)
    }
  }

  @Test func liveUpdates() async {
    let manager = LocationManager(backend: backend)
    for await update in manager.liveUpdates {
      if let location = update.location {
        print(location)
      } else if update.diagnostics.contains(.locationUnavailable) {
        print("Waiting for a fix")
      }
    }
  }

  @Test func batches() async throws {
    let manager = LocationManager(backend: backend)
    for try await batch in manager.batches(UpdateOptions(buffering: .newest(10_000))) {
      let fastest = batch.withSpan { locations in
        var fastest = 0.0
        for index in locations.indices { fastest = max(fastest, locations[index].speed ?? 0) }
        return fastest
      }
      print(batch.count, "locations, the fastest at", fastest, "m/s")
    }
  }

  @Test func headingsAndSky() async throws {
    let backend = MockBackend()
    let manager = LocationManager(backend: backend)
    // The source ends when both streams are open: one opened later would start another run.
    async let ending: Void = { @Sendable in
      await backend.waitForCall { call in
        switch call {
        case .runStarted(let demand), .demandApplied(let demand):
          demand.kinds == [.headings, .satellites]
        default: false
        }
      }
      try backend.emit(.heading(heading(90)), .satellites(view(7)))
      try backend.end()
    }()
    let headings = manager.headings(HeadingOptions(headingFilter: 5))
    let satellites = manager.satellites
    for try await heading in headings { print(heading.trueHeading ?? 0, heading.source) }
    for try await view in satellites { print(view.used.count, "satellites used") }
    try await ending
  }

  @Test func connection() async {
    let manager = LocationManager(backend: backend)
    let watcher = Task {
      for await state in manager.connectionStates {
        print(state.phase, state.problem?.message ?? "")
      }
    }
    await manager.shutdown()
    await watcher.value
  }

  @Test func shutdown() async throws {
    let manager = LocationManager(backend: MockBackend())
    await manager.shutdown()
    do {
      while true {
        for try await location in manager.updates { print(location) }
        print("The source ended; trying again.")
      }
    } catch let error as LocationError where error.code == .shutDown {
      print("Shut down.")
    }
  }

  @Test func cancellation() async throws {
    let manager = LocationManager(backend: MockBackend())
    let follower = Task {
      for try await location in manager.updates { print(location) }
    }
    follower.cancel()
    try await follower.value  // Returns: cancelling a loop ends it without an error.
  }

  @Test func drops() {
    let manager = LocationManager(backend: MockBackend())
    let options = UpdateOptions(buffering: .newest(1))  // Only the latest matters.
    let latest = manager.updates(options)
    print(latest.dropped)
  }

  @Test func permission() async throws {
    let manager = LocationManager(backend: MockBackend(authorization: .denying))
    let authorization = try await manager.requestWhenInUseAuthorization()
    if !authorization.isAuthorized {
      print("No:", authorization.status, authorization.reason ?? "")
    }
  }

  @Test func permissionChanges() async {
    let manager = LocationManager(backend: MockBackend())
    let watcher = Task {
      for await authorization in manager.authorizationUpdates {
        print("Now:", authorization.status, authorization.accuracy)
      }
    }
    await manager.shutdown()
    await watcher.value
  }

  @Test func policies() async {
    let policy: some AuthorizationPolicy = .ask { request in
      guard await confirmed("May this program know where it is?") else { return .denied }
      return request == .always ? .authorizedAlways : .authorizedOnce
    }
    #expect(await policy.authorize(.always) == .denied)
  }

  @Test func holdsASession() async throws {
    let manager = LocationManager(backend: MockBackend())
    let session = ServiceSession(
      manager, authorization: .always, fullAccuracyPurposeKey: "docking")
    for await missing in session.diagnostics {
      if missing.isEmpty { break }
      if missing.contains(.authorizationDenied) { print("Permission is refused.") }
    }
    #expect(await manager.authorization().status == .authorizedAlways)
  }

  @Test func raisesAccuracy() async throws {
    let manager = LocationManager(
      backend: MockBackend(
        authorization: .answering(.authorizedWhenInUse.limited(to: .reduced))))
    _ = try await manager.requestWhenInUseAuthorization()
    let authorization = try await manager.requestTemporaryFullAccuracyAuthorization(
      purposeKey: "docking")
    print(authorization.accuracy)
  }

  @Test func waitsForAGrant() async throws {
    let backend = MockBackend()
    let manager = LocationManager(
      backend: backend,
      configuration: LocationManager.Configuration(requestsAuthorizationImplicitly: false))
    let updates = manager.updates  // Waits; nothing runs.
    _ = try await manager.requestWhenInUseAuthorization()  // Now it does.
    await backend.waitUntilRunning()
    _ = updates
  }
}
