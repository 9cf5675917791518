public import AsyncLocation
public import LocationRecording
public import MQTTBackend

/// Publishes and records where a vehicle is, whenever that is permitted.
public struct Vehicle: Sendable {
  private let manager: LocationManager
  private let publisher: LocationPublisher
  private let recorder: TrackRecorder

  /// Creates a vehicle. The publisher is one of the manager's.
  public init(_ manager: LocationManager, _ publisher: LocationPublisher, _ recorder: TrackRecorder)
  {
    (self.manager, self.publisher, self.recorder) = (manager, publisher, recorder)
  }

  /// Publishes and records until the task is cancelled. When permission is withdrawn, both end; when it
  /// is granted again, both go on, each as soon as it has ended: a publisher whose broker does not answer
  /// takes a while.
  ///
  /// - Throws: `CancellationError`, once the file of the recorder is complete, or what ends the publisher
  ///   or the recorder for good.
  public func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await wheneverPermitted { try await publisher.run() } }
      group.addTask { try await wheneverPermitted { try await recorder.record(manager.updates) } }
      // An error of one cancels the other.
      for try await _ in group {}
    }
    try Task.checkCancellation()
  }

  /// Runs a closure until it throws another error than that permission is refused, and again whenever
  /// permission is granted.
  private func wheneverPermitted(_ body: () async throws -> Void) async throws {
    for await _ in manager.authorizationUpdates {
      // The update may be an old one. Without a decision, the closure asks for permission.
      guard ![.denied, .restricted].contains(await manager.authorization().status) else { continue }
      do {
        try await body()
      } catch let error as LocationError where error.isRefusal {}
    }
  }
}
