import AsyncLocation
import AuthorizationPolicyFile
import GPSDBackend
import TestSupport
import Testing

/// An operator edits the policy file while a real gpsd sends fixes.
@Suite(.needsGPSD, .inTurn)
struct RealPolicyTests {
  /// A policy file with a status for the client `boat`.
  private func text(_ status: String) -> String {
    """
    {
      "version": 1,
      "default": { "status": "denied" },
      "clients": {
        "boat": { "status": "\(status)" }
      }
    }
    """
  }

  @Test("F28 a saved policy revokes and grants again with a real gpsd")
  func aSavedPolicyRevokesAndGrantsAgain() async throws {
    let gpsd = try RealGPSD()
    let folder = try PolicyFolder(text("authorizedWhenInUse"))
    var configuration = GPSDConfiguration.local(gpsd.port)
    configuration.authorizationPolicy = .file(folder.policy, client: "boat")
    let manager = LocationManager(backend: GPSDBackend(configuration))
    var times: [Duration] = []
    let rounds = 5
    for round in 1...rounds {
      async let connected: Void = startFeed(of: gpsd, afterConnectionOf: manager)
      var updates = manager.updates.makeAsyncIterator()
      #expect(try await updates.next() != nil)
      await connected

      // System clock: the time is printed, but not checked.
      let saved = ContinuousClock.now
      // Writes in place, or renames a new file as editors do.
      let denial = text(round == 1 ? "restricted" : "denied")
      try round.isMultiple(of: 2) ? folder.write(denial) : folder.replace(denial)
      do {
        while try await updates.next() != nil {}
        Issue.record("the stream ended without the refusal")
      } catch let error as LocationError {
        #expect(error.code == (round == 1 ? .restricted : .denied))
        #expect(error.message.contains("the rule for \"boat\" on line 5"))
      }
      times.append(.now - saved)
      gpsd.feed.pause()
      #expect(await manager.location == nil)
      // gpsd accepts no new client while a receiver floods it, so the feed waits for the next run.
      for await state in manager.connectionStates where state.phase == .idle { break }
      await #expect(throws: LocationError.self) { try await manager.currentLocation() }

      try folder.replace(text("authorizedWhenInUse"))
      for await authorization in manager.authorizationUpdates where authorization.isAuthorized {
        break
      }
    }
    async let connected: Void = startFeed(of: gpsd, afterConnectionOf: manager)
    #expect(try await manager.currentLocation().latitude > 60)
    await connected
    gpsd.feed.pause()
    await manager.shutdown()
    print("Policy file: \(rounds) revocations, each seen after \(times) at most")
  }

  /// Starts gpsd's receiver once the manager is connected and gpsd lists the receiver.
  private func startFeed(of gpsd: RealGPSD, afterConnectionOf manager: LocationManager) async {
    for await state in manager.connectionStates
    where state.phase == .connected && state.receivers.contains(where: { $0.name == gpsd.device }) {
      break
    }
    gpsd.feed.start(4_000)  // The feed has 40,000 epochs, for six calls.
  }
}
