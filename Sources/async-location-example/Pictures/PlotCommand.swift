import AsyncLocation
import LocationRecording

/// The `plot` command: writes a picture of a track.
struct PlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when the input cannot be read or the file cannot be written; then there is no file.
  func run() async throws -> ExitCode {
    guard let input = arguments.recording, let path = arguments.destination else {
      throw Self.missing
    }
    let kind = try PictureKind(path: path, of: .plot)
    let file = try CompletedFile(path: path, replaces: arguments.replaces)
    let basemap = try await basemap()
    let scan = RecordingScan(
      path: input, options: arguments.trackOptions(), context: context,
      showsProgress: context.showsProgress)
    var track = Track()
    let summary = try await scan.run { part in
      for point in part.points { track.append(point) }
      track.waypoints += part.waypoints
    }
    let title = arguments.title ?? summary.name ?? Self.name(input)
    let picture = TrackPicture(
      track,
      options: TrackPicture.Options(
        coloring: arguments.coloring, title: title, basemap: basemap))
    try Task.checkCancellation()
    try await file.output.write(kind == .svg ? picture.svg() : picture.html())
    try await file.complete()
    for line in ScanMessages.lines(of: summary, path: input) { await context.say(line) }
    await context.say("\(path): \(NumberText.counted(track.pointCount, "location"))")
    return summary.skipped.isEmpty ? .done : .failed
  }

  static let missing = UsageError(
    "plot needs IN, the path of a recording or -, and --output FILE", command: .plot)

  private func basemap() async throws -> Basemap? {
    guard let path = arguments.basemap else { return nil }
    let bytes = try InputFile(path: path).read()
    do throws(RecordingError) {
      let basemap = try Basemap(geoJSON: bytes)
      let skipped = basemap.skippedFeatureCount
      if skipped > 0 {
        await context.say("\(path): \(NumberText.counted(skipped, "feature")) skipped")
      }
      return basemap
    } catch {
      throw UsageError("\(path): \(error)")
    }
  }

  /// The name of a file without its folder and its ending; nil for standard input.
  private static func name(_ path: String) -> String? {
    guard path != "-", let file = path.split(separator: "/").last else { return nil }
    let parts = file.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count > 1 ? parts.dropLast().joined(separator: ".") : String(file)
  }
}
