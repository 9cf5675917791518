import AsyncLocation
import CombinedBackend
import GPSDBackend

/// The code of the articles and of the doc comments.
@MainActor
enum SourceSnippets {
  static func combineSources() throws -> LocationManager {
    let backend = try CombinedBackend([
      .init("gpsd", GPSDBackend()),
      .init("spare", GPSDBackend(host: "spare.local")),
    ])
    let manager = LocationManager(backend: backend)
    return manager
  }
}
