import AsyncLocation
import MQTTBackend
import OwnTracks
import TestSupport

/// Publishes on an executor that a test steps, like a busy main actor.
actor BusyCaller {
  nonisolated let executor = SteppedExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func publish(_ message: OwnTracksMessage, with publisher: LocationPublisher) async throws {
    try await publisher.publish(message)
  }

  func publish(_ event: Monitor.Event, with publisher: LocationPublisher) async throws {
    try await publisher.publish(event)
  }
}
