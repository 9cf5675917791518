struct LocationReducer: Sendable {
  init(key: ReducedAccuracyKey) {}
  mutating func reduce(_ location: Location) -> Location { location }
}
