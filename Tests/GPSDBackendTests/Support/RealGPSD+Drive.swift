import AsyncLocation
import TestSupport

extension RealGPSD {
  /// Allows the receiver to send `epochs` epochs once the run's connection state lists it. Returns
  /// the next `count` locations of the run, or fewer if the run ends, and pauses the receiver.
  func drive(_ run: BackendRun, count: Int = 5, epochs: Int = 500) async -> [Location] {
    defer { feed.pause() }
    var locations: [Location] = []
    for await event in run.events {
      switch event {
      case .connection(let state)
      where state.phase == .connected && state.receivers.contains { $0.name == device }:
        feed.start(epochs)
      case .location(let location):
        locations.append(location)
        if locations.count >= count { return locations }
      default: break
      }
    }
    return locations
  }
}
