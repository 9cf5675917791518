import AsyncLocation
import GPSDBackend

/// The mode of a run of the program.
enum Mode: Sendable {
  case events(port: Int)
  case reports(port: Int)
  case updates(port: Int)
  case options(port: Int)
  case executor(port: Int)
  case fanOut(subscribers: Int, port: Int)
  case connections(Int, port: Int)
  case runs(Int, port: Int)

  static let usage = """
    usage: async-location-loop MODE PORT
      events         the events of GPSDBackend.run
      reports        backend.reports()
      updates        manager.updates
      options        manager.updates(options)
      executor       the same on the thread that reads the socket
      fan-out N      N subscriptions of one manager, each with a task of its own
      connections N  N managers, each with a connection and a subscription
      runs N         N runs of backends, without managers

    """

  init?(_ arguments: ArraySlice<String>) {
    guard let port = arguments.last.flatMap({ Int($0) }) else { return nil }
    let words = Array(arguments.dropLast())
    let count = words.count == 2 ? Int(words[1]) : nil
    switch (words.first, count) {
    case ("events", nil): self = .events(port: port)
    case ("reports", nil): self = .reports(port: port)
    case ("updates", nil): self = .updates(port: port)
    case ("options", nil): self = .options(port: port)
    case ("executor", nil): self = .executor(port: port)
    case ("fan-out", .some(let count)) where count > 0:
      self = .fanOut(subscribers: count, port: port)
    case ("connections", .some(let count)) where count > 0: self = .connections(count, port: port)
    case ("runs", .some(let count)) where count > 0: self = .runs(count, port: port)
    default: return nil
    }
  }

  /// The executor of the task; nil for the default thread pool.
  var executor: (any TaskExecutor)? {
    if case .executor = self { GPSDBackend.taskExecutor } else { nil }
  }

  /// Reads until the server closes.
  ///
  /// - Returns: Text to append to the line of `Tally`, in the same format.
  func run() async throws -> String {
    switch self {
    case .events(let port): try await readEvents(port)
    case .reports(let port): try await readReports(port)
    case .updates(let port): try await readUpdates(port)
    case .options(let port), .executor(let port): try await readOptions(port)
    case .fanOut(let subscribers, let port): try await fanOut(to: subscribers, port)
    case .connections(let count, let port): try await connect(count, port)
    case .runs(let count, let port): try await run(count, port)
    }
  }
}
