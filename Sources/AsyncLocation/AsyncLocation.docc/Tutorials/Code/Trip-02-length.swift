public import AsyncLocation

/// Computes the length of a trip.
public enum Trip {
  /// Adds up the distances between the locations of a stream, in metres along the ground.
  public static func length(
    of updates: AsyncThrowingStream<Location, any Error>
  ) async throws -> Double {
    var length = 0.0
    var last: Location?
    for try await location in updates {
      if let last { length += location.coordinate.distance(to: last.coordinate) }
      last = location
    }
    return length
  }
}
