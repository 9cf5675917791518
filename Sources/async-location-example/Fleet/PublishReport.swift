import AsyncLocation
import MQTTBackend

/// What `publish` says on standard error: a status line in a terminal, problems, and a summary.
actor PublishReport {
  private let context: CommandContext
  private let statistics: @Sendable () -> PublisherStatistics
  private let status: StatusLine
  private var source = ConnectionMessages()
  private var broker = ConnectionMessages()
  private var connection: ConnectionState?
  private var problem: LocationError?
  /// Why no location arrives.
  private var reason: LocationError?

  init(
    _ context: CommandContext, _ statistics: @escaping @Sendable () -> PublisherStatistics
  ) {
    (self.context, self.statistics) = (context, statistics)
    status = StatusLine(context)
  }

  func say(_ text: String) async { await status.say(text) }

  /// Takes a state of the connection to the source of locations.
  func takeSource(_ state: ConnectionState) async {
    reason = state.problem
    guard state.phase != .failed else { return }  // The command ends with this error.
    if let message = source.take(state) { await say(message) }
  }

  /// Takes a state of the connection to the broker.
  func takeBroker(_ state: ConnectionState) async {
    connection = state
    guard state.phase != .failed else { return }
    if let message = broker.take(state) { await say(message) }
    await show()
  }

  func take(_ update: LocationUpdate) async {
    if let message = source.take(update) { await say(message) }
  }

  /// Updates the status line and reports problems, until cancelled.
  func run() async {
    let stopwatch = Stopwatch(context.clock)
    while true {
      let next = stopwatch.now + .seconds(1)
      guard (try? await stopwatch.sleep(until: next)) != nil else { return }
      let current = statistics().problem
      if let current, current != problem { await say("publications wait: " + Reason.text(current)) }
      problem = current
      await show()
    }
  }

  /// Prints the summary.
  func finish(keeps: Bool) async {
    await say(PublishText.summary(statistics(), keeps: keeps))
  }

  func timedOut(after timeout: Duration) -> LocationError {
    .silent(for: timeout, because: reason)
  }

  private func show() async {
    await status.show(PublishText.progress(statistics(), connection))
  }
}

/// The texts of `publish`. Pure.
enum PublishText {
  static func progress(
    _ statistics: PublisherStatistics, _ connection: ConnectionState?
  ) -> String {
    let phase = connection?.phase == .connected ? "connected" : "not connected"
    let counts = ["published \(statistics.published)", "\(statistics.backlog.count) waiting"]
    return (counts + losses(statistics) + [phase]).joined(separator: ", ")
  }

  /// - Parameter keeps: Whether what waits is kept for the next run.
  static func summary(_ statistics: PublisherStatistics, keeps: Bool) -> String {
    let count = statistics.published
    let waiting = statistics.backlog.count
    var text = "Published \(count == 1 ? "1 location" : "\(count) locations"); "
    text += "\(waiting) \(waiting == 1 ? "waits" : "wait")"
    if waiting > 0 { text += keeps ? " in the storage" : " and end with this process" }
    let losses = losses(statistics)
    return text + "." + (losses.isEmpty ? "" : " " + losses.joined(separator: ", ") + ".")
  }

  /// Counts of what will not reach the broker; none if everything does.
  private static func losses(_ statistics: PublisherStatistics) -> [String] {
    [
      (statistics.dropped.count, "dropped as too many"),
      (statistics.dropped.age, "dropped as too old"),
      (statistics.dropped.bytes, "dropped as too large"),
      (statistics.refused, "refused by the broker"),
      (statistics.deleted, "deleted without permission"),
      (statistics.lost, "lost before the storage"),
    ].compactMap { count, name in count > 0 ? "\(count) \(name)" : nil }
  }
}
