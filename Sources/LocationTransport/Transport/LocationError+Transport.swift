package import AsyncLocation
import Glibc

/// Errors of connections to any server, with messages that state how to fix them.
extension LocationError {
  /// The error for a connection that could not be opened; nil for ``TransportFailure/unread``, which
  /// is the failure of an open one.
  ///
  /// - Parameter hint: What to check if nothing listens.
  package static func cannotOpenConnection(
    to endpoint: String, _ failure: TransportFailure, ifRefused hint: String
  ) -> Self? {
    switch failure {
    case .lookup(let code):
      let reason = unsafe String(cString: gai_strerror(code))
      return Self(
        .backendUnavailable,
        "The host of \(endpoint) was not found (\(reason)). Check its name and the network.",
        cause: failure)
    case .system(let code) where code == EACCES || code == EPERM:
      return Self(
        .denied,
        "This process may not connect to \(endpoint) (\(text(ofErrno: code))). Check firewall and "
          + "sandbox.", cause: failure)
    case .system(ECONNREFUSED):
      return Self(
        .backendUnavailable, "Nothing listens at \(endpoint). \(hint)", cause: failure)
    case .system(let code) where code == EMFILE || code == ENFILE:
      return Self(
        .backendUnavailable,
        "No file descriptor is left for a connection to \(endpoint) (\(text(ofErrno: code))). "
          + "Raise the limit or close files.", cause: failure)
    case .system(let code):
      return Self(
        .backendUnavailable,
        "\(endpoint) cannot be reached (\(text(ofErrno: code))). Check host and network.",
        cause: failure)
    case .tooManyLookups:
      return Self(
        .backendUnavailable,
        "The host of \(endpoint) cannot be looked up: too many look-ups are waiting. "
          + "Check the name server, or use addresses.", cause: failure)
    case .unread: return nil
    }
  }

  package static func connectTimedOut(to endpoint: String, after limit: Duration) -> Self {
    Self(
      .timedOut,
      "\(endpoint) did not answer within \(limit). Check host, network and firewall.")
  }

  /// The system's text for an errno.
  package static func text(ofErrno code: Int32) -> String { unsafe String(cString: strerror(code)) }
}
