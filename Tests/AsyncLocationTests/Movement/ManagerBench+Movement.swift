import FoundationEssentials
import MockBackend

@testable import AsyncLocation

extension ManagerBench {
  /// Emits the locations of a track, each when it is due.
  ///
  /// - Parameter earlier: The part at the beginning of the track that is already emitted.
  func feed(_ track: Track, after earlier: Track = Track(), device: String? = nil) async throws {
    await backend.waitUntilRunning()
    for (location, instant) in try track.locations(device: device).dropFirst(earlier.fixes.count) {
      clock.advance(to: ManualClock.Instant(offset: instant))
      try backend.emit(.location(location))
    }
  }

  /// Waits until the backend has received `count` demands whose `isPaused` has this value.
  func untilBackend(isPaused: Bool, count: Int = 1) async {
    await backend.waitForCall(count: count) { call in
      if case .demandApplied(let demand) = call { demand.isPaused == isPaused } else { false }
    }
  }
}

extension Sequence<Location> {
  /// The seconds of a track at which locations were measured.
  var seconds: [Double] { map { $0.timestamp.timeIntervalSince(Sample.epoch) } }
}

extension [Double] {
  /// Whole seconds of a track.
  static func seconds(_ ranges: ClosedRange<Int>...) -> Self {
    ranges.flatMap { $0.map { Double($0) } }
  }
}
