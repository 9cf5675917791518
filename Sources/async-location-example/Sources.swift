import AsyncLocation
import GPSDBackend
import MockBackend
import SampleDrive

/// Makes what the arguments name.
enum Sources {
  @Sendable static func source(_ arguments: Arguments) throws -> Tool.Source {
    switch arguments.backend {
    case .gpsd:
      let configuration = configuration(arguments)
      return Tool.Source(name: name(arguments), backend: GPSDBackend(configuration))
    case .replay:
      let events = try Drive().events.map { TimedEvent(offset: $0.offset, event: $0.event) }
      let digits = arguments.rate.rounded() == arguments.rate ? 0 : 3
      let rate = Numbers.fixed(arguments.rate, digits)
      let pace = arguments.rate == 1 ? "" : " at \(rate) times its pace"
      return Tool.Source(
        name: "recorded drive" + pace,
        backend: try ReplayBackend(
          events, rate: arguments.rate, name: Drive.device,
          authorizationPolicy: policy(arguments) ?? .automatic, clock: .continuous))
    }
  }

  @Sendable static func receivers(_ arguments: Arguments) async throws -> [Receiver] {
    // Which receivers there are is no location; a policy that refuses locations refuses it, too.
    if let policy = policy(arguments) {
      let decision = await policy.authorize(.whenInUse)
      guard decision.permission.status.isAuthorized else {
        throw LocationError(.denied, decision.reason ?? "Permission is denied.")
      }
    }
    return try await GPSDBackend(configuration(arguments)).devices()
  }

  private static func configuration(_ arguments: Arguments) -> GPSDConfiguration {
    var configuration = GPSDConfiguration(
      host: arguments.host, port: arguments.port, device: arguments.device)
    switch arguments.transport {
    case .socket: configuration.transport = .socket
    case .sharedMemory: configuration.transport = .sharedMemory
    }
    if let policy = policy(arguments) { configuration.authorizationPolicy = policy }
    if let timeout = arguments.timeout, arguments.command == .devices {
      configuration.connectTimeout = timeout
      configuration.handshakeTimeout = timeout
    }
    return configuration
  }

  /// The policy of `--policy`; nil when there is none.
  @Sendable static func policy(_ arguments: Arguments) -> (any AuthorizationPolicy)? {
    arguments.policy.map { FileAuthorizationPolicy(path: $0, client: arguments.client) }
  }

  private static func name(_ arguments: Arguments) -> String {
    switch arguments.transport {
    case .socket:
      let host = arguments.host.contains(":") ? "[\(arguments.host)]" : arguments.host
      return "gpsd \(host):\(arguments.port)"
    case .sharedMemory: return "gpsd's shared memory"
    }
  }
}
