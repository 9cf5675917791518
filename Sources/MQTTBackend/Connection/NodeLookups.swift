import LocationTransport

/// The look-ups of all nodes of a broker for one connection attempt. Confined to the transport's
/// thread.
final class NodeLookups {
  private var pending: [LookupID] = []
  private var timer: TimerID?
  /// Whether the time limit has passed, so that the nodes that were found are enough.
  private var isLate = false
  private var results: [Result<[SocketAddress], TransportFailure>?] = []

  /// Looks up all nodes at once.
  ///
  /// - Parameters:
  ///   - limit: The time after which one node that was found is enough.
  ///   - answer: Called once, with the addresses of the nodes that were found, in the nodes' order;
  ///     or, if none was, with the failure for the first node. Not called after ``cancel(_:)``.
  func begin(
    _ nodes: [MQTTConfiguration.Address], limit: Duration, _ transport: any Transport,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) {
    (isLate, results) = (false, Array(repeating: nil, count: nodes.count))
    pending = nodes.enumerated().map { index, node in
      transport.resolve(host: node.host, port: node.port) { [self] result in
        results[index] = result
        answerIfKnown(transport, answer)
      }
    }
    timer = transport.arm(at: transport.now() + limit) { [self] in
      (timer, isLate) = (nil, true)
      answerIfKnown(transport, answer)
    }
  }

  private func answerIfKnown(
    _ transport: any Transport,
    _ answer: (Result<[SocketAddress], TransportFailure>) -> Void
  ) {
    let known = results.compactMap(\.self)
    let addresses = known.flatMap { (try? $0.get()) ?? [] }
    guard known.count == results.count || isLate && !addresses.isEmpty else { return }
    cancel(transport)
    answer(addresses.isEmpty ? known[0] : .success(addresses))
  }

  func cancel(_ transport: any Transport) {
    for lookup in pending { transport.cancel(lookup) }
    pending = []
    if let timer { transport.cancel(timer) }
    timer = nil
  }
}
