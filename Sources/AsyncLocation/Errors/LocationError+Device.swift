extension LocationError {
  /// The error for an invalid receiver name; nil for a valid name.
  package static func invalidDevice(_ name: String) -> Self? {
    if name.isEmpty {
      return Self(
        .invalidValue, "The device name is empty; use a receiver's name, or nil for any receiver.")
    }
    guard name.utf8.contains(0) else { return nil }
    return Self(
      .invalidValue,
      "The device name contains a NUL character: \"\(String(printable: name))\".")
  }

  /// The error for receivers that are named in options but missing at the source. The message lists
  /// the source's receivers.
  static func deviceUnknown(
    _ missing: [String], at endpoint: String?, having devices: Set<String>, cause: LocationError?
  ) -> Self {
    let source = endpoint.map { String(printable: $0) } ?? "The source"
    let has = devices.isEmpty ? "none" : list(devices.sorted())
    return Self(
      .deviceUnknown,
      "\(source) has no receiver \(list(missing)); it has \(has). "
        + "Check the name in the options. Reports start when the receiver is connected.",
      cause: cause)
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(16).map { "'\(String(printable: $0))'" }
    return shown.joined(separator: ", ") + (names.count > shown.count ? ", …" : "")
  }
}
