/// The tool's commands.
enum Command: String, Hashable, Sendable, CaseIterable {
  case watch, once, headings, sky, fences, place, reports, devices, authorization, doctor
  case record

  var summary: String {
    switch self {
    case .watch: "Shows locations as they arrive, until interrupted."
    case .once: "Prints one location and ends."
    case .headings: "Shows headings as they arrive, until interrupted."
    case .sky: "Shows the satellites as they are reported, until interrupted."
    case .fences: "Reports when areas are entered and left, until interrupted."
    case .place: "Prints the places at a point or of a name, without a receiver."
    case .doctor: "Diagnoses why there is no fix, and what to do."
    case .devices: "Lists the receivers that gpsd has."
    case .reports: "Prints gpsd's own reports as they arrive, until interrupted."
    case .authorization: "Shows the permission of a client, and the reason."
    case .record: "Records locations in a file, until interrupted."
    }
  }

  /// The words after the command, in the help.
  var words: String {
    switch self {
    case .place: " LAT LON | NAME..."
    case .record: " FILE"
    default: ""
    }
  }

  /// Whether the command runs until interrupted unless `--count` is given.
  var isEndless: Bool {
    switch self {
    case .watch, .headings, .sky, .fences, .reports, .record: true
    case .once, .place, .devices, .authorization, .doctor: false
    }
  }
}
