import AsyncLocation
import MQTTBackend

/// The output of `publish` on standard error: a status line in a terminal, problems, and a summary.
actor PublishReport {
  private let context: CommandContext
  /// The path of the storage; nil for one in memory.
  private let file: String?
  private let confirmation: PublisherOptions.Confirmation
  /// The name of the counted items.
  private let unit: String
  private var statistics: @Sendable () -> PublisherStatistics = { PublisherStatistics() }
  private let status: StatusLine
  private var source = ConnectionMessages()
  private var broker = ConnectionMessages()
  private var connection = BrokerConnection()
  private var problem: LocationError?
  /// Why the storage began empty.
  private var setAside: LocationError?
  /// Why no location arrives.
  private var reason: LocationError?
  /// Whether the message about repeated locations was printed.
  private var hasReportedRepeats = false

  init(
    _ context: CommandContext, file: String?, confirmation: PublisherOptions.Confirmation,
    unit: String
  ) {
    (self.context, self.file, self.unit) = (context, file, unit)
    self.confirmation = confirmation
    status = StatusLine(context)
  }

  /// Sets the source of the publisher's statistics.
  func follow(_ statistics: @escaping @Sendable () -> PublisherStatistics) {
    self.statistics = statistics
  }

  func printMessage(_ text: String) async { await status.printMessage(text) }

  /// Handles a state of the connection to the source of locations.
  func handleSource(_ state: ConnectionState) async {
    reason = state.problem
    if let message = source.nextMessage(for: state) { await printMessage(message) }
  }

  /// Handles a state of the connection to the broker.
  func handleBroker(_ state: ConnectionState) async {
    connection.update(state)
    if let message = broker.nextMessage(for: state) { await printMessage(message) }
    await show()
  }

  /// - Parameters:
  ///   - error: Why the storage begins empty.
  ///   - other: The topic of another device for which publications wait.
  func storageOpened(_ error: LocationError?, _ other: String?) async {
    (problem, setAside) = (error, error)
    if let error { await printMessage("the storage: " + Reason.text(error)) }
    if let other {
      await printMessage(
        "the storage keeps publications for \(Escaping.escape(other, limit: 200)), which are sent "
          + "there")
    }
  }

  func handle(_ update: LocationUpdate) async {
    if let message = source.nextMessage(for: update) { await printMessage(message) }
  }

  /// Prints a message when permission is withdrawn or returns. After a withdrawal the command ends
  /// later, when the broker has removed the last location or cannot be reached.
  func handle(_ authorization: Authorization) async {
    if let message = source.nextPermissionMessage(of: authorization) { await printMessage(message) }
  }

  /// Updates the status line and reports problems, until cancelled.
  func run() async {
    let stopwatch = Stopwatch(context.clock)
    while true {
      let next = stopwatch.now + .seconds(1)
      guard (try? await stopwatch.sleep(until: next)) != nil else { return }
      let current = statistics().problem
      if let current, current != problem {
        // Publications in a damaged file, and permanently refused ones, do not wait.
        let waits = current != setAside && current.code != .invalidValue
        await printMessage((waits ? "publications wait: " : "") + Reason.text(current))
      }
      problem = current
      await reportRepeats()
      await show()
    }
  }

  /// Prints a message when a location is sent again for the first time.
  private func reportRepeats() async {
    guard !hasReportedRepeats, statistics().repeated > 0 else { return }
    hasReportedRepeats = true
    await printMessage(PublishText.repeated)
  }

  /// Prints the summary.
  func finish() async {
    await printMessage(PublishText.summary(statistics(), file: file, unit: unit))
  }

  func timedOut(after timeout: Duration) -> LocationError {
    let statistics = statistics()
    guard statistics.backlog.count > 0 else { return .silent(for: timeout, because: reason) }
    let problem = statistics.problem == setAside ? nil : statistics.problem
    return PublishText.undelivered(
      for: timeout, connection, isUnconfirmed: statistics.unconfirmed > 0, because: problem)
  }

  private func show() async {
    await status.show(PublishText.progress(statistics(), confirmation, connection.state))
  }
}

/// The texts of `publish`. Pure.
enum PublishText {
  static func progress(
    _ statistics: PublisherStatistics, _ confirmation: PublisherOptions.Confirmation,
    _ connection: ConnectionState?
  ) -> String {
    let phase = connection?.phase == .connected ? "connected" : "not connected"
    let waiting = max(0, statistics.backlog.count - statistics.unconfirmed)
    let counts =
      switch confirmation {
      case .broker: ["published \(statistics.published)", "\(waiting) waiting"]
      case .stored:
        [
          "stored \(statistics.published)", "\(statistics.unconfirmed) at the broker",
          "\(waiting) waiting",
        ]
      }
    return (counts + losses(statistics) + [phase]).joined(separator: ", ")
  }

  static let repeated =
    "no server has confirmed some locations, and they are sent again; fleet --storage confirms"

  /// The error for a timeout while locations wait.
  ///
  /// - Parameters:
  ///   - isUnconfirmed: Whether the broker has locations that no server has confirmed.
  ///   - problem: Why the locations wait, if the connection is not the reason.
  static func undelivered(
    for timeout: Duration, _ connection: BrokerConnection, isUnconfirmed: Bool = false,
    because problem: LocationError?
  ) -> LocationError {
    let silent =
      isUnconfirmed ? "no server has confirmed one" : "the broker is connected but does not answer"
    let reason = problem == nil ? connection.reason ?? silent : nil
    return LocationError(
      .timedOut,
      "No location was delivered for \(NumberText.span(timeout))"
        + (reason.map { ": \($0)." } ?? "."), cause: problem ?? connection.problem)
  }

  /// - Parameters:
  ///   - file: The file that stores waiting publications for the next run; nil if there is none.
  ///   - unit: The name of the counted items, in the singular.
  static func summary(
    _ statistics: PublisherStatistics, file: String?, unit: String
  ) -> String {
    let waiting = statistics.backlog.count
    var text = "Published \(NumberText.counted(statistics.published, unit))"
    if statistics.unconfirmed > 0 { text += ", \(statistics.unconfirmed) more unconfirmed" }
    text += "; "
    text += "\(waiting) \(waiting == 1 ? "waits" : "wait")"
    if waiting > 0 {
      text +=
        file.map { " in " + Escaping.escape($0, limit: 200) }
        ?? " and \(waiting == 1 ? "is" : "are") lost with this process"
    }
    let losses = losses(statistics)
    return text + "." + (losses.isEmpty ? "" : " " + losses.joined(separator: ", ") + ".")
  }

  /// The message about the last location, which a broker may retain after a withdrawal of
  /// permission. Nil if no removal waits; after a withdrawal, only removals wait.
  ///
  /// - Parameter file: The file that stores waiting publications for the next run; nil if there is
  ///   none.
  static func kept(_ statistics: PublisherStatistics, file: String?) -> String? {
    guard statistics.backlog.count > 0 else { return nil }
    let end =
      file.map {
        "the next run with --storage \(Escaping.escape($0, limit: 200)) removes it, also without "
          + "permission."
      } ?? "this process cannot remove it any more, since it was not reached."
    return "The broker may still keep the last location: " + end
  }

  /// The counts of locations that will not reach the broker; empty if there are none.
  private static func losses(_ statistics: PublisherStatistics) -> [String] {
    [
      (statistics.dropped.count, "dropped as too many"),
      (statistics.dropped.age, "dropped as too old"),
      (statistics.dropped.bytes, "dropped as too large"),
      (statistics.refused, "refused by the broker"),
      (statistics.deleted, "deleted without permission"),
      (statistics.lost, "lost"),
    ].compactMap { count, name in count > 0 ? "\(count) \(name)" : nil }
  }
}
