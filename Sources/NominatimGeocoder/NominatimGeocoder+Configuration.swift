import AsyncLocation

extension NominatimGeocoder {
  /// The software that a server runs.
  @nonexhaustive
  public enum Service: Sendable, Hashable, CaseIterable {
    /// Nominatim 4 or later, with `/search` and `/reverse`.
    case nominatim
    /// Photon, with `/api` and `/reverse`.
    case photon
  }

  /// How a geocoder queries its server.
  public struct Configuration: Sendable, Hashable {
    /// The software that the server runs; Nominatim by default.
    public var service: Service
    /// The value of `User-Agent`, by which the server's operator identifies the program: its name
    /// and version, and a contact address. `AsyncLocation` by default.
    public var application: String
    /// The time limit of an answer, including the wait for the request's turn, the connection,
    /// redirects, further attempts and the whole body. Ten seconds by default.
    public var timeout: Duration
    /// The number of further attempts after an answer with status 429 or 500 to 599 and without
    /// `Retry-After`; two by default, after up to one and up to two seconds, and none beyond
    /// ``timeout``.
    public var retries: Int
    /// The minimum time between two requests, for a server with such a rule; zero by default.
    public var minimumInterval: Duration
    /// The maximum number of places in an answer: 1...40, and 10 by default. Other numbers are
    /// clamped.
    public var limit: Int {
      didSet { limit = Self.bounded(limit) }
    }

    /// Creates a configuration.
    public init(
      service: Service = .nominatim, application: String = "AsyncLocation",
      timeout: Duration = .seconds(10), retries: Int = 2, minimumInterval: Duration = .zero,
      limit: Int = 10
    ) {
      self.service = service
      self.application = application
      self.timeout = timeout
      self.retries = retries
      self.minimumInterval = minimumInterval
      self.limit = Self.bounded(limit)
    }

    private static func bounded(_ limit: Int) -> Int { min(max(limit, 1), 40) }

    /// Checks ``application``, which becomes a header.
    func check() throws(LocationError) {
      guard application.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
        application.utf8.count <= 200, application.contains(where: { $0 != " " })
      else {
        throw LocationError(
          .invalidValue,
          "The application's name must be 1 to 200 printable characters of ASCII, such as "
            + "\"HarbourMap/2.1 (maps@example.org)\".")
      }
    }
  }
}
