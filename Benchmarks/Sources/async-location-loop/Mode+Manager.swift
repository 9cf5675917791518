import AsyncLocation
import Tally

/// Modes with one subscriber of a manager.
extension Mode {
  func readUpdates(_ port: Int) async throws -> String {
    let manager = makeManager(port)
    tally_begin()
    try await untilLost {
      for try await location in manager.updates { location.tally() }
    }
    return await remarks(manager)
  }

  func readOptions(_ port: Int) async throws -> String {
    let manager = makeManager(port)
    tally_begin()
    try await untilLost {
      for try await location in manager.updates(UpdateOptions(buffering: everything)) {
        location.tally()
      }
    }
    return await remarks(manager)
  }
}
