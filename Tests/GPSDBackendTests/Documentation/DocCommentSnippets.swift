import AsyncLocation
import GPSDBackend

/// The code of the doc comments, which must compile.
@MainActor
enum DocCommentSnippets {
  nonisolated private static func steer(by location: Location) {}

  static func control(_ manager: LocationManager) -> Task<Void, any Error> {
    let control = Task(executorPreference: GPSDBackend.taskExecutor) {
      for try await location in manager.updates(UpdateOptions()) { steer(by: location) }
    }
    return control
  }
}
