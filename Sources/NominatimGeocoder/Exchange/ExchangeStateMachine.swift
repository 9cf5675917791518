import FoundationEssentials
import HTTPTransfer

/// Decides what follows each HTTP response to one question: another attempt, the place that a
/// redirect names, or the end.
///
/// A server that names a time is not queried again before it. Others are queried again after a
/// status that may pass, 429 and 5xx, with delays that double. A failed connection is not tried
/// again, so that a fallback gets its turn.
struct ExchangeStateMachine: Sendable {
  enum Action: Sendable, Equatable {
    /// Another request, for an address of the same origin, after a delay.
    case send(URL, after: Duration)
    case deliver(Data)
    case fail(ExchangeFailure)
  }

  /// How many redirects are followed.
  static let redirectLimit = 3
  /// The longest delay before an attempt.
  static let longestDelay = Duration.seconds(30)

  private let origin: HTTPOrigin
  private let retries: Int
  private var url: URL
  private var redirects = 0
  private var attempts = 0

  /// - Parameters:
  ///   - url: The first address, of the origin.
  ///   - retries: How many attempts follow the first.
  init(_ url: URL, of origin: HTTPOrigin, retries: Int) {
    (self.url, self.origin, self.retries) = (url, origin, retries)
  }

  /// The first request.
  func begin() -> Action { .send(url, after: .zero) }

  /// A server answered.
  ///
  /// - Parameters:
  ///   - remaining: The time until the question's deadline.
  ///   - wall: The time now, for a server that names a date.
  mutating func answered(
    _ response: HTTPResponse, remaining: Duration, at wall: Date,
    using generator: inout some RandomNumberGenerator
  ) -> Action {
    switch response.status {
    case 200: return .deliver(response.body)
    case 301, 302, 303, 307, 308: return redirected(to: response.location)
    case 429, 500...599:
      if let wait = RetryAfter.wait(response.retryAfter, sent: response.date, received: wall) {
        return .fail(.refused(for: wait))
      }
      let delay = delay(using: &generator)
      guard attempts < retries, delay < remaining else {
        return .fail(response.status == 429 ? .refused(for: nil) : .serverFailed(response.status))
      }
      attempts += 1
      return .send(url, after: delay)
    default: return .fail(.rejected(response.status))
    }
  }

  /// A request has no response.
  func failed(_ failure: HTTPFailure) -> Action { .fail(.transport(failure)) }

  private mutating func redirected(to location: String?) -> Action {
    guard let location, let next = URL(string: location, relativeTo: url)?.absoluteURL,
      HTTPOrigin(next) == origin
    else { return .fail(.redirectedElsewhere) }
    redirects += 1
    guard redirects <= Self.redirectLimit else { return .fail(.tooManyRedirects) }
    url = next
    return .send(next, after: .zero)
  }

  /// One second, two, four and so on, less a random part of up to a half, so that many programs do
  /// not query at the same time.
  private func delay(using generator: inout some RandomNumberGenerator) -> Duration {
    let whole = min(.seconds(1 << min(attempts, 10)), Self.longestDelay)
    return whole * Double.random(in: 0.5...1, using: &generator)
  }
}
