public import AsyncLocation
public import LocationRecording
public import MQTTBackend

/// Publishes and records the locations of a vehicle while that is permitted.
public struct Vehicle: Sendable {
  private let manager: LocationManager
  private let publisher: LocationPublisher
  private let recorder: TrackRecorder

  /// Creates a vehicle. The publisher must use the same manager.
  public init(_ manager: LocationManager, _ publisher: LocationPublisher, _ recorder: TrackRecorder)
  {
    (self.manager, self.publisher, self.recorder) = (manager, publisher, recorder)
  }

  /// Publishes and records until the task is cancelled. When permission is withdrawn, both end.
  /// When permission is granted again, each starts again as soon as its previous run has ended. The
  /// run of a publisher ends late if the broker does not answer.
  ///
  /// - Throws: `CancellationError`, once the file of the recorder is complete, or the error that
  ///   permanently ends the publisher or the recorder.
  public func run() async throws {
    try await withThrowingTaskGroup { group in
      group.addTask { try await wheneverPermitted { try await publisher.run() } }
      group.addTask { try await wheneverPermitted { try await recorder.record(manager.updates) } }
      // An error of one cancels the other.
      for try await _ in group {}
    }
    try Task.checkCancellation()
  }

  /// Runs a closure whenever permission is granted, until it throws an error other than a refusal
  /// of permission.
  private func wheneverPermitted(_ body: () async throws -> Void) async throws {
    for await _ in manager.authorizationUpdates {
      // The update may be outdated. If permission is not determined, the closure requests it.
      guard ![.denied, .restricted].contains(await manager.authorization().status) else { continue }
      do {
        try await body()
      } catch let error as LocationError where error.isRefusal {}
    }
  }
}
