import AsyncLocation

/// Merges the connections of the sources into one state.
enum CombinedConnection {
  /// The maximum length of a source's message.
  private static let messageLimit = 512

  static func state(_ sources: [SourceState], inForce: Int?) -> ConnectionState {
    let phases = sources.compactMap(\.phase)
    let running = sources.filter { $0.phase != nil }
    let waiting = running.filter { $0.phase == .waiting }.compactMap(\.connection)
    let phase: ConnectionState.Phase =
      phases.contains(.connected)
      ? .connected : !waiting.isEmpty && !phases.contains(.connecting) ? .waiting : .connecting
    let shown = inForce.map { sources[$0] }.flatMap { $0.phase == nil ? nil : $0 } ?? running.first
    var receivers: [Receiver] = []
    // Nil if any source does not list its receivers: a name may then be one of them.
    var devices: Set<String>? = []
    for source in sources {
      let state = source.phase == nil ? nil : source.connection
      receivers += (state?.receivers ?? []).map { $0.renamed(source.names.name($0.name)) }
      if let listed = state?.devices {
        devices?.formUnion(listed.map(source.names.name))
      } else {
        devices = nil
      }
    }
    return ConnectionState(
      phase,
      endpoint: shown.map { source in
        source.connection?.endpoint.map { "\(source.name) (\($0))" } ?? source.name
      },
      attempts: phase == .waiting ? waiting.map(\.attempts).max() ?? 0 : 0,
      retryDelay: phase == .waiting ? waiting.compactMap(\.retryDelay).min() : nil,
      problem: error(
        sources.compactMap { source in source.problem.map { (source.name, $0) } }),
      receivers: receivers,
      preferredReceiver: inForce.map { sources[$0] }.flatMap { source in
        source.isAvailable && source.phase != nil
          ? source.names.name(source.connection?.preferredReceiver) : nil
      },
      devices: devices)
  }

  /// One error that names each source; nil for none. Has the code of the first.
  static func error(_ errors: [(source: String, error: LocationError)]) -> LocationError? {
    guard let first = errors.first else { return nil }
    let messages = errors.map { source, error in
      "\(source): \(String(printable: error.message, limit: messageLimit))"
    }
    // A refusal of permission has no cause.
    let cause = first.error.isRefusal ? nil : first.error
    return LocationError(first.error.code, messages.joined(separator: " "), cause: cause)
  }
}

extension Receiver {
  fileprivate func renamed(_ name: String) -> Self {
    Self(
      name: name, driver: driver, model: model, activated: activated, baudRate: baudRate,
      cycle: cycle)
  }
}
