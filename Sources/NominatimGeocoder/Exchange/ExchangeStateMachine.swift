import FoundationEssentials
import HTTPTransfer

/// Decides what follows each HTTP response to one query: another attempt, a redirect, or the end.
///
/// A transient status, 429 or 5xx, ends the query if the server states a time to wait; otherwise
/// the request is repeated a limited number of times, with doubling delays. A failed connection is
/// not retried, so that a fallback can be used at once.
struct ExchangeStateMachine: Sendable {
  enum Action: Sendable, Equatable {
    /// Another request, for an address of the same origin, after a delay.
    case send(URL, after: Duration)
    case deliver(Data)
    case fail(ExchangeFailure)
  }

  /// The maximum number of redirects.
  static let redirectLimit = 3
  /// The longest delay before an attempt.
  static let longestDelay = Duration.seconds(30)

  private let origin: HTTPOrigin
  private let retries: Int
  private var url: URL
  private var redirects = 0
  private var retryCount = 0

  /// - Parameters:
  ///   - url: The first address, of the origin.
  ///   - retries: The number of attempts after the first.
  init(_ url: URL, of origin: HTTPOrigin, retries: Int) {
    (self.url, self.origin, self.retries) = (url, origin, retries)
  }

  /// The first request.
  func begin() -> Action { .send(url, after: .zero) }

  /// Handles a response.
  ///
  /// - Parameters:
  ///   - remaining: The time until the query's deadline.
  ///   - wall: The current time, for a server that states a date.
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
      guard retryCount < retries, delay < remaining else {
        return .fail(response.status == 429 ? .refused(for: nil) : .serverFailed(response.status))
      }
      retryCount += 1
      return .send(url, after: delay)
    default: return .fail(.rejected(response.status))
    }
  }

  /// Handles a request without a response.
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

  /// The next delay: one second, two, four and so on, up to `longestDelay`, minus a random part of
  /// up to half of it, so that many programs do not query at the same time.
  private func delay(using generator: inout some RandomNumberGenerator) -> Duration {
    let whole = min(.seconds(1 << min(retryCount, 10)), Self.longestDelay)
    return whole * Double.random(in: 0.5...1, using: &generator)
  }
}
