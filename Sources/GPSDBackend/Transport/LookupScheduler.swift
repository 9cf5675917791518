/// Decides which hosts are looked up on which occasion, and when that takes another thread. Performs
/// no I/O.
///
/// Requests for one host share a look-up, waiting or under way. A host that nobody waits for any more
/// leaves the queue. A look-up that is under way cannot be stopped, only left alone: it keeps its
/// thread until it returns, and whoever asks for the host meanwhile joins it.
struct LookupScheduler: Sendable {
  struct Configuration: Sendable {
    /// How many look-ups may be under way: as many that hang hold up all others.
    var mostThreads = 32
    /// How many hosts may wait for a thread.
    var mostWaiting = 1024
  }

  /// Names a request; never used twice.
  struct RequestID: Hashable, Sendable {
    let rawValue: UInt64
  }

  enum Admission: Hashable, Sendable {
    /// The answer comes from a look-up that is there, or from a thread that is.
    case wait
    /// The request waits; a thread more is to be started.
    case startThread
    /// Too many hosts wait: the request is not taken.
    case refuse
  }

  private enum Phase { case waiting, running }

  private struct Lookup {
    var phase = Phase.waiting
    var requests: [RequestID]
  }

  private let configuration: Configuration
  private var lookups: [String: Lookup] = [:]
  private var hosts: [RequestID: String] = [:]
  /// The hosts that wait, the first to come first.
  private var queue: [String] = []
  private(set) var threads = 0

  init(_ configuration: Configuration = Configuration()) { self.configuration = configuration }

  /// Hosts that wait, and requests that are not answered.
  var load: (waiting: Int, requests: Int) { (queue.count, hosts.count) }

  mutating func request(_ id: RequestID, host: String) -> Admission {
    if lookups[host] != nil {
      lookups[host]?.requests.append(id)
      hosts[id] = host
      return .wait
    }
    guard queue.count < configuration.mostWaiting else { return .refuse }
    lookups[host] = Lookup(requests: [id])
    hosts[id] = host
    queue.append(host)
    guard threads < configuration.mostThreads else { return .wait }
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

  /// The host that an idle thread is to look up; nil when there is none, and the thread ends.
  mutating func next() -> String? {
    guard !queue.isEmpty else {
      threads -= 1
      return nil
    }
    let host = queue.removeFirst()
    lookups[host]?.phase = .running
    return host
  }

  /// A look-up has returned. Gives the requests that it answers.
  mutating func finish(_ host: String) -> [RequestID] {
    let requests = lookups.removeValue(forKey: host)?.requests ?? []
    for id in requests { hosts[id] = nil }
    return requests
  }

  /// A thread could not be started. Gives the requests that no other thread will answer.
  mutating func threadFailed() -> [RequestID] {
    threads -= 1
    guard threads == 0 else { return [] }
    defer { queue = [] }
    return queue.flatMap { finish($0) }
  }
}
