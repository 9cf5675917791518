extension RecordingWriter.Format {
  /// A format by a short name, as in the options of tools; letter case is ignored.
  ///
  /// The names are `gpx`, `kml`, `geojson`, `geojson-lines`, `geojsonseq`, `geojsonl`, `csv`,
  /// `gpsd` and `locations`.
  public init?(name: String) {
    let name = name.lowercased()
    guard let format = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = format
  }

  /// The format that a file of this name usually has, by its extension; nil for other names.
  ///
  /// | extension | format |
  /// | --- | --- |
  /// | `.gpx` | ``gpx`` |
  /// | `.kml` | ``kml`` |
  /// | `.geojson`, `.json` | ``geoJSON`` |
  /// | `.geojsons`, `.geojsonseq` | ``geoJSONSequence`` |
  /// | `.geojsonl`, `.ndjson` | ``geoJSONLines`` |
  /// | `.csv` | ``csv`` |
  /// | `.jsonl` | ``gpsd`` |
  public init?(fileName: String) {
    guard let dot = fileName.lastIndex(of: ".") else { return nil }
    let found = fileName[fileName.index(after: dot)...].lowercased()
    guard let format = Self.allCases.first(where: { $0.extensions.contains(found) }) else {
      return nil
    }
    self = format
  }
}
