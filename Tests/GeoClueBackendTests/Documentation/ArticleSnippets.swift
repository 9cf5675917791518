import AsyncLocation
import GeoClueBackend

/// The code of the articles, which must compile.
@MainActor
enum ArticleSnippets {
  static func overview() async throws {
    let backend = GeoClueBackend(GeoClueConfiguration(desktopID: "org.example.Boat"))
    let manager = LocationManager(backend: backend)
    for try await location in manager.updates { print(location.coordinate) }
  }
}
