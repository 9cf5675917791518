/// What the tool can be told to do.
enum Command: String, Hashable, Sendable, CaseIterable {
  case watch, once, devices, authorization

  var summary: String {
    switch self {
    case .watch: "Shows locations as they arrive, until interrupted."
    case .once: "Prints one location and ends."
    case .devices: "Lists the receivers that gpsd has."
    case .authorization: "Shows what a client is allowed, and why."
    }
  }
}
