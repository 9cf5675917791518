import AsyncLocation

/// Delivers a publisher's messages to a broker or a server.
protocol PublicationChannel: Sendable {
  /// The destination, for error messages.
  var endpoint: String { get }

  /// Whether the receiver retains messages for clients that request them later.
  var keepsRetained: Bool { get }

  /// The time limit of a connection attempt.
  var connectTimeout: Duration { get }

  /// Checks the configuration.
  ///
  /// - Parameter confirms: Whether a server is to confirm that locations are stored.
  /// - Throws: ``LocationError`` with `invalidValue`.
  func validate(confirms: Bool) throws(LocationError)

  /// Connects, and delivers the publications that the delivery hands over, until it is cancelled or
  /// fails permanently.
  ///
  /// - Parameters:
  ///   - will: Creates the last will of a connection when the connection begins.
  ///   - window: The maximum number of publications in flight.
  ///   - isPermitted: Called before each publication is sent.
  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?,
    window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws
}
