import LocationTransport

/// The look-ups of all nodes of a broker for one connection attempt. Confined to the transport's
/// thread.
final class NodeLookups {
  private var pending: [LookupID] = []
  private var results: [Result<[SocketAddress], TransportFailure>?] = []

  /// Looks up all nodes at once.
  ///
  /// - Parameter answer: Called once with the addresses of the nodes that were found, in the order
  ///   of the nodes; if none was found, with the failure for the first node. Not called after
  ///   ``cancel(_:)``.
  func begin(
    _ nodes: [MQTTConfiguration.Address], _ transport: any Transport,
    _ answer: @escaping (Result<[SocketAddress], TransportFailure>) -> Void
  ) {
    results = Array(repeating: nil, count: nodes.count)
    pending = nodes.enumerated().map { index, node in
      transport.resolve(host: node.host, port: node.port) { [self] result in
        results[index] = result
        let known = results.compactMap(\.self)
        guard known.count == results.count else { return }
        pending = []
        let addresses = known.flatMap { (try? $0.get()) ?? [] }
        answer(addresses.isEmpty ? known[0] : .success(addresses))
      }
    }
  }

  func cancel(_ transport: any Transport) {
    for lookup in pending { transport.cancel(lookup) }
    pending = []
  }
}
