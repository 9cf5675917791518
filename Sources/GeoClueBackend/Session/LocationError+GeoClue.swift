import AsyncLocation
import Glibc
import LocationTransport

extension LocationError {
  typealias Service = GeoClueStateMachine.Configuration

  /// The error for a bus that cannot be reached, or whose connection broke.
  static func busFailed(_ service: String, errno code: Int32, isOpen: Bool) -> Self {
    let reason = text(ofErrno: code)
    if isOpen {
      return Self(.connectionLost, "The connection to D-Bus at \(service) broke (\(reason)).")
    }
    switch code {
    case EACCES, EPERM:
      return Self(
        .denied,
        "D-Bus at \(service) refuses this program (\(reason)). Check the access rights of its "
          + "socket.")
    default:
      return Self(
        .backendUnavailable,
        "D-Bus at \(service) cannot be reached (\(reason)). Is the bus running? Check "
          + "DBUS_SYSTEM_BUS_ADDRESS.")
    }
  }

  static func busTimedOut(_ service: Service) -> Self {
    Self(
      .timedOut,
      "D-Bus at \(service.endpoint) did not accept the connection within "
        + "\(service.connectTimeout).")
  }

  static func subscriptionRefused(by service: Service, _ error: BusError) -> Self {
    Self(
      .backendUnavailable,
      "D-Bus at \(service.endpoint) refuses a subscription to signals: \(quoted(error)).")
  }

  /// The error for a service that does not run and cannot be started.
  static func cannotStart(_ service: Service, _ error: BusError) -> Self {
    if error.isServiceMissing {
      return Self(
        .backendUnavailable,
        "D-Bus at \(service.endpoint) has no GeoClue. Install it: apt-get install geoclue-2.0.")
    }
    if error.isActivationFailure {
      return Self(
        .backendUnavailable,
        "GeoClue cannot be started: \(quoted(error)). See the journal of geoclue.service.")
    }
    return failed(service, error)
  }

  static func failed(_ service: Service, _ error: BusError) -> Self {
    Self(.backendUnavailable, "GeoClue reports an error: \(quoted(error)).")
  }

  static func noAnswer(from service: Service) -> Self {
    Self(
      .timedOut,
      "GeoClue does not answer. If this persists, restart it: systemctl restart geoclue.")
  }

  static func noDecision(from service: Service) -> Self {
    Self(
      .timedOut,
      "GeoClue has not decided within \(service.authorizationTimeout) whether "
        + "\(program(service)) may use locations. Does a question wait on the desktop?")
  }

  static func malformedAnswer(from service: Service) -> Self {
    Self(
      .backendUnavailable,
      "The service with GeoClue's name at \(service.endpoint) gives answers that GeoClue does not. "
        + "Is it another program?")
  }

  static func serviceEnded(_ service: Service) -> Self {
    Self(.connectionLost, "GeoClue ended or was restarted.")
  }

  static func noLocation(from service: Service) -> Self {
    Self(
      .locationUnknown,
      "GeoClue works, but has had no location for \(service.locationTimeout). Has it a source: a "
        + "GNSS receiver, a modem or Wi-Fi with a network? The user's agent may also allow less "
        + "accuracy than its sources have.")
  }

  /// The error for a refusal, with what changes it.
  static func refused(
    _ refusal: GeoClueStateMachine.Refusal, _ service: Service, _ error: BusError?
  ) -> Self {
    let user = service.user == 0 ? "root (UID 0)" : "UID \(service.user)"
    let file = "/etc/geoclue/geoclue.conf"
    switch refusal {
    case .noAgent:
      let remedy =
        service.user == 0
        ? "Run the program as the user of the desktop, or an agent as root."
        : "Log in to a desktop with an agent, or run one."
      return Self(
        .denied,
        "GeoClue has no agent for \(user), so nobody can permit locations. \(remedy) The "
          + "agent's ID must be listed in \(file), in the section [agent]: whitelist=ID.")
    case .switchedOff:
      return Self(
        .restricted,
        "Locations are switched off for \(user): the user's agent allows GeoClue no accuracy. "
          + "Switch location services on in the privacy settings of the desktop.")
    case .configuration:
      return Self(
        .restricted,
        "GeoClue's configuration does not permit \(program(service)) for \(user). In \(file), in "
          + "the section [\(id(service))], set allowed=true and add \(service.user) to users=, or "
          + "leave users= empty; then restart GeoClue.")
    case .agent:
      return Self(
        .denied,
        "The agent of \(user) refused locations to \(program(service)). Permit them in the privacy "
          + "settings of the desktop, or without a question in \(file): [\(id(service))] "
          + "allowed=true system=false users=.")
    case .bus:
      return Self(
        .denied,
        "The rules of D-Bus do not permit this program to call GeoClue: \(quoted(error)). See "
          + "/etc/dbus-1/system.d/org.freedesktop.GeoClue2.conf.")
    case .other:
      return Self(
        .denied,
        "GeoClue refuses locations to \(program(service)): \(quoted(error)). See \(file).")
    }
  }

  private static func program(_ service: Service) -> String { "'\(id(service))'" }

  private static func id(_ service: Service) -> String {
    String(printable: service.desktopID, limit: 255)
  }

  /// The text of an error, which is untrusted input.
  private static func quoted(_ error: BusError?) -> String {
    guard let error else { return "no reason" }
    return String(quoted: error.message.isEmpty ? error.name : error.message, limit: 300)
  }
}
