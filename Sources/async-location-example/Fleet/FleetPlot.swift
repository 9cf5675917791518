import AsyncLocation
import LocationRecording
import MQTTBackend

/// Collects the tracks of a fleet for `fleet --plot`, and writes a picture of them at the end.
actor FleetPlot {
  /// The maximum number of locations that are stored: about 60 MB.
  static let limit = 250_000

  private let path: String
  private let kind: PictureKind
  private let file: CompletedFile
  private let title: String
  private var conditions: [String: Condition]
  private let wantedTimeZone: LocalTimeZone?
  private var tracks: [FleetDevice.ID: (segmentation: TrackSegmentation, track: Track)] = [:]
  private var count = 0
  private var dropped = 0

  /// Nil without `--plot`.
  ///
  /// - Throws: ``UsageError`` for a path that cannot be written or has another extension, and for
  ///   an unknown time zone.
  init?(_ arguments: Arguments, _ conditions: [String: Condition]) throws {
    guard let path = arguments.destination else { return nil }
    self.path = path
    kind = try PictureKind(path: path, of: .fleet)
    file = try CompletedFile(path: path, replaces: arguments.replaces)
    title = arguments.broker.topic ?? FleetText.topic
    self.conditions = conditions
    wantedTimeZone = try arguments.timeZone.map { try PictureTimeZone.named($0, .fleet) }
  }

  func append(_ update: FleetUpdate) {
    guard count < Self.limit else {
      dropped += 1
      return
    }
    count += 1
    let track = Track(name: update.device.description)
    var entry =
      tracks.removeValue(forKey: update.device) ?? (TrackSegmentation(TrackOptions()), track)
    entry.track.append(entry.segmentation.point(for: update.location))
    tracks[update.device] = entry
  }

  /// Replaces the areas of the picture.
  func replaceConditions(with conditions: [String: Condition]) { self.conditions = conditions }

  /// Writes the picture. Returns false if locations were left out.
  func write(_ context: CommandContext) async throws -> Bool {
    let sorted = tracks.sorted { $0.key < $1.key }.map(\.value.track)
    let zone: LocalTimeZone
    if let wantedTimeZone {
      zone = wantedTimeZone
    } else {
      zone = await PictureTimeZone.zone(of: sorted)
    }
    let picture = TracksPicture(sorted, conditions: conditions, title: title, timeZone: zone)
    try await file.output.write(kind == .svg ? picture.svg() : picture.html())
    try await file.complete()
    let devices = NumberText.counted(sorted.count, "device")
    await context.printMessage("\(path): \(devices), \(NumberText.counted(count, "location"))")
    guard dropped > 0 else { return true }
    await context.printMessage("\(dropped) later locations are not in the picture")
    return false
  }
}
