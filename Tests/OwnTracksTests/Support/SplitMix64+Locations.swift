import AsyncLocation
import FoundationEssentials
import MockBackend

extension SplitMix64 {
  /// A location with random values in members that OwnTracks has. Each optional one may be absent.
  mutating func location() throws -> Location {
    func maybe(_ range: ClosedRange<Double>) -> Double? {
      Bool.random(using: &self) ? Double.random(in: range, using: &self) : nil
    }
    let timestamp =
      Bool.random(using: &self)
      ? Date(timeIntervalSince1970: Double(Int.random(in: 0...4_000_000_000, using: &self)))
      : Date(timeIntervalSince1970: Double.random(in: -60e9...250e9, using: &self))
    return try Location(
      latitude: .random(in: -90...90, using: &self),
      longitude: .random(in: -180...180, using: &self), timestamp: timestamp,
      altitude: maybe(-500...9_000), horizontalAccuracy: maybe(0...100),
      verticalAccuracy: maybe(0...3), speed: maybe(0...90), course: maybe(0...359.999))
  }
}
