/// A geocoder that tries other geocoders in turn until one has a result: for example a network
/// service first, and data on the device if the service fails.
///
/// ```swift
/// let geocoder = FallbackGeocoder(CachingGeocoder(server), offline)
/// ```
///
/// The next geocoder is tried when one throws, even ``LocationError/Code/geocodeFoundNoResult`` or
/// ``LocationError/Code/geocodeFoundPartialResult``, because the data of another may have more.
/// ``Placemark/source`` names the data of an answer, and ``statistics`` counts the answers of each
/// geocoder. There is no time limit: a geocoder that does not answer delays the next one until it
/// throws.
public final class FallbackGeocoder: Geocoder {
  /// Counters since the geocoder was created. Each array has a number for each geocoder, in the
  /// order in which they are tried.
  public struct Statistics: Sendable, Hashable, Codable {
    /// Requests that the geocoder answered with a result.
    public internal(set) var results: [Int]
    /// Requests for which the geocoder failed, had no result, or had only a partial one.
    public internal(set) var failures: [Int]
  }

  private let geocoders: [any Geocoder]
  private let counters: Locked<Statistics>

  /// Creates a geocoder that tries others.
  ///
  /// - Parameters:
  ///   - first: The geocoder that is tried first.
  ///   - others: The geocoders that are tried, in this order, when the earlier ones have no result.
  public init(_ first: any Geocoder, _ others: any Geocoder...) {
    geocoders = [first] + others
    let zeros = Array(repeating: 0, count: geocoders.count)
    counters = Locked(Statistics(results: zeros, failures: zeros))
  }

  /// Whether all geocoders allow periodic use.
  public var allowsPeriodicUse: Bool { geocoders.allSatisfy(\.allowsPeriodicUse) }

  /// The current values of the counters.
  public var statistics: Statistics { counters.withLock { $0 } }

  /// Finds the places at a point with the first geocoder that has a result.
  ///
  /// - Throws: `CancellationError` when the task is cancelled; no further geocoder is tried then.
  ///   If no geocoder has a result, the first ``LocationError`` in this order of preference: a
  ///   partial result, a failure, no result. Any other error of a geocoder becomes the cause of a
  ///   ``LocationError``.
  public func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answer(to: GeocodingQuery(name: nil, point: coordinate, locale: locale))
  }

  /// Finds the places of a name with the first geocoder that has a result.
  ///
  /// - Throws: The errors of ``reverseGeocode(_:locale:)``.
  public func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answer(to: GeocodingQuery(name: name, point: near, locale: locale))
  }

  private func answer(to query: GeocodingQuery) async throws -> [Placemark] {
    var errors: [LocationError] = []
    for (index, geocoder) in geocoders.enumerated() {
      try GeocodingPermission.check()
      do {
        let placemarks = try await query.answer(of: geocoder)
        counters.withLock { $0.results[index] += 1 }
        return placemarks
      } catch {
        try Task.checkCancellation()
        counters.withLock { $0.failures[index] += 1 }
        errors.append(LocationError(ofGeocoder: error))
      }
    }
    throw Self.mostInformative(of: errors)
  }

  /// The error to report: the first partial result; otherwise the first error other than "no
  /// result", since a retry may succeed; otherwise "no result".
  static func mostInformative(of errors: [LocationError]) -> LocationError {
    errors.first { $0.code == .geocodeFoundPartialResult }
      ?? errors.first { $0.code != .geocodeFoundNoResult } ?? errors[0]
  }
}

extension FallbackGeocoder.Statistics: Described {
  package var members: [DescribedMember] {
    [DescribedMember("results", results), DescribedMember("failures", failures)]
  }
}
