import AsyncLocation

/// The result of a run of the tool, as an exit status for scripts.
enum ExitCode: Hashable, Sendable {
  case done, failed, usage, permission, timedOut
  /// A signal arrived before the command was done.
  case interrupted(signal: Int32)

  var status: Int32 {
    switch self {
    case .done: 0
    case .failed: 1
    case .usage: 2
    case .permission: 3
    case .timedOut: 4
    case .interrupted(let signal): 128 + signal  // As shells report a signal.
    }
  }

  init(_ error: LocationError) {
    switch error.code {
    case let code where code.isRefusal || code == .credentialsRefused: self = .permission
    case .timedOut: self = .timedOut
    default: self = .failed
    }
  }
}
