/// Decides when each host is looked up and when another thread is needed. Performs no I/O.
///
/// Requests for the same host share one look-up, queued or running. A host leaves the queue when no
/// request waits for it any longer. A running look-up cannot be stopped: it occupies its thread
/// until it returns, and new requests for its host join it.
struct LookupScheduler: Sendable {
  struct Configuration: Sendable {
    /// The maximum number of running look-ups; if that many hang, all others wait.
    var maximumThreads = 32
    /// The maximum number of hosts that wait for a thread.
    var maximumWaiting = 1024
  }

  /// Identifies a request; never reused.
  struct RequestID: Hashable, Sendable {
    let rawValue: UInt64
  }

  enum Admission: Hashable, Sendable {
    /// An existing look-up or thread will produce the answer.
    case wait
    /// The request waits, and another thread must be started.
    case startThread
    /// Too many hosts are waiting; the request is rejected.
    case refuse
  }

  private enum Phase { case waiting, running }

  private struct Lookup {
    var phase = Phase.waiting
    var requests: [RequestID]
  }

  private let configuration: Configuration
  private var lookups: [String: Lookup] = [:]
  /// The hosts of unanswered requests.
  private var hosts: [RequestID: String] = [:]
  /// The waiting hosts, in order of arrival.
  private var queue: [String] = []
  /// The number of threads, including those that are being started.
  private(set) var threads = 0

  init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// The number of waiting hosts and of unanswered requests.
  var load: (waiting: Int, requests: Int) { (queue.count, hosts.count) }

  mutating func request(_ id: RequestID, host: String) -> Admission {
    if lookups[host] != nil {
      lookups[host]?.requests.append(id)
      hosts[id] = host
      return .wait
    }
    guard queue.count < configuration.maximumWaiting else { return .refuse }
    lookups[host] = Lookup(requests: [id])
    hosts[id] = host
    queue.append(host)
    guard threads < configuration.maximumThreads else { return .wait }
    threads += 1
    return .startThread
  }

  mutating func cancel(_ id: RequestID) {
    guard let host = hosts.removeValue(forKey: id), var lookup = lookups[host] else { return }
    lookup.requests.removeAll { $0 == id }
    switch lookup.phase {
    case .waiting where lookup.requests.isEmpty:
      lookups[host] = nil
      queue.removeAll { $0 == host }
    case .waiting, .running: lookups[host] = lookup
    }
  }

  /// Returns the next host for an idle thread. If there is none, returns nil, and the thread must
  /// end.
  mutating func next() -> String? {
    guard !queue.isEmpty else {
      threads -= 1
      return nil
    }
    let host = queue.removeFirst()
    lookups[host]?.phase = .running
    return host
  }

  /// Removes a finished look-up and returns the requests that it answers.
  mutating func finish(_ host: String) -> [RequestID] {
    let requests = lookups.removeValue(forKey: host)?.requests ?? []
    for id in requests { hosts[id] = nil }
    return requests
  }

  /// Handles a thread that could not be started. Returns the requests that no other thread will
  /// answer.
  mutating func threadFailed() -> [RequestID] {
    threads -= 1
    guard threads == 0 else { return [] }
    defer { queue = [] }
    return queue.flatMap { finish($0) }
  }
}
