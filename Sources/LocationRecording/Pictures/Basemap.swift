/// The shapes that a picture shows below a track: areas, lines and points of GeoJSON (RFC 7946).
///
/// ```swift
/// let basemap = try Basemap(geoJSON: bytes)
/// let map = TrackPicture(track, options: .init(basemap: basemap)).svg()
/// ```
///
/// Areas may have holes. A point is labeled with its property `name`, where there is room. A
/// picture contains only the shapes within its map, simplified.
public struct Basemap: Sendable, Hashable {
  let features: [GeoJSON.Feature]
  /// The number of features that could not be read, such as collections of geometries.
  public let skippedFeatureCount: Int

  /// Reads a feature collection, a feature or a geometry.
  ///
  /// - Throws: ``RecordingError`` with the line if the text is not GeoJSON. A single
  ///   invalid feature is skipped and counted.
  public init(geoJSON text: [UInt8]) throws(RecordingError) {
    var features: [GeoJSON.Feature] = []
    var skipped = 0
    do throws(GeoJSON.Fault) {
      try GeoJSON.read(text, acceptsGeometry: true) { part in
        switch part {
        case .feature(.success(let feature)): features.append(feature)
        case .feature(.failure): skipped += 1
        case .name: break
        }
      }
    } catch {
      throw RecordingError(error)
    }
    (self.features, skippedFeatureCount) = (features, skipped)
  }
}
