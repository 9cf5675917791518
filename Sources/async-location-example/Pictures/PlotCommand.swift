import AsyncLocation
import LocationRecording

/// The `plot` command: writes a picture of a track.
struct PlotCommand: Sendable {
  let arguments: Arguments
  let context: CommandContext

  /// Fails when the input cannot be read or the file cannot be written; then there is no file.
  func run() async throws -> ExitCode {
    guard let input = arguments.input, let output = arguments.output else {
      throw UsageError("plot needs IN and --output FILE", command: .plot)
    }
    let file = try PictureFile(output, of: .plot)
    try file.check(replacing: arguments.force)
    let basemap = try await basemap()
    let content = try await TrackFile(path: input).read { _ in }
    if let notice = content.notice { await context.say(notice) }
    let options = TrackPicture.Options(
      coloring: arguments.coloring, title: arguments.title ?? Self.name(input), basemap: basemap)
    let picture = TrackPicture(content.track, options: options)
    try Task.checkCancellation()
    let text =
      switch file.kind {
      case .svg: picture.svg()
      case .html: picture.html()
      }
    try file.write(text, replacing: arguments.force)
    let count = content.track.pointCount
    await context.say("\(output): \(count) \(count == 1 ? "location" : "locations")")
    return .done
  }

  private func basemap() async throws -> Basemap? {
    guard let path = arguments.basemap else { return nil }
    let bytes = try InputFile(path: path).read()
    do throws(RecordingError) {
      let basemap = try Basemap(geoJSON: bytes)
      let skipped = basemap.skippedFeatureCount
      if skipped > 0 {
        await context.say("\(path): \(skipped) \(skipped == 1 ? "feature" : "features") skipped")
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
