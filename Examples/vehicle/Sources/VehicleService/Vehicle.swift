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
  /// is granted again, both go on.
  ///
  /// - Throws: `CancellationError`, once the file of the recorder is complete, or what ends the publisher
  ///   or the recorder for good.
  public func run() async throws {
    for await _ in manager.authorizationUpdates {
      // The update may be an old one. Without a decision, both ask for permission.
      switch await manager.authorization().status {
      case .denied, .restricted: continue
      default: try await publishAndRecord()
      }
    }
    try Task.checkCancellation()
  }

  /// Returns when permission is withdrawn.
  private func publishAndRecord() async throws {
    let updates = manager.updates
    try await withThrowingTaskGroup { group in
      group.addTask { try await untilRefused { try await publisher.run() } }
      group.addTask { try await untilRefused { try await recorder.record(updates) } }
      // An error of one cancels the other.
      for try await _ in group {}
    }
  }

  /// Runs a closure. A refusal of permission is a normal end.
  private func untilRefused(_ body: @Sendable () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as LocationError
      where [.denied, .restricted, .locationServicesDisabled].contains(error.code)
    {}
  }
}
