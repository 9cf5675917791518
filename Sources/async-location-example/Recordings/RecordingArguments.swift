import LocationRecording

extension Arguments {
  /// The options for reading a track.
  ///
  /// - Parameter maximumInterval: The default of `--max-gap`; nil for the pace of the recording.
  func trackOptions(maximumInterval: Duration? = nil) -> TrackOptions {
    TrackOptions(maximumInterval: maximumGap ?? maximumInterval, device: device)
  }

  /// The format that `convert` and `record` write: that of `--format`, else that of the file name.
  var writtenFormat: RecordingWriter.Format? {
    recordingFormat ?? destination.flatMap { RecordingWriter.Format(fileName: $0) }
  }

  /// Rejects a recording whose format is not known.
  func checkFormat() throws(UsageError) {
    guard writtenFormat == nil else { return }
    throw UsageError(
      "the name of the file tells no format; add --format, one of \(Self.formatNames)",
      command: command)
  }

  /// The names of the formats that are written.
  static let formatNames = RecordingWriter.Format.allCases.map(\.name).joined(separator: ", ")
}
