import AsyncLocation

/// Delivers a publisher's messages somewhere.
protocol PublicationChannel: Sendable {
  /// Where to, for messages.
  var endpoint: String { get }

  /// Whether a retained message is kept for those who request it later.
  var keepsRetained: Bool { get }

  /// How long to wait for a connection.
  var connectTimeout: Duration { get }

  /// - Throws: ``LocationError`` with `invalidValue`.
  func validate() throws(LocationError)

  /// Connects, and delivers what the delivery hands over, until cancelled or failed for good.
  ///
  /// - Parameters:
  ///   - will: Makes what the broker publishes if a connection breaks, when that begins.
  ///   - isPermitted: Called before each publication leaves.
  func run(
    _ delivery: PublicationDelivery, will: (@Sendable () -> BrokerOptions.Message)?,
    window: Int,
    isPermitted: @escaping @Sendable () -> Bool
  ) async throws
}
