/// The tool's commands.
enum Command: String, Hashable, Sendable, CaseIterable {
  case watch, once, headings, sky, fences, place, reports, devices, authorization, doctor
  case record, convert, plot, stats, publish, fleet

  var summary: String {
    switch self {
    case .watch: "Shows locations as they arrive, until interrupted."
    case .once: "Prints one location and ends."
    case .headings: "Shows headings as they arrive, until interrupted."
    case .sky: "Shows the satellites as they are reported, until interrupted."
    case .fences: "Reports when areas are entered and left, until interrupted."
    case .place: "Prints the places at a point or of a name, without a receiver."
    case .plot: "Draws the tracks of recordings, and areas, as SVG or as a page of HTML."
    case .doctor: "Diagnoses why there is no fix, and what to do."
    case .devices: "Lists the receivers that gpsd has."
    case .reports: "Prints gpsd's own reports as they arrive, until interrupted."
    case .convert: "Writes a recording in another format."
    case .stats: "Prints the length, the times, the speeds and the gaps of a recording."
    case .authorization: "Shows the permission of a client, and the reason."
    case .record: "Records locations in a file, until interrupted."
    case .fleet: "Shows all devices that publish to an MQTT broker, until interrupted."
    case .publish: "Publishes locations to an MQTT broker, until interrupted."
    }
  }

  /// The words after the command, in the help.
  var words: String {
    switch self {
    case .place: " LAT LON | NAME..."
    case .record: " FILE"
    case .convert: " IN OUT"
    case .plot: " IN... -o FILE"
    case .stats: " IN"
    case .fences: " --conditions FILE"
    case .publish: " --broker URL --topic TOPIC"
    case .fleet: " --broker URL"
    default: ""
    }
  }

  /// Whether the command reads a recording without a source of locations.
  var readsRecordings: Bool { self == .convert || self == .plot || self == .stats }

  /// Whether the command writes a recording in a format that can be chosen.
  var writesRecordings: Bool { self == .record || self == .convert }

  /// Whether the command runs until interrupted unless `--count` is given.
  var isEndless: Bool {
    switch self {
    case .watch, .headings, .sky, .fences, .reports, .record, .publish, .fleet: true
    case .once, .place, .devices, .authorization, .doctor, .convert, .plot, .stats: false
    }
  }
}
