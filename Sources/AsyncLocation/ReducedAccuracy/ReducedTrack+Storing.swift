import FoundationEssentials

extension ReducedTrack {
  /// What is stored of a track. It holds the answers that were given, and nothing more exact.
  struct Stored: Sendable, Codable {
    /// The receiver; nil for one without a name.
    let device: String?
    let location: Location
    let altitude: Double?
    let speed: Double?
    let course: Double?
    let climb: Double?
    let receiverTime: Date?
    let hostTime: Date?
  }

  /// Nil before the first location.
  func stored(of device: String?) -> Stored? {
    guard let chosen else { return nil }
    return Stored(
      device: device, location: chosen, altitude: altitude.value, speed: speed.value,
      course: course.value, climb: climb.value, receiverTime: receiverTime, hostTime: hostTime)
  }

  /// Creates the track that was stored. Returns nil for one of another grid, which another key
  /// stored, and for one that no track has.
  init?(_ stored: Stored, in grid: ReducedGrid) {
    let choice = CellChoice(SurfaceNormal(stored.location.coordinate), in: grid)
    guard choice.cell.coordinate == stored.location.coordinate else { return nil }
    self.init()
    self.choice = choice
    guard altitude.restore(stored.altitude), speed.restore(stored.speed),
      course.restore(stored.course), climb.restore(stored.climb)
    else { return nil }
    chosen = stored.location
    receiverTime = stored.receiverTime
    hostTime = stored.hostTime
  }
}
