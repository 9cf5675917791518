/// Finds the places at a point, or the points of a place's name, after Core Location's
/// `CLGeocoder`.
///
/// A geocoder may use a network, and handles any number of concurrent requests. ``CachingGeocoder``
/// and ``FallbackGeocoder`` combine other geocoders.
///
/// An implementation returns its answers ranked, the best first, and never an empty array. It
/// throws `CancellationError` when its caller's task is cancelled, and otherwise ``LocationError``
/// with one of these codes:
///
/// - ``LocationError/Code/geocodeFoundNoResult``: there is no such place.
/// - ``LocationError/Code/geocodeFoundPartialResult``: only a part was found;
///   ``LocationError/partialPlacemarks`` contains it.
/// - ``LocationError/Code/geocodeCanceled``: the request was cancelled, but not by its caller.
/// - ``LocationError/Code/network`` and ``LocationError/Code/timedOut``: the service did not
///   answer.
/// - ``LocationError/Code/rateLimited``: the service refuses further requests for a while.
/// - ``LocationError/Code/geocoderUnavailable``: the geocoder lacks its data or its service.
/// - ``LocationError/Code/invalidValue``: the name is empty or too long.
public protocol Geocoder: Sendable {
  /// Whether a program may send repeated requests that no person initiates, as
  /// ``LocationManager/placemarks(using:_:)`` does. The rules of some public services forbid it.
  /// True by default; for a geocoder that combines others, true if all of them allow it.
  var allowsPeriodicUse: Bool { get }

  /// Finds the places at a point.
  ///
  /// - Parameters:
  ///   - coordinate: The point. ``Placemark/distance`` is measured from it.
  ///   - locale: The preferred languages of the names.
  func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark]

  /// Finds the places of a name or an address.
  ///
  /// - Parameters:
  ///   - name: A name such as "Paris", optionally with the area that contains it: "Paris, TX".
  ///   - near: A point near which places are preferred, and from which ``Placemark/distance`` is
  ///     measured.
  ///   - locale: The preferred languages of the names.
  func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark]
}

extension Geocoder {
  public var allowsPeriodicUse: Bool { true }

  /// Finds the places at a point, with names in the geocoder's own language; see
  /// ``reverseGeocode(_:locale:)``.
  public func reverseGeocode(_ coordinate: Coordinate) async throws -> [Placemark] {
    try await reverseGeocode(coordinate, locale: nil)
  }

  /// Finds the places of a name, with names in the geocoder's own language; see
  /// ``geocode(_:near:locale:)``.
  public func geocode(_ name: String, near: Coordinate? = nil) async throws -> [Placemark] {
    try await geocode(name, near: near, locale: nil)
  }

  /// Finds the places of a name anywhere; see ``geocode(_:near:locale:)``.
  public func geocode(_ name: String, locale: GeocodingLocale?) async throws -> [Placemark] {
    try await geocode(name, near: nil, locale: locale)
  }
}
