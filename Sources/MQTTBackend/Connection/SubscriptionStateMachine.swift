/// Decides which subscriptions a connection to a broker requests, and whether the broker's session
/// already includes them.
struct SubscriptionStateMachine: Sendable {
  typealias Subscription = BrokerOptions.Subscription

  /// The meaning of a broker's answer to a request.
  enum Answer: Hashable, Sendable {
    /// Other requests are still unanswered, or the answer does not belong to a request of this
    /// connection.
    case incomplete
    case refused(filter: String, reasonCode: UInt8)
    /// All requests are answered. The broker does not store messages for a downgraded subscription.
    case complete(Downgrade?)
  }

  /// A subscription with a lower quality of service than requested.
  struct Downgrade: Hashable, Sendable {
    let filter: String
    let quality: UInt8
  }

  /// The maximum number of consecutive connections that may end before an optional subscription is
  /// answered. Some brokers refuse a subscription by ending the connection.
  private static let maximumUnansweredEnds = 2

  /// Whether a connection that the broker ends is followed by another one.
  private let reconnects: Bool
  /// The requests that the broker has not answered yet, by their identifiers.
  private var pending: [Int32: Subscription] = [:]
  /// Whether the broker's session has all subscriptions, so that the broker stores their messages
  /// until the next connection.
  private var isKept = false
  private var downgrade: Downgrade?
  /// The number of consecutive connections that ended before an optional subscription was answered.
  private var unansweredEnds = 0
  /// Whether the last connection ended before an optional subscription was answered.
  private var lastEndedUnanswered = false

  init(reconnects: Bool) { self.reconnects = reconnects }

  /// Handles the broker's acceptance of a connection.
  ///
  /// - Parameters:
  ///   - wanted: The subscriptions of the connection.
  ///   - isPresent: Whether the broker reports in CONNACK that the session is present.
  ///   - version: The version of MQTT.
  /// - Returns: Whether the session is resumed without a loss of messages, and the subscriptions to
  ///   request.
  mutating func accepted(
    _ wanted: [Subscription], isPresent: Bool, _ version: BrokerOptions.Version = .mqtt5
  ) -> (resumes: Bool, requests: [Subscription]) {
    let omitsOptional =
      !reconnects || lastEndedUnanswered || unansweredEnds >= Self.maximumUnansweredEnds
    let subscriptions = omitsOptional ? wanted.filter { !$0.isOptional } : wanted
    // A session that lacked a subscription has missed messages.
    let resumes = isPresent && (isKept || subscriptions.isEmpty)
    (isKept, downgrade, lastEndedUnanswered) = (false, nil, false)
    let lasting = subscriptions.filter { !$0.isForNewSession }
    switch version {
    case .mqtt5: return (resumes, resumes ? lasting : subscriptions)
    // A new session requests each filter once, since a second request would replace the first. A
    // resumed session requests nothing, since the broker would send all retained messages again.
    case .mqtt311:
      isKept = resumes
      return (resumes, resumes ? [] : lasting)
    }
  }

  /// - Parameter requests: The requested subscriptions by the identifiers of their requests.
  mutating func requested(_ requests: [Int32: Subscription]) { pending = requests }

  /// Handles an answer of the broker.
  mutating func answered(_ identifier: Int32, reasonCodes: [UInt8]) -> Answer {
    guard let subscription = pending.removeValue(forKey: identifier) else { return .incomplete }
    if subscription.isOptional { unansweredEnds = 0 }
    if let code = reasonCodes.first(where: { $0 >= 0x80 }), !subscription.isOptional {
      return .refused(filter: subscription.filter, reasonCode: code)
    }
    if let granted = reasonCodes.first, Int32(granted) < subscription.quality {
      downgrade = Downgrade(filter: subscription.filter, quality: granted)
    }
    guard pending.isEmpty else { return .incomplete }
    isKept = downgrade == nil
    return .complete(downgrade)
  }

  /// Handles the end of the connection.
  mutating func ended() {
    if pending.values.contains(where: \.isOptional) {
      unansweredEnds += 1
      lastEndedUnanswered = true
    }
    pending = [:]
  }
}
