import LocationRecording

extension Arguments {
  /// Where a track that is read is divided.
  ///
  /// - Parameter maximumInterval: The default of `--max-gap`; nil for the pace of the recording.
  func trackOptions(maximumInterval: Duration? = nil) -> TrackOptions {
    TrackOptions(maximumInterval: maximumGap ?? maximumInterval, device: device)
  }

  /// The format that `convert` and `record` write: that of `--format`, else that of the name of the file.
  var writtenFormat: RecordingWriter.Format? {
    recordingFormat ?? destination.flatMap { RecordingWriter.Format(fileName: $0) }
  }

  /// Takes the words after a command that reads or writes a recording.
  mutating func setFiles(_ words: [String]) throws(UsageError) {
    // A picture of conditions alone needs no recording.
    if command == .plot, words.isEmpty { return }
    let count = command == .convert ? 2 : 1
    guard words.count >= count, !words.prefix(count).contains("") else { throw missingFiles }
    if command == .plot {
      guard !words.contains("") else { throw missingFiles }
      furtherRecordings = Array(words.dropFirst())
    } else if words.count > count {
      let shown = Escaping.escape(words[count], limit: 60)
      throw UsageError("'\(shown)' is an unexpected argument", command: command)
    }
    if command.readsRecordings { recording = words[0] }
    if command.writesRecordings { destination = words[count - 1] }
  }

  private var missingFiles: UsageError {
    switch command {
    case .convert: ConvertCommand.missing
    case .plot: PlotCommand.missing
    case .record: RecordCommand.missing
    default: StatsCommand.missing
    }
  }

  /// Rejects a recording whose format is not known.
  func checkFormat() throws(UsageError) {
    guard command.writesRecordings, writtenFormat == nil else { return }
    throw UsageError(
      "the name of the file tells no format; add --format, one of \(Self.formatNames)",
      command: command)
  }

  /// Rejects a picture without a name that shows its kind, and options that have no effect on it.
  func checkPicture(_ given: Set<Option>) throws(UsageError) {
    switch (command, destination) {
    case (.plot, _) where recording == nil && conditions == nil: throw PlotCommand.missing
    case (.plot, nil): throw PlotCommand.missing
    case (.plot, let path?):
      _ = try PictureKind(path: path, of: .plot)
      let alone: [Option] = [.coloring, .over, .basemap]
      if recording == nil || !furtherRecordings.isEmpty,
        let option = alone.first(where: given.contains)
      {
        throw UsageError("\(option.flag) is for a picture of one recording", command: command)
      }
      if (furtherRecordings + [recording]).count(where: { $0 == "-" }) > 1 {
        throw UsageError("standard input can be read only once", command: command)
      }
    case (.sky, nil) where given.contains(.replace):
      throw UsageError("--replace needs --plot", command: command)
    case (.sky, let path?):
      _ = try PictureKind(path: path, kinds: [.svg], of: .sky)
      if let option = [Option.count, .format].first(where: given.contains) {
        throw UsageError(
          "\(option.flag) is for views that are printed; --plot writes one picture",
          command: command)
      }
    case (.fleet, nil):
      if let option = [Option.replace, .zone].first(where: given.contains) {
        throw UsageError("\(option.flag) needs --plot", command: command)
      }
    case (.fleet, let path?): _ = try PictureKind(path: path, of: .fleet)
    default: break
    }
  }

  /// The names of the formats that are written.
  static let formatNames = RecordingWriter.Format.allCases.map(\.name).joined(separator: ", ")
}
