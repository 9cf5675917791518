package import AsyncLocation
import Glibc

extension GeoClueConfiguration {
  /// The address of the bus to connect to.
  var busAddress: String {
    if let address { return address }
    // SAFETY: the value ends with NUL and is copied at once.
    if let value = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS") {
      return unsafe String(cString: value)
    }
    return "unix:path=/run/dbus/system_bus_socket"
  }

  /// Checks the values.
  ///
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    if desktopID.isEmpty {
      throw LocationError(
        .invalidValue,
        "desktopID is empty; use the name of the program's desktop file without \".desktop\".")
    }
    if desktopID.utf8.contains(0) || desktopID.utf8.count > 255 {
      throw LocationError(
        .invalidValue,
        "desktopID must have no NUL and at most 255 bytes, got "
          + "\(String(quoted: desktopID, limit: 80)).")
    }
    let addresses = busAddress.split(separator: ";", omittingEmptySubsequences: false)
    if busAddress.utf8.contains(0) || !addresses.allSatisfy({ $0.hasPrefix("unix:") }) {
      throw LocationError(
        .invalidValue,
        "The address of D-Bus must be of Unix sockets, as in unix:path=/run/dbus/system_bus_socket, "
          + "got \(String(quoted: busAddress, limit: 80)).")
    }
    try Self.check(connectTimeout, "connectTimeout")
    try Self.check(answerTimeout, "answerTimeout")
    try Self.check(authorizationTimeout, "authorizationTimeout")
    try Self.check(locationTimeout, "locationTimeout")
    try Self.check(silenceTimeout, "silenceTimeout")
    if let problem = reconnection.problem { throw LocationError(.invalidValue, problem) }
  }

  private static func check(_ duration: Duration, _ name: String) throws(LocationError) {
    let longest = Duration.seconds(1_000_000_000)  // The sum of two does not overflow.
    guard duration >= .milliseconds(1), duration <= longest else {
      throw LocationError(
        .invalidValue,
        "\(name) must be at least \(Duration.milliseconds(1)) and at most \(longest), got "
          + "\(duration).")
    }
  }
}

extension GeoClueConfiguration: Described {
  package var members: [DescribedMember] {
    [
      DescribedMember("desktopID", desktopID),
      DescribedMember("address", address),
      DescribedMember("authorizationPolicy", authorizationPolicy.map { type(of: $0) }),
      DescribedMember("reconnection", reconnection),
      DescribedMember("connectTimeout", connectTimeout),
      DescribedMember("answerTimeout", answerTimeout),
      DescribedMember("authorizationTimeout", authorizationTimeout),
      DescribedMember("locationTimeout", locationTimeout),
      DescribedMember("silenceTimeout", silenceTimeout),
    ]
  }
}
