extension GeoJSONConditions {
  /// Reads the conditions of a file of at most 256 MiB. Blocks while reading, as
  /// ``Recording/init(contentsOf:options:)`` does.
  ///
  /// - Throws: As ``init(_:)`` does, and ``RecordingError`` with code
  ///   ``RecordingError/Code/unreadable`` if the file cannot be read, or
  ///   ``RecordingError/Code/tooLarge`` if it is longer.
  public init(contentsOf path: String) throws(RecordingError) {
    try self.init(RecordingFile.contents(of: path))
  }
}
