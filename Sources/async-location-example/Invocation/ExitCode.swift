import AsyncLocation

/// How a run of the tool ended, as scripts see it.
enum ExitCode: Hashable, Sendable {
  case done, failed, usage, permission, timedOut
  /// A signal came before what was asked for was done.
  case interrupted(signal: Int32)

  var status: Int32 {
    switch self {
    case .done: 0
    case .failed: 1
    case .usage: 2
    case .permission: 3
    case .timedOut: 4
    case .interrupted(let signal): 128 + signal  // What shells report for a signal.
    }
  }

  init(_ error: LocationError) {
    switch error.code {
    case .denied, .restricted, .locationServicesDisabled: self = .permission
    case .timedOut: self = .timedOut
    default: self = .failed
    }
  }
}
