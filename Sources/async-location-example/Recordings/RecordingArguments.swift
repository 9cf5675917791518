import LocationRecording

extension Arguments {
  /// Where `convert` and `stats` divide a track.
  ///
  /// - Parameter maximumInterval: The default of `--max-gap`; nil divides only where the recording
  ///   does.
  func trackOptions(maximumInterval: Duration?) -> TrackOptions {
    TrackOptions(
      maximumInterval: maximumGap ?? maximumInterval ?? .seconds(Int64.max), device: device)
  }

  /// The format that `convert` writes: that of `--format`, else that of the name of the file.
  var writtenFormat: RecordingWriter.Format? {
    recordingFormat ?? destination.flatMap { RecordingWriter.Format(fileName: $0) }
  }

  /// Takes the words after `convert` or `stats`.
  mutating func setFiles(_ words: [String]) throws(UsageError) {
    let missing = command == .convert ? ConvertCommand.missing : StatsCommand.missing
    let count = command == .convert ? 2 : 1
    guard words.count >= count, !words.prefix(count).contains("") else { throw missing }
    if words.count > count {
      let shown = Escaping.escape(words[count], limit: 60)
      throw UsageError("'\(shown)' is an unexpected argument", command: command)
    }
    recording = words[0]
    if command == .convert { destination = words[1] }
  }

  /// Rejects a conversion whose format is not known.
  func checkConversion() throws(UsageError) {
    guard command == .convert, writtenFormat == nil else { return }
    throw UsageError(
      "the name of OUT tells no format; add --format, one of \(Self.formatNames)", command: command)
  }

  /// The names of the formats that are written.
  static let formatNames = RecordingWriter.Format.allCases.map(\.name).joined(separator: ", ")
}
