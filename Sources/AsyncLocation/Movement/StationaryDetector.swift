struct StationaryDetector: Sendable {
  mutating func observe(_ location: Location, at instant: Duration) -> Bool { false }
}
