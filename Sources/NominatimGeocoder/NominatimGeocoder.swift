public import AsyncLocation

/// Finds places with a server that runs Nominatim or Photon.
///
/// The server is the program's own or one that it may use: there is no default.
/// ``openStreetMap(application:configuration:)`` uses the public server of the OpenStreetMap
/// Foundation, and follows its rules.
///
/// Any number of requests may be pending; at most 16 connections are open, and two stay open when
/// idle. Each request ends within ``Configuration/timeout``, reads at most 1 MiB, and follows
/// redirects to the same scheme, host and port only. No cookies, credentials or caches of the
/// system are used. Errors name the server, but neither the query nor the answer.
///
/// After an answer with status 429 or 500 to 599 and `Retry-After`, no request is sent until the
/// stated time, or for a day if that is less. Requests before then throw
/// ``/AsyncLocation/LocationError/Code/rateLimited`` immediately, with the time in the message.
///
/// Connections are closed when the geocoder is released. libcurl uses the proxy that is set in the
/// environment, for example in `https_proxy`.
public final class NominatimGeocoder: Geocoder {
  /// The address of the server, as it was passed to the initializer.
  public let server: String
  /// How the server is queried.
  public let configuration: Configuration
  /// False for the public server, whose rules count periodic requests as bulk use.
  public let allowsPeriodicUse: Bool

  private let answers: any Geocoder

  /// Creates a geocoder for a server. Connects with the first request.
  ///
  /// - Parameters:
  ///   - server: The address under which the service answers, such as
  ///     `https://places.example.org/nominatim`.
  ///   - configuration: How the server is queried.
  ///   - clock: Measures the timeout, delays and intervals.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for an address that is not an HTTP or
  ///   HTTPS address, or that has a user, a query or a fragment, and for an application's name that
  ///   is empty, longer than 200 bytes or not printable ASCII; with
  ///   ``/AsyncLocation/LocationError/Code/unsupported`` for a server of the OpenStreetMap
  ///   Foundation.
  public convenience init(
    server: String, configuration: Configuration = Configuration(),
    clock: any Clock<Duration> = .continuous
  ) throws(LocationError) {
    let address = try ServerAddress(server)
    guard !address.isOpenStreetMap else {
      throw LocationError(
        .unsupported,
        "The servers of OpenStreetMap have rules for their use; choose them with "
          + "NominatimGeocoder.openStreetMap(application:), which obeys these.")
    }
    let gate = RequestGate(interval: configuration.minimumInterval, Timeline(clock))
    try self.init(server, address, configuration, gate)
  }

  /// Uses the public Nominatim of the OpenStreetMap Foundation, for a person's occasional queries.
  ///
  /// Its rules are followed: all geocoders of the process together send at most one request a
  /// second, answers are kept for a day (as ``/AsyncLocation/CachingGeocoder`` does by default),
  /// and ``/AsyncLocation/LocationManager/placemarks(using:_:)`` is refused. The program must
  /// follow the other rules itself: no bulk requests, no completion of a name while it is typed,
  /// and a visible attribution. The service can be withdrawn, so a program must be able to switch
  /// to another server without an update. See
  /// <https://operations.osmfoundation.org/policies/nominatim/>.
  ///
  /// - Parameters:
  ///   - application: The program's name and version, and a contact address, such as
  ///     `HarbourMap/2.1 (maps@example.org)`.
  ///   - configuration: How the server is queried. ``Configuration/service``,
  ///     ``Configuration/application`` and ``Configuration/minimumInterval`` have no effect.
  /// - Throws: ``/AsyncLocation/LocationError`` with
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for a name that is empty, longer than 200
  ///   bytes or not printable ASCII.
  public static func openStreetMap(
    application: String, configuration: Configuration = Configuration()
  ) throws(LocationError) -> NominatimGeocoder {
    let server = "https://nominatim.openstreetmap.org"
    return try NominatimGeocoder(
      publicServer: server, application: application, configuration, .openStreetMap)
  }

  /// Creates a geocoder for a server with the rules of the public one.
  ///
  /// - Parameter clock: Measures the age of answers.
  convenience init(
    publicServer server: String, application: String, _ configuration: Configuration,
    _ gate: RequestGate, clock: any Clock<Duration> = .continuous
  ) throws(LocationError) {
    var configuration = configuration
    configuration.service = .nominatim
    configuration.application = application
    configuration.minimumInterval = .seconds(1)
    try self.init(
      server, try ServerAddress(server), configuration, gate, allowsPeriodicUse: false
    ) { CachingGeocoder($0, clock: clock) }
  }

  private init(
    _ server: String, _ address: ServerAddress, _ configuration: Configuration,
    _ gate: RequestGate, allowsPeriodicUse: Bool = true,
    caching: (any Geocoder) -> any Geocoder = { $0 }
  ) throws(LocationError) {
    try configuration.check()
    self.server = server
    self.configuration = configuration
    self.allowsPeriodicUse = allowsPeriodicUse
    answers = caching(GeocodingService(address, configuration, gate))
  }

  /// Finds the places at a point: with Nominatim the nearest object of the map, with Photon the
  /// nearest objects, the nearest first.
  ///
  /// - Parameters:
  ///   - coordinate: The point.
  ///   - locale: The languages of the names, where the map has them; without it, names are in the
  ///     language of the place.
  /// - Throws: `CancellationError` when the task is cancelled; the request is then cancelled too.
  ///   Otherwise ``/AsyncLocation/LocationError`` with one of these codes:
  ///
  ///   - ``/AsyncLocation/LocationError/Code/geocodeFoundNoResult``: there is nothing near the
  ///     point.
  ///   - ``/AsyncLocation/LocationError/Code/timedOut``: there was no answer within
  ///     ``Configuration/timeout``.
  ///   - ``/AsyncLocation/LocationError/Code/rateLimited``: the server refuses requests, or too
  ///     many wait for their turn.
  ///   - ``/AsyncLocation/LocationError/Code/network``: the server cannot be reached or failed, or
  ///     its answer cannot be used.
  ///   - ``/AsyncLocation/LocationError/Code/geocoderUnavailable``: the server does not serve this
  ///     program, or not this kind of request.
  public func reverseGeocode(
    _ coordinate: Coordinate, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answers.reverseGeocode(coordinate, locale: locale)
  }

  /// Finds the places of a name or an address, in the order in which the server ranks them.
  ///
  /// - Parameters:
  ///   - name: Text as typed into a map, at most 256 bytes, without control characters.
  ///   - near: A point near which places are preferred; Nominatim prefers those within about 50 km.
  ///     ``/AsyncLocation/Placemark/distance`` is measured from this point.
  ///   - locale: As in ``reverseGeocode(_:locale:)``.
  /// - Returns: At most ``Configuration/limit`` places.
  /// - Throws: As ``reverseGeocode(_:locale:)``, and
  ///   ``/AsyncLocation/LocationError/Code/invalidValue`` for a name that is empty, too long or
  ///   contains control characters.
  public func geocode(
    _ name: String, near: Coordinate?, locale: GeocodingLocale?
  ) async throws -> [Placemark] {
    try await answers.geocode(name, near: near, locale: locale)
  }
}
