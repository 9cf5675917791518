/// The columns of the table of `fleet`, in the order of display.
enum FleetColumn: CaseIterable, Hashable, Sendable {
  case device, presence, age, position, speed, course, time, integrity

  var title: String {
    switch self {
    case .device: "Device"
    case .presence: "Presence"
    case .age: "Age"
    case .position: "Position"
    case .speed: "Speed"
    case .course: "Course"
    case .time: "Last update"
    case .integrity: "Integrity"
    }
  }

  var isTrailing: Bool {
    switch self {
    case .device, .presence, .time, .integrity: false
    case .age, .position, .speed, .course: true
    }
  }

  /// If the window is too narrow, columns with the highest rank are omitted first.
  var rank: Int {
    switch self {
    case .device: 0
    case .position: 1
    case .presence: 2
    case .age: 3
    case .speed: 4
    case .course: 5
    case .time: 6
    case .integrity: 7
    }
  }
}
