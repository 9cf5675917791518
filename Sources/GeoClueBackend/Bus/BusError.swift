/// An error that answers a call. Both texts are untrusted input.
struct BusError: Error, Hashable, Sendable {
  var name: String
  var message: String

  private static let prefix = "org.freedesktop.DBus.Error."

  var isAccessDenied: Bool { name == Self.prefix + "AccessDenied" }

  /// Whether no program offers the service, and the bus could start none.
  var isServiceMissing: Bool {
    ["ServiceUnknown", "NameHasNoOwner"].contains { name == Self.prefix + $0 }
  }

  /// Whether the bus could not start the service.
  var isActivationFailure: Bool {
    name.hasPrefix(Self.prefix + "Spawn.") || name == Self.prefix + "TimedOut"
      || name.hasPrefix("org.freedesktop.systemd1.")
  }
}
